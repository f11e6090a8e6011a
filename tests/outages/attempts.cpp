// Jobs that fail by themselves, as their trace has it, and are tried again.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

std::int64_t lost_gpu_s(const OwnFailures& f) {
  return static_cast<std::int64_t>(f.lost / 1'000'000'000'000);
}

OutagePlan retries(std::int64_t most, std::vector<OutagePlan::Outage> outages = {}) {
  OutagePlan plan = plan_of(std::move(outages));
  plan.reaction.retries = most;
  return plan;
}

}  // namespace

TEST_CASE("a job that fails is tried again in its old place, and what it did is lost") {
  const Workload w = workload({job(0s, 2, 40s).fails_after({30s, 20s}), job(10s, 2, 5s)});
  const Held h = held(1, 2, "fifo", w, {});
  CHECK(h.verdict == "");
  // 0 to 30 and 30 to 50 for nothing, 50 to 90 for good; b waits behind it (C3).
  CHECK(h.end("a") == 90s);
  CHECK(h.state("a") == JobState::completed);
  CHECK(h.start("b") == 90s);
  CHECK(h.gpu_s(GpuClass::lost) == 2 * (30 + 20));
  CHECK(h.gpu_s(GpuClass::run_compute) == 2 * (40 + 5));
  CHECK(h.summary.own_failures.attempts == 2);
  CHECK(h.summary.own_failures.given_up == 0);
  CHECK(lost_gpu_s(h.summary.own_failures) == 2 * (30 + 20));
  CHECK(h.report.restarts == 2);
  CHECK(h.report.preemptions == 0);
  CHECK(h.report.interruptions == 0);  // outages have nothing to do with it
}

TEST_CASE("the next attempt goes on from the last completed checkpoint, after a restart") {
  const Workload w = workload({job(0s, 2, 40s).checkpoints(10s, 3s).fails_after({25s})});
  const Held h = held(1, 2, "easy", w, {});
  CHECK(h.verdict == "");
  CHECK(h.end("a") == 25s + 3s + 40s);
  CHECK(h.gpu_s(GpuClass::lost) == 2 * 5);
  CHECK(h.gpu_s(GpuClass::starting) == 2 * 3);
  CHECK(h.gpu_s(GpuClass::run_compute) == 2 * (20 + 40));
  CHECK(lost_gpu_s(h.summary.own_failures) == 2 * 5);
}

TEST_CASE("a job that fails by itself more often than it may be tried again has failed") {
  const Workload w = workload({job(0s, 2, 40s).fails_after({10s, 10s, 10s}), job(0s, 2, 5s)});
  const Held h = held(1, 2, "fifo", w, retries(1));
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::failed);
  CHECK(h.end("a") == 20s);
  CHECK(h.start("b") == 20s);
  CHECK(h.gpu_s(GpuClass::lost) == 2 * 20);
  CHECK(h.summary.own_failures.attempts == 2);
  CHECK(h.summary.own_failures.given_up == 1);
  CHECK(held(1, 2, "fifo", w, retries(3)).state("a") == JobState::completed);
  CHECK(held(1, 2, "fifo", w, retries(0)).end("a") == 10s);
}

TEST_CASE("outages count against the same limit, and an attempt that one hits begins anew") {
  const Workload w = workload({job(0s, 1, 40s).fails_after({10s})});
  const Held h = held(1, 1, "fifo", w, retries(1, {down({0}, 5s, 6s)}));
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::failed);
  CHECK(h.end("a") == 16s);
  CHECK(h.report.interruptions == 1);
  CHECK(held(1, 1, "fifo", w, retries(2, {down({0}, 5s, 6s)})).end("a") == 56s);
}

TEST_CASE("each attempt has the job's limit, and is planned as long as its user says") {
  // b is planned behind a's estimate each time; the second attempt of a would outlive its limit.
  const Workload w = workload({job(0s, 2, 40s).fails_after({20s, 60s}).estimate(50s)});
  const Held h = held(1, 2, "easy", w, {});
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::timeout);
  CHECK(h.end("a") == 20s + 50s);
  CHECK(h.gpu_s(GpuClass::lost) == 2 * 70);
  CHECK(h.gpu_s(GpuClass::run_compute) == 0);
}

TEST_CASE("an attempt that was suspended fails when all of it is done") {
  const Workload w =
      workload({job(0s, 1, 40s).fails_after({10s}).estimate(60s), job(4s, 1, 5s).priority(1)});
  const Held h = held(1, 1, "batch:preemption=suspend", w, {});
  CHECK(h.verdict == "");
  CHECK(h.end("b") == 9s);
  CHECK(h.end("a") == 15s + 40s);
  CHECK(h.gpu_s(GpuClass::lost) == 6);  // of that run (C7)
}

TEST_CASE("why tells which attempt failed") {
  const Workload w = workload({job(0s, 2, 40s).fails_after({30s, 20s})});
  const auto p = policy("fifo");
  const WhyReport report = why(Fleet::uniform(1, 2), w, *p, {}, JobId{0}, std::nullopt, 1);
  std::vector<std::string> texts;
  for (const auto& part : report.timeline) texts.push_back(part.text);
  CHECK(texts ==
        std::vector<std::string>{"then it fails by itself, and is tried again (attempt 2 of 3)",
                                 "then it fails by itself, and is tried again (attempt 3 of 3)",
                                 "then it has ended: COMPLETED"});
}
