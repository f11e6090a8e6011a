#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "muster/engine/simulate.hpp"

namespace muster {

struct SweepOptions {
  std::uint64_t seeds = 30, first_seed = 1;
  std::size_t threads = 1;
  Duration lasts{};                           // of each run, where that is known before
  std::function<bool()> interrupted;          // asked every few hundred instants of each run
  std::function<void(double part)> progress;  // of all runs; from one thread at a time
};

/// Calls run(setting, nth, goes_on) for each setting and each of the seeds, on threads; `goes_on` is for
/// simulate(). What one throws is thrown from here, once all threads are done. False: it was interrupted,
/// and not all were run.
bool sweep(std::size_t settings, const SweepOptions& options,
           const std::function<void(std::size_t setting, std::size_t nth, const ProgressFn&)>& run);

}  // namespace muster
