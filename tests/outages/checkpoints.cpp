// Jobs that stop working while they write checkpoints, and how often they should.

#include "catch.hpp"
#include "muster/engine/failure_laws.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

Workload costing(const std::vector<TestJob>& jobs, Duration cost) {
  Workload w = workload(jobs);
  w.checkpoint_cost.assign(w.size(), cost);
  return w;
}

}  // namespace

TEST_CASE("a checkpoint takes its time, and none is written at the end") {
  for (const auto& [work, end] : {std::pair{100s, 115s}, {90s, 100s}, {91s, 106s}, {30s, 30s}}) {
    const Workload w = costing({job(0s, 1, work).checkpoints(30s)}, 5s);
    const Held h = held(1, 1, "easy", w, plan_of({down({0}, 500s, 600s)}));
    CHECK(h.verdict == "");
    CHECK(h.end("a") == end);
    CHECK(h.gpu_s(GpuClass::checkpoint) == (end - work) / 1s);
  }
}

TEST_CASE("a checkpoint counts when it is written, and not before") {
  const Workload w = costing({job(0s, 1, 100s).checkpoints(30s)}, 5s);
  // While the second one is written (65 to 70), and as it is there.
  for (const auto& [fails, kept, lost] :
       {std::tuple{67s, 30s, 30}, {70s, 60s, 0}, {50s, 30s, 15}}) {
    const Held h = held(1, 1, "easy", w, plan_of({down({0}, fails, 200s)}));
    INFO("fails at " << fails.count());
    CHECK(h.verdict == "");
    const Duration rest = 100s - kept;
    CHECK(h.end("a") == 200s + rest + 5s * ((rest - 1s) / 30s));
    CHECK(h.gpu_s(GpuClass::lost) == lost);
  }
}

TEST_CASE("a job that is cut off by the horizon has written its checkpoints, too") {
  const Workload w = costing({job(0s, 1, 100s).checkpoints(30s)}, 5s);
  EngineOptions options;
  options.horizon = 52s;
  const Held h = held(1, 1, "easy", w, plan_of({down({0}, 500s, 600s)}), options);
  CHECK(h.verdict == "");
  CHECK(h.gpu_s(GpuClass::checkpoint) == 5);
  CHECK(h.gpu_s(GpuClass::run_compute) == 47);
}

TEST_CASE("a checkpoint that is written in the background counts once it is there") {
  // Taken after 30 and 60 s of work, each there 12 s later. A restart has its 5 s first.
  const Workload w = workload({job(0s, 1, 100s).checkpoints(30s, 5s)});
  for (const auto& [fails, kept] : {std::tuple{41s, 0s}, {42s, 30s}, {65s, 30s}, {72s, 60s}}) {
    OutagePlan plan = plan_of({down({0}, fails, 200s)});
    plan.write_time.assign(1, 12s);
    const Held h = held(1, 1, "easy", w, plan);
    INFO("fails at " << fails.count());
    CHECK(h.verdict == "");
    CHECK(h.end("a") == 205s + (100s - kept));
    CHECK(h.gpu_s(GpuClass::lost) == (fails - kept) / 1s);
    CHECK(h.gpu_s(GpuClass::checkpoint) == 0);
  }
}

TEST_CASE("a job that stops for a moment goes on while its checkpoint is written") {
  // 30 s of work, 5 s of stop, and 20 s after that the first is there.
  const Workload w = costing({job(0s, 1, 100s).checkpoints(30s)}, 5s);
  for (const auto& [fails, kept] : {std::tuple{54s, 0s}, {55s, 30s}, {89s, 30s}, {90s, 60s}}) {
    OutagePlan plan = plan_of({down({0}, fails, 200s)});
    plan.write_time.assign(1, 20s);
    const Held h = held(1, 1, "easy", w, plan);
    INFO("fails at " << fails.count());
    CHECK(h.verdict == "");
    const Duration rest = 100s - kept;
    CHECK(h.end("a") == 200s + rest + 5s * ((rest - 1s) / 30s));
  }
}

TEST_CASE("promises count the checkpoints that a job will write") {
  const Workload w = costing({job(0s, 1, 100s).checkpoints(30s), job(1s, 1, 10s)}, 5s);
  const Held h = held(1, 1, "easy", w, plan_of({maintenance({0}, 110s, 120s)}));
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 1s);  // a would end at 115 and cross it
  CHECK(h.start("a") == 120s);
}

TEST_CASE("the formulas for the interval") {
  CHECK(young_interval(50s, 10000s) == 1000s);
  // sqrt(2 cost mttf) = 1000 s, x = 0.0025: 1000 (1 + 0.05/3 + 0.0025/9) - 50 = 966.944... s
  CHECK(seconds(daly_interval(50s, 10000s)) == Approx(1000 * (1 + 0.05 / 3 + 0.0025 / 9) - 50));
  CHECK(daly_interval(300s, 100s) == 100s);
}
