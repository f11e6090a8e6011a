// What EASY and conservative=compress promise, they keep: with estimates that nobody overruns, no job
// starts after the first time that it was promised.

#include "support/peers.hpp"
#include "support/random_runs.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// Newcomers go to the end of the queue, and nothing but running jobs stands in the way: the terms
/// under which a promise is one.
Spice plain(bool exact) {
  Spice spice;
  spice.dependencies = spice.preemption_terms = spice.limits = false;
  spice.wrong_estimates = !exact;
  return spice;
}

std::uint64_t broken(const Fleet& fleet, const Workload& w, const std::string& spec,
                     Passes passes) {
  EngineOptions options;
  options.passes = passes;
  options.cancel_running = true;
  RunSummary summary;
  timetable(fleet, w, spec, options, &summary);
  return summary.broken_promises;
}

void real_trace(const std::filesystem::path& file, const char* format, const Fleet& fleet,
                const std::string& spec) {
  if (!present(file)) return;
  ReadOptions options;
  options.format = format;
  options.skip_bad_rows = true;
  const Workload w = read_trace(file, options).workload;
  INFO(spec << " on " << file.filename().string());
  CHECK(broken(fleet, w, spec, Passes::instant) == 0);
}

}  // namespace

TEST_CASE("no promise of EASY is broken in drawn runs") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Stream r(seed, "easy promises");
    const Fleet fleet = parse_fleet(draw_fleet(r), "drawn");
    const Workload w = workload(draw_jobs(r, fleet, 40, plain(r.chance(0.5))));
    const std::string spec =
        std::string{"batch:backfill=easy,default_estimate=3600,candidates="} +
        one_of(r, {"order", "shortest"}) +
        ",placer=" + one_of(r, {"pack", "first", "spread", "random"}) +
        ",span=" + one_of(r, {"whole_nodes", "idle_nodes", "most_free", "any"}) +
        ",promise=" + one_of(r, {"time", "pinned"});
    INFO("seed " << seed << ": " << spec);
    CHECK(broken(fleet, w, spec, r.chance(0.5) ? Passes::event : Passes::instant) == 0);
  }
}

// Plans are made anew, so somebody who leaves early may bring one forward at the cost of another.
TEST_CASE("none of EASY's several promises is broken where jobs end when they said") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Stream r(seed, "several promises");
    const Fleet fleet = Fleet::uniform(4 + static_cast<std::uint32_t>(r.below(20)), 1);
    Spice spice = plain(true);
    spice.shapes = spice.cancels = false;
    const Workload w = workload(draw_jobs(r, fleet, 40, spice));
    const std::string spec = std::string{"batch:backfill=easy,reservations="} +
                             one_of(r, {"2", "3"}) + ",promise=" + one_of(r, {"time", "pinned"});
    INFO("seed " << seed << ": " << spec);
    CHECK(broken(fleet, w, spec, r.chance(0.5) ? Passes::event : Passes::instant) == 0);
  }
}

TEST_CASE("no promise of EASY is broken on GPUs in MIG mode, whatever making an instance takes") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Stream r(seed, "MIG promises");
    const Fleet fleet = parse_fleet(draw_mig_fleet(r), "drawn");
    Spice spice = plain(r.chance(0.5));
    spice.mig = true;
    const Workload w = workload(draw_jobs(r, fleet, 60, spice));
    const std::string spec = std::string{"batch:backfill=easy,default_estimate=3600,candidates="} +
                             one_of(r, {"order", "shortest"}) +
                             ",mig_placement=" + one_of(r, {"keep_largest", "first_free"}) +
                             ",mig_reconfigure=" + std::to_string(r.below(20)) +
                             ",promise=" + one_of(r, {"time", "pinned"});
    INFO("seed " << seed << ": " << spec);
    CHECK(broken(fleet, w, spec, r.chance(0.5) ? Passes::event : Passes::instant) == 0);
  }
}

TEST_CASE("no promise of conservative=compress is broken in drawn runs") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Stream r(seed, "conservative promises");
    const Fleet fleet = Fleet::uniform(8 + static_cast<std::uint32_t>(r.below(60)), 1);
    Spice spice = plain(r.chance(0.5));
    spice.shapes = false;
    const Workload w = workload(draw_jobs(r, fleet, 40, spice));
    const std::string spec =
        std::string{
            "batch:backfill=conservative,conservative=compress,default_estimate=3600,promise="} +
        one_of(r, {"time", "pinned"});
    INFO("seed " << seed << ": " << spec);
    CHECK(broken(fleet, w, spec, r.chance(0.5) ? Passes::event : Passes::instant) == 0);
  }
}

TEST_CASE("no promise of EASY is broken on real traces") {
  real_trace(traces() / "hpc_sc15/SDSC-SP2.csv.gz", "hpc-list", Fleet::uniform(128, 1),
             "batch:backfill=easy");
  real_trace(oracles() / "hpc/KTH-SP2/jobs.csv.gz", "hpc-list", Fleet::uniform(100, 1),
             "batch:backfill=easy");
  for (const char* list :
       {"philly/philly_all_2017-08_10.csv.zst", "philly/philly_pollux_2017-09_10.csv.zst"})
    real_trace(traces() / list, "philly", Fleet::uniform(64, 8),
               "batch:backfill=easy,estimates=perfect");
}
