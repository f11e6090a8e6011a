#include "muster/policy/prepare.hpp"

namespace muster {

void prepare(Workload& w, const Policy& policy) {
  if (policy.by_queue()) split_by_queue(w);
  if (policy.cutting().rounding != Rounding::none) {
    w.min_gpus.resize(0);
    w.max_gpus.resize(0);
  }
}

}  // namespace muster
