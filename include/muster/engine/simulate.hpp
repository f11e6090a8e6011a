#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "muster/engine/outages.hpp"
#include "muster/engine/record.hpp"
#include "muster/policy/cost_options.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/policy.hpp"
#include "muster/policy/speed.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

struct Disturbances;

enum class Passes : std::uint8_t { instant, event };
enum class OnLivelock : std::uint8_t { stop, go_on };

/// How the engine runs, whatever the policy. JSON: /engine/...
struct EngineOptions {
  Passes passes = Passes::instant;  // CONVENTIONS C2, C16
  Duration scheduling_interval{};   // 0: a pass at every instant at which something happened
  bool cancel_running = false;      // `cancel` also stops a job that runs by then
  Duration horizon = kUnknown;      // stop the clock here; jobs may be left running or waiting
  OnLivelock on_livelock = OnLivelock::stop;
  std::int64_t livelock_evictions = 12;  // same pair of jobs, without progress of either
  Duration starvation_after = kUnknown;  // name jobs that waited longer while later ones started
  std::string speedup = "linear";        // the speed model: how fast jobs get on at other sizes
  SpeedOptions speed;
  CostOptions cost;  // JSON: /cost/...
  /// When nodes are not there; null: they always are. An experiment says it beside the engine's options.
  std::shared_ptr<const OutagePlan> outages;
  /// When GPUs and links are slow; null: they never are. Also beside the engine's options.
  std::shared_ptr<const Disturbances> disturbances;

  /// Whether there is a horizon; an unlimited one is none.
  bool cuts_off() const { return horizon != kUnknown && horizon != kUnlimited; }
  void walk(ParamVisitor& visit);
};

/// Something the run is told to look out for and found. Each is said once, in words.
struct Finding {
  enum class Kind : std::uint8_t { deadlock, livelock, starvation };
  Kind kind;
  SimTime from, to;
  std::vector<JobId> jobs;
  std::string text;  // "A and B evicted each other 12 times between 10 s and 1200 s"
};

/// What became of GPUs and nodes that are slow, and of the jobs on them.
struct StragglerCounts {
  std::uint64_t episodes = 0;  // times that something became slow
  std::uint64_t alarms = 0;    // a node was found slower than the others of its job, rightly ...
  std::uint64_t false_alarms = 0;  // ... or not
  std::uint64_t replaced = 0;      // nodes that a job got another one for
  std::uint64_t excluded = 0;      // nodes that were taken out of service
  std::uint64_t stopped = 0;       // jobs that had to wait again for that
  std::uint64_t worn_links = 0;    // times that a link was drawn to carry less
  bool any() const { return episodes + alarms + false_alarms + worn_links > 0; }
};

/// What became of attempts that fail by themselves, as the trace has it.
struct OwnFailures {
  std::uint64_t attempts = 0;  // that failed
  std::uint64_t given_up = 0;  // after which there was no other one, because of the limit
  Int128 lost = 0;             // by those that were tried again, in thousandth-GPU nanoseconds
};

struct RunSummary {
  std::uint64_t fingerprint = 0;  // FNV-1a over every Record
  std::uint64_t records = 0;
  std::uint64_t passes = 0;
  SimTime first_submit = kStart;
  SimTime end = kStart;               // of the accounting window: last end, or the horizon
  std::uint64_t broken_promises = 0;  // jobs that started after the first time promised to them
  bool stopped_early = false;         // by a finding, the horizon or an interrupt
  std::vector<Finding> findings;
  std::vector<Rejection> rejections;
  std::vector<ReservationOutcome> reservations;  // in the order in which they were asked for
  std::vector<OutageCount> outages;              // by cause
  StragglerCounts stragglers;
  OwnFailures own_failures;
  std::vector<OpenRun> open_runs;     // by job
  std::vector<std::string> warnings;  // "estimate_missing: ..."
};

/// Called every few hundred instants; returning false ends the run in order.
struct Progress {
  SimTime now;
  std::uint64_t submitted = 0, ended = 0, jobs = 0;
};
using ProgressFn = std::function<bool(const Progress&)>;

/// Runs `workload` on `fleet` to completion. Everything it needs comes in and everything it learns
/// goes out through the arguments: no globals, so runs may go side by side on threads.
RunSummary simulate(const Fleet& fleet, const Workload& workload, Policy& policy,
                    const EngineOptions& options, Observer& observer,
                    const ProgressFn& progress = {}, std::uint64_t seed = 1);

}  // namespace muster
