#pragma once
#include <cstdint>

#include "muster/core/id.hpp"
#include "muster/core/int128.hpp"
#include "muster/core/time.hpp"

namespace muster {

/// Storage that jobs write their checkpoints to and read them from, and that those who do so at one
/// instant share. Part of an OutagePlan; never changes in a run.
struct SharedStorage {
  /// Rates are whole numbers of such parts of a kilobyte per second, so that equal shares of up to 16 jobs
  /// are exact.
  static constexpr std::int64_t kParts = 720'720;

  /// How long one of its checkpoints would take if nobody else used the storage. What it has to move is that
  /// time at the rate that it has alone.
  struct Job {
    Duration write{}, read{};
    Int128 rate = 0;  // alone; more it never gets
  };

  Int128 rate = 0;          // for everybody together
  bool background = false;  // jobs go on while they write
  IdVector<JobId, Job> jobs;
};

}  // namespace muster
