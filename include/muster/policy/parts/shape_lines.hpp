#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/policy/plan.hpp"

namespace muster {

/// One shape's waiting jobs in a `List` in the order in which they are served, and what a policy knows
/// of the shape as a whole: what stands in the way of one of its jobs stands in the way of all.
template <class List>
struct ShapeLine {
  List jobs;
  Cause said = Cause::readiness;   // the cause last reported
  bool spoken = false;             // any cause was reported yet
  std::uint64_t dead_in_pass = 0;  // it was found that none of its jobs can start in this pass

  /// Reports why the jobs of `shape`, which is this line's, wait; once for as long as it stays so.
  void say(Plan& plan, ShapeId shape, Cause cause) {
    if (spoken && said == cause) return;
    spoken = true;
    said = cause;
    plan.explain(shape, cause);
  }
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
    Line& line = lines_[shape];
    if (line.jobs.empty())
      active_.insert(std::lower_bound(active_.begin(), active_.end(), shape), shape);
    line.jobs.insert(item);
  }
  template <class Item>
  void erase(ShapeId shape, const Item& item) {
    Line& line = lines_[shape];
    line.jobs.erase(item);
    if (line.jobs.empty()) active_.erase(std::lower_bound(active_.begin(), active_.end(), shape));
  }

 private:
  IdVector<ShapeId, Line> lines_;
  std::vector<ShapeId> active_;
};

}  // namespace muster
