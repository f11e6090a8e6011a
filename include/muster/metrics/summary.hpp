#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/cost/traffic.hpp"
#include "muster/engine/simulate.hpp"
#include "muster/ledger/gpu_class.hpp"
#include "muster/metrics/outcomes.hpp"
#include "muster/metrics/spread.hpp"
#include "muster/workload/builder.hpp"

namespace muster {

/// All numbers of a run, with names in place of ids: it needs neither fleet nor workload to be
/// written, compared or shown.
struct Summary {
  struct Found {
    Finding::Kind kind = Finding::Kind::deadlock;
    SimTime from, to;
    std::vector<std::string> jobs;
    std::string text;
  };
  struct Refused {
    std::string job, code, text;
  };

  std::uint64_t fingerprint = 0;
  std::uint64_t records = 0, passes = 0;
  std::string fleet;                   // as it was named
  std::int64_t installed_milli = 0;    // thousandths of a GPU
  SimTime from = kStart, to = kStart;  // the window: first submit to last end, half open
  bool stopped_early = false;

  std::uint64_t jobs = 0;                          // in the workload
  std::array<std::uint64_t, kJobStates> states{};  // by JobState
  Group all;
  std::vector<Group> by_size, by_queue, by_user;

  GpuTimes gpu_time{};
  Int128 useful_gpu_time = 0;               // kept work of completed jobs
  std::array<Int128, kCauses> wait_time{};  // nanoseconds, by Cause
  GpuTimeByLevel spread{};                  // of runs that are over
  GpuTimeByLevel waited{};                  // of that, for the network
  std::optional<Traffic> traffic;  // bytes, of runs that are over; where /cost says something

  double fairness = 1;  // Outcomes::fairness()
  std::uint64_t preemptions = 0;
  std::uint64_t interruptions = 0;       // of running jobs, by outages
  std::uint64_t restarts = 0;            // starts after a job's first, and in place after an outage
  double ettr = 1;                       // Outcomes::ettr()
  std::vector<Reliability> reliability;  // by GPUs asked for
  std::vector<OutageCount> outages;      // by cause; empty where no node ever leaves
  std::vector<ReservationOutcome> reservations;
  StragglerCounts stragglers;
  OwnFailures own_failures;
  Reshapes reshapes;
  std::uint64_t broken_promises = 0;
  std::vector<Found> findings;
  std::uint64_t rejected = 0;
  std::vector<Refused> rejections;  // the first 20
  std::vector<std::string> warnings;

  // Set by whoever knows them; Books leaves them empty.
  std::optional<double> offered_load;   // of the whole fleet, see note_load()
  std::optional<double> ettr_expected;  // expected_ettr(), where failures are drawn
  std::optional<TraceReport> trace;
  std::string experiment;  // JSON text: what is needed to run this again

  std::uint64_t count(JobState s) const { return states[static_cast<std::size_t>(s)]; }
  Duration window() const { return to - from; }

  // GPU time in thousandth-GPU nanoseconds.
  Int128 installed() const { return Int128{installed_milli} * window().count(); }
  Int128 available() const;  // neither down nor in maintenance
  /// The share of the installed GPUs' time that they were.
  double availability() const;
  double interruptions_per_day() const;
  /// The three factors of productivity goodput (Wongpanich et al., arXiv 2502.06982): of the available GPU time
  /// the share that jobs had all that they need; of that, the share of work that is kept; of that, the share
  /// without waiting for the network, stalls and stragglers.
  double scheduling_goodput() const;
  double runtime_goodput() const;
  double program_goodput() const;
  Int128 allocated() const { return muster::allocated(gpu_time); }
  Int128 ran() const { return muster::ran(gpu_time); }
  /// Of the GPU time of gangs on several nodes, the part of those that no domain of this level holds;
  /// nothing if there are no such gangs.
  std::optional<double> across(Level level) const;
};

/// `part` / `whole`, 0 if there is no whole.
double share(Int128 part, Int128 whole);

std::string_view name(Finding::Kind);  // "livelock"

}  // namespace muster
