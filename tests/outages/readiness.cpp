// Workers become ready one by one, and a gang works when the last one is.

#include <cmath>

#include "catch.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;
using Law = OutagePlan::Readiness::Law;

namespace {

OutagePlan ready(Law law, Duration time, bool gating,
                 std::vector<OutagePlan::Outage> outages = {}) {
  OutagePlan plan = plan_of(std::move(outages));
  plan.readiness = {law, time, 1, gating};
  return plan;
}

}  // namespace

TEST_CASE(
    "a gang starts to work when its workers are ready, and pays for that again at a restart") {
  const Workload w = workload({job(0s, 2, 60s).checkpoints(20s, 3s), job(5s, 2, 10s)});
  for (const bool gating : {true, false}) {
    const Held h = held(2, 1, "easy", w, ready(Law::fixed, 10s, gating, {down({0}, 55s, 60s)}));
    CHECK(h.verdict == "");
    // 45 s of work by then, of which 40 are kept; ready again at 70, and restored at 73.
    CHECK(h.end("a") == 60s + 10s + 3s + 20s);
    CHECK(h.end("b") == 93s + 20s);
    CHECK(h.gpu_s(GpuClass::lost) == 2 * 5);
    CHECK(h.gpu_s(GpuClass::starting) == 2 * (10 + 13 + 10));
    CHECK(h.gpu_s(GpuClass::hoarded) == 0);  // all are ready at once
  }
}

TEST_CASE("a gang that is interrupted before it is ready has paid for that long") {
  const Workload w = workload({job(0s, 2, 60s)});
  const Held h = held(2, 1, "easy", w, ready(Law::fixed, 10s, false, {down({0}, 4s, 6s)}));
  CHECK(h.verdict == "");
  CHECK(h.end("a") == 6s + 70s);
  CHECK(h.gpu_s(GpuClass::starting) == 2 * 14);
  CHECK(h.gpu_s(GpuClass::lost) == 0);
}

TEST_CASE(
    "workers wait for the last of eight as long as theory says, and are seen to without gating") {
  constexpr int kJobs = 600;
  std::vector<TestJob> jobs;
  for (int i = 0; i < kJobs; ++i) jobs.push_back(job(0s, 32, 10s));
  const Workload w = workload(jobs);
  const Held on = held(8, 4, "fifo", w, ready(Law::exponential, 100s, true)),
             off = held(8, 4, "fifo", w, ready(Law::exponential, 100s, false));
  CHECK(on.verdict == "");
  CHECK(off.verdict == "");
  CHECK(on.summary.end == off.summary.end);
  CHECK(on.summary.fingerprint != off.summary.fingerprint);  // their books differ
  CHECK(on.gpu_s(GpuClass::hoarded) == 0);
  const auto seconds_of = [](const Held& h, GpuClass c) {
    return static_cast<double>(h.gpu_s(c)) / (kJobs * 32);
  };
  // The last of eight: the mean times 1 + 1/2 + ... + 1/8, variance 1 + 1/4 + ... + 1/64.
  const double last = 100 * 2.717857, spread = 100 * 1.235961 / std::sqrt(kJobs);
  CHECK(std::abs(seconds_of(on, GpuClass::starting) - last) < 3.5 * spread);
  CHECK(std::abs(seconds_of(off, GpuClass::starting) - 100) < 3.5 * 100 / std::sqrt(kJobs * 8));
  CHECK(seconds_of(off, GpuClass::hoarded) ==
        Approx(seconds_of(on, GpuClass::starting) - seconds_of(off, GpuClass::starting)));
}

TEST_CASE("the scheduler does not know when workers will be ready") {
  // c would start at 100 by a's estimate; a takes longer, and b, which ends by then, was let in.
  const Workload w = workload({job(0s, 1, 100s), job(5s, 1, 90s), job(1s, 2, 10s)});
  const Held h = held(2, 1, "easy", w, ready(Law::fixed, 30s, true));
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 5s);
  CHECK(h.start("c") == 130s);
}

TEST_CASE("the books balance where the window closes before the last worker is ready") {
  EngineOptions options;
  options.horizon = 50s;
  options.on_livelock = OnLivelock::go_on;
  const Held h = held(Fleet::uniform(8, 1), "fifo", workload({job(0s, 8, 60s)}),
                      ready(Law::exponential, 100s, false), options);
  CHECK(h.verdict == "");
  CHECK(h.gpu_s(GpuClass::hoarded) > 0);
  CHECK(h.gpu_s(GpuClass::run_compute) == 0);
}
