#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "muster/cluster/cluster.hpp"
#include "muster/cluster/fit.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// EASY's only reservation (Lifka, JSSPP 1995; Mu'alem & Feitelson, TPDS 2001; CONVENTIONS C5, C15):
/// the earliest time at which the head fits by the running jobs' predicted ends. A later job may
/// start if it ends by then, or if the head still fits then with that job in place.
///
/// Where GPUs are alike for the head, "fits" is a number and the rest is `extra`. Otherwise the
/// cluster as it will be at the shadow time is kept beside the real one, and asked. So it is where
/// outages and reservations are known (CONVENTIONS C12): the head needs its GPUs for as long as it runs.
class Shadow {
 public:
  /// The head's earliest start; reuses the last answer where nothing can have changed it. kNever if
  /// the head does not fit even when all running jobs have ended.
  SimTime compute(const View& view, JobId head, const Demand& d);
  SimTime at() const { return at_; }
  /// Another number whenever the answer was looked for anew: what was concluded from an earlier one is past.
  std::uint64_t version() const { return version_; }

  /// Something ended, was preempted or overran: look again.
  void invalidate() { head_ = kNoJob; }

  /// Whether the head keeps its time if a job holds `slices` at the shadow time.
  bool leaves_room(const View& view, std::span<const Slice> slices, std::uint32_t milli);
  /// The same by number, where the head counts: definitely yes / definitely no / ask leaves_room.
  std::optional<bool> leaves_room_by_count(const Demand& candidate) const;

  /// A job was started now; `end` is its predicted end.
  void started(const View& view, std::span<const Slice> slices, std::uint32_t milli, SimTime end);

 private:
  SimTime by_count(const View& view);
  SimTime by_shape(const View& view);
  SimTime by_calendar(const View& view);

  JobId head_ = kNoJob;
  std::uint64_t version_ = 0;
  const Demand* demand_ = nullptr;
  bool counts_ = false;
  SimTime at_ = kNever;
  std::int64_t extra_ = 0;         // counts: GPUs free at the shadow time beyond the head's
  std::optional<Cluster> future_;  // otherwise: the cluster at the shadow time
  bool future_holds_ = false;      // it was made for the present head
};

}  // namespace muster
