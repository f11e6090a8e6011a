// A whole run: where its window ends, and what the books say of those who are still there.

#include "muster/lab/replay.hpp"

#include <unistd.h>

#include <fstream>

#include "catch.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

Summary replayed(const std::string& trace, const std::string& fleet, const std::string& policy,
                 const std::vector<std::string>& set = {}) {
  std::string name = (fs::temp_directory_path() / "muster-replay-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const fs::path folder = name;
  std::ofstream{folder / "t.csv"} << trace;
  ExperimentSpec spec;
  spec.set_text("/fleet", fleet, "--fleet");
  spec.set_text("/workload/trace", (folder / "t.csv").string(), "--trace");
  spec.set_text("/policy", policy, "--policy");
  for (const std::string& assignment : set) spec.set(assignment);
  const Experiment experiment = spec.load();
  Results results{folder / "out", experiment.trace.workload};
  const Summary summary = replay(experiment, loads_of(experiment), results, {});
  fs::remove_all(folder);
  return summary;
}

Int128 gpu_seconds(const Summary& s, GpuClass c) {
  return s.gpu_time[static_cast<std::size_t>(c)] / 1'000'000'000'000;
}

}  // namespace

TEST_CASE("the window ends with the last job, whatever passes were asked for") {
  // Estimates are missing, so plans reach a day ahead; with an interval a pass is due at 3600 s.
  const std::string two = "job,submit,gpus,duration\na,0,8,100\nb,1,8,100\n";
  for (const char* policy :
       {"fifo", "conservative", "easy:reservations=2", "batch:backfill=easy,promise=pinned",
        "tiresias", "gavel_las", "edl"}) {
    CAPTURE(policy);
    const Summary s = replayed(two, "1x8", policy);
    CHECK(s.count(JobState::completed) == 2);
    const bool by_rounds = policy == std::string{"gavel_las"};  // the second starts at 360 s
    CHECK((s.to - kStart).count() / 1'000'000'000 == (by_rounds ? 460 : 200));
    CHECK(gpu_seconds(s, GpuClass::run_compute) == 8 * 200);
  }
  CHECK(replayed("job,submit,gpus,duration\na,0,8,100\n", "1x8", "fifo",
                 {"/engine/scheduling_interval=1h"})
            .to.time_since_epoch() == 100s);
  // A horizon is where the books close, also if nothing happens until then.
  CHECK(replayed(two, "1x8", "conservative", {"/engine/horizon=1000s"}).to.time_since_epoch() ==
        1000s);
}

TEST_CASE("who still pays for a restart when the window closes is starting, not running") {
  // a is evicted at 10 s, comes back at 20 s and has paid 20 s of its 60 s at 40 s.
  const Summary s =
      replayed("job,submit,gpus,duration,restart_cost,priority\na,0,8,100,60,0\nb,10,8,10,,5\n",
               "1x8", "priority_preempt", {"/engine/horizon=40s"});
  CHECK(gpu_seconds(s, GpuClass::starting) == 8 * 20);
  CHECK(gpu_seconds(s, GpuClass::run_compute) == 8 * 10);
  CHECK(gpu_seconds(s, GpuClass::lost) == 8 * 10);
  // The same for one that is resized, at 20 s from 8 GPUs to 4: it pays until 80 s.
  const Summary resized =
      replayed("job,submit,gpus,duration,min_gpus,max_gpus\na,0,4,1000,2,8\nb,20,4,10,4,4\n", "1x8",
               "edl:resize_cost=60s", {"/engine/horizon=28s"});
  CHECK(gpu_seconds(resized, GpuClass::starting) == 4 * 8);
  CHECK(gpu_seconds(resized, GpuClass::run_compute) == 8 * 20 + 4 * 8);
}
