// Workers become ready one by one, and a gang works when the last one is.

#include <algorithm>
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
  plan.readiness = {law, time, 1, kUnlimited, gating};
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

namespace {

OutagePlan unstable(Duration time, Duration stays) {
  OutagePlan plan = ready(Law::exponential, time, true);
  plan.readiness.stays = stays;
  return plan;
}

/// Of gangs of so many workers that run one after another for 10 s: seconds until they begin, on average.
double mean_start(std::uint32_t workers, int jobs, const OutagePlan& plan) {
  std::vector<TestJob> all;
  for (int i = 0; i < jobs; ++i) all.push_back(job(0s, workers, 10s));
  const Held h = held(workers, 1, "fifo", workload(all), plan);
  CHECK(h.verdict == "");
  return (seconds(h.summary.end) - 10.0 * jobs) / jobs;
}

}  // namespace

TEST_CASE("workers drop out while they wait for others, as long as theory says") {
  // E0 = t/2 + E1, and from one that is ready 1/(1/t + 1/s) later either both are, or none: with t = s = 100 s
  // E1 = 50 + E0/2, so E0 = 200 s; and 150 s if they stayed.
  CHECK(mean_start(2, 2000, unstable(100s, 100s)) == Approx(200).margin(16));
  CHECK(mean_start(2, 2000, unstable(100s, kUnlimited)) == Approx(150).margin(12));
  // Alone it waits for nobody, and drops out never.
  CHECK(mean_start(1, 2000, unstable(100s, 1s)) == Approx(100).margin(9));
}

TEST_CASE("workers that are never all ready are told") {
  const Held h = held(8, 1, "fifo", workload({job(0s, 8, 10s)}), unstable(1000s, 1s));
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::completed);
  const auto& said = h.summary.warnings;
  CHECK(std::any_of(said.begin(), said.end(), [](const std::string& w) {
    return w.starts_with("never_ready: the 8 workers of job a are as good as never all ready");
  }));
}
