#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/policy/plan.hpp"

namespace muster {

/// What a policy knows of a shape as a whole: what stands in the way of one of its jobs stands in the way
/// of all.
struct ShapeNotes {
  std::uint32_t waiting = 0;       // jobs
  Cause said = Cause::readiness;   // the cause last reported
  bool spoken = false;             // any cause was reported yet
  std::uint64_t dead_in_pass = 0;  // it was found that none of its jobs can start in this pass

  /// Reports why the jobs of `shape`, which these are of, wait; once for as long as it stays so.
  void say(Plan& plan, ShapeId shape, Cause cause) {
    if (spoken && said == cause) return;
    spoken = true;
    said = cause;
    plan.explain(shape, cause);
  }
};

/// That, and the shape's waiting jobs in a `List` in the order in which they are served.
template <class List>
struct ShapeLine : ShapeNotes {
  List jobs;
};

/// The lines of all shapes, and which of them have waiting jobs.
template <class T>
class ShapeLines {
 public:
  using Line = T;

  void begin(std::size_t shapes) { lines_.resize(shapes); }
  bool empty() const { return active_.empty(); }
  const std::vector<ShapeId>& shapes() const { return active_; }  // with waiting jobs, ascending
  Line& line(ShapeId s) { return lines_[s]; }
  const Line& line(ShapeId s) const { return lines_[s]; }

  template <class Item>
  void insert(ShapeId shape, const Item& item) {
    came(shape);
    lines_[shape].jobs.insert(item);
  }
  template <class Item>
  void erase(ShapeId shape, const Item& item) {
    went(shape);
    lines_[shape].jobs.erase(item);
  }

  /// The same for those who keep no list of it.
  void came(ShapeId shape) {
    if (lines_[shape].waiting++ == 0) active_.insert(place(shape), shape);
  }
  void went(ShapeId shape) {
    if (--lines_[shape].waiting == 0) active_.erase(place(shape));
  }

 private:
  auto place(ShapeId shape) { return std::lower_bound(active_.begin(), active_.end(), shape); }

  IdVector<ShapeId, Line> lines_;
  std::vector<ShapeId> active_;
};

}  // namespace muster
