// Outages under jobs that run side by side on the same GPUs.

#include "catch.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const std::string kBeside = "batch:skip=true,pack_capacity=100,pack_loads={\"small\": 50}";

TestJob small(Duration submit, Duration duration) {
  return job(submit, 1, duration).model("small");
}

/// GPU-seconds that outages have cost, as they are counted by cause.
double charged_s(const Held& h) {
  Int128 sum = 0;
  for (const OutageCount& count : h.report.outages) sum += count.lost;
  return static_cast<double>(sum) / 1e12;
}

}  // namespace

TEST_CASE("an outage takes as much from one of two jobs side by side as from the other") {
  // What a did before b came is safe: their runs were settled then.
  const Workload w = workload({small(0s, 400s), small(50s, 300s)});
  const Held h = held(1, 1, kBeside, w, plan_of({down({0}, 200s, 210s)}));
  CHECK(h.verdict == "");
  CHECK(h.gpu_s(GpuClass::lost) == 150);
  CHECK(charged_s(h) == 150);
  CHECK(h.report.interruptions == 2);
  CHECK(h.end("a") == 210s + 350s);
  CHECK(h.end("b") == 210s + 300s);
}

TEST_CASE("two jobs side by side hang together until somebody notices") {
  const Workload w = workload({small(0s, 400s), small(50s, 300s)});
  auto plan = plan_of({down({0}, 200s, 260s)});
  plan.reaction.detection = 20s;
  const Held h = held(1, 1, kBeside, w, plan);
  CHECK(h.verdict == "");
  CHECK(h.gpu_s(GpuClass::lost) == 170);
  CHECK(charged_s(h) == 170);
  CHECK(h.end("a") == 260s + 350s);
  CHECK(h.end("b") == 260s + 300s);
}

TEST_CASE("one of two that hang is withdrawn, and with it the other one is noticed") {
  const Workload w = workload({small(0s, 400s).cancel(205s), small(50s, 300s)});
  auto plan = plan_of({down({0}, 200s, 260s)});
  plan.reaction.detection = 20s;
  EngineOptions options;
  options.cancel_running = true;
  const Held h = held(Fleet::uniform(1, 1), kBeside, w, plan, options);
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::cancelled);
  CHECK(h.gpu_s(GpuClass::lost) == 50 + 155);  // b from 50 to 205, and all that a did
  CHECK(h.end("b") == 260s + 300s);
}

TEST_CASE("a job that gets on between outages is no livelock, though each run ends in vain") {
  // Someone comes beside a 2 s after each outage and leaves 3 s later: so much of a's run is settled.
  std::vector<TestJob> jobs{small(0s, 600s)};
  OutagePlan plan = plan_of({});
  for (int i = 0; i < 130; ++i) {
    const Duration from = i * 20s;
    jobs.push_back(small(from + 2s, 3s));
    plan.outages.push_back(down({0}, from + 15s, from + 20s));
  }
  const Workload w = workload(jobs);
  const Held h = held(1, 1, kBeside, w, plan);
  CHECK(h.verdict == "");
  CHECK(h.summary.findings.empty());
  CHECK(h.state("a") == JobState::completed);
  CHECK(h.report.interruptions > 100);
}

TEST_CASE("nobody comes beside a job on a node that is about to be taken down") {
  const Workload w = workload(
      {small(0s, 90s).estimate(90s), small(50s, 60s).estimate(60s), small(50s, 20s).estimate(20s)});
  const Held h = held(1, 1, kBeside, w, plan_of({maintenance({0}, 100s, 150s)}));
  CHECK(h.verdict == "");
  CHECK(h.start("c") == 50s);
  CHECK(h.start("b") == 150s);
  CHECK(h.report.interruptions == 0);
}
