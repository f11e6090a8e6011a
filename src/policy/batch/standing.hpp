#pragma once
#include "muster/policy/parts/capacity.hpp"

namespace muster::batch {

/// The plan as it stands: what jobs hold that run, and what those that wait were promised last. While a queue
/// is long it is kept from pass to pass, and a newcomer is promised the earliest time behind all of that; to
/// plan everybody anew for each of them would cost the queue squared. Whoever may start is still found by
/// planning anew (planned.cpp): only what is promised to the far end of the queue rests on this.
class Standing {
 public:
  /// Of a job that waits; at kNever it has none.
  struct Slot {
    SimTime at = kNever;
    Duration length{};
    friend bool operator==(const Slot&, const Slot&) = default;
  };

  void begin(const View& view) { capacity_.begin(view); }
  bool up() const { return up_; }
  void drop() { up_ = false; }

  /// From what runs; slots are added one by one.
  void lay_out(const View& view) {
    capacity_.lay_out(view);
    up_ = true;
  }
  /// What has ended since: before its predicted end, or the plan has forgotten it already.
  void advance(const View& view) {
    capacity_.advance(view.now);
    for (const RunningJob& r : view.ended)
      if (r.end > view.now) capacity_.run(view, r, view.now, r.end, -1);
  }
  void change(const Demand& d, const Slot& before, const Slot& after) {
    if (!up_ || before == after) return;
    if (before.at != kNever) capacity_.plan(d, before.at, before.length, -1);
    if (after.at != kNever) capacity_.plan(d, after.at, after.length, +1);
  }
  void started(const View& view, const RunningJob& r) {
    if (up_) capacity_.run(view, r, view.now, r.end, +1);
  }
  SimTime earliest(const View& view, const Demand& d, Duration length) const {
    return capacity_.of(d).earliest(view.now, d.total_milli(), length);
  }

 private:
  Capacity capacity_;
  bool up_ = false;
};

}  // namespace muster::batch
