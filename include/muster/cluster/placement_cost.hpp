#pragma once
#include <span>

#include "muster/cluster/demand.hpp"
#include "muster/cluster/gpu_mask.hpp"

namespace muster {

/// What it would cost to put a job somewhere, for whoever chooses places. Known only where a run says
/// what placements cost.
class PlacementCost {
 public:
  struct Price {
    double own = 1;     // what a unit of the job's work takes there, beside those who run by now
    double alone = 1;   // the same if nobody else ran
    double others = 0;  // GPUs' worth of work that those who run get done less, per unit of time
    double least = 1;   // what a unit takes at least, wherever it is; 0 if that is not known
  };
  virtual ~PlacementCost() = default;
  /// Of a job that asks for `d`. Who starts in the same pass does not run yet.
  virtual Price price(const Demand& d, std::span<const Slice> where) {
    static_cast<void>(d);
    static_cast<void>(where);
    return {};
  }
  /// Wherever such a job can be put, the price is the same.
  virtual bool same_everywhere(const Demand& d) const {
    static_cast<void>(d);
    return true;
  }
};

}  // namespace muster
