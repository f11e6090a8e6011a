// Worker by worker, without a gang: what is held in vain, what comes of it, and what is said of it.

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/engine/why.hpp"
#include "muster/metrics/books.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kTwo = Fleet::uniform(2, 4);
const Fleet kFour = Fleet::uniform(4, 1);

/// Two gangs of two whole nodes, on two nodes.
std::vector<TestJob> two_gangs() {
  return {job(0s, 0, 20s).nodes(2, 4).named("a"), job(0s, 0, 20s).nodes(2, 4).named("b")};
}

struct Booked {
  RunSummary run;
  Summary summary;
  std::int64_t gpu_s(GpuClass c) const {
    return static_cast<std::int64_t>(summary.gpu_time[static_cast<std::size_t>(c)] /
                                     1'000'000'000'000);
  }
};
Booked booked(const std::string& spec, const std::vector<TestJob>& jobs, const Fleet& fleet,
              const EngineOptions& options = {}) {
  const auto p = policy(spec);
  const Workload w = workload(jobs);
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(w, fleet, p->cutting()))
    demands.push_back({d.total_milli(), d.pools});
  Books books(fleet, w, demands);
  Booked b;
  b.run = simulate(fleet, w, *p, options, books);
  books.close(b.run);
  b.summary = books.summary();
  return b;
}

}  // namespace

TEST_CASE("gangs whose workers take turns wait for each other for ever") {
  const Booked b = booked("independent", two_gangs(), kTwo);
  REQUIRE(b.run.findings.size() == 1);
  const Finding& f = b.run.findings.front();
  CHECK(f.kind == Finding::Kind::deadlock);
  CHECK(f.from == kStart);
  CHECK(f.jobs == std::vector<JobId>{JobId{0}, JobId{1}});
  CHECK(f.text ==
        "no job runs, and incomplete gangs wait for each other: a holds 4 of 8 GPUs (n0) and waits "
        "for 4 more; b holds 4 of 8 GPUs (n1) and waits for 4 more; 0 GPUs are free; the books end "
        "here, at 0 s: on_livelock=go_on and a horizon let them tell what is held in vain until "
        "then");
}

TEST_CASE("the older gang's workers first: no deadlock") {
  CHECK(schedule("independent:interleave=false", two_gangs(), kTwo) == R"(
|aabb|
|aabb|
)");
}

TEST_CASE("the books of a deadlock end with the last thing that happened, or with the horizon") {
  SECTION("at the first instant: a window of nothing") {
    const Booked b = booked("independent", two_gangs(), kTwo);
    CHECK(b.summary.to - b.summary.from == 0s);
    CHECK(b.gpu_s(GpuClass::hoarded) == 0);
  }
  SECTION("after something ran") {
    // a runs on one of three nodes until 30; b and c come at 10 and take one each of the others,
    // then b the third.
    const Booked b =
        booked("independent",
               {job(0s, 4, 30s), job(10s, 0, 20s).nodes(3, 4), job(10s, 0, 20s).nodes(3, 4)},
               Fleet::uniform(3, 4));
    CHECK(b.summary.to - b.summary.from == 30s);
    CHECK(b.gpu_s(GpuClass::hoarded) == 8 * 20);
    CHECK(b.run.findings.front().from == kStart + 30s);
  }
  SECTION("up to the horizon, if the run goes on") {
    EngineOptions options;
    options.horizon = 1h;
    options.on_livelock = OnLivelock::go_on;
    const Booked b = booked("independent", two_gangs(), kTwo, options);
    CHECK(b.summary.to - b.summary.from == 1h);
    CHECK(b.gpu_s(GpuClass::hoarded) == 8 * 3600);
    CHECK(b.run.findings.front().text.find("the books end") == std::string::npos);
  }
}

TEST_CASE(
    "a cancellation that is still to come breaks a deadlock, one of a job that ended does not") {
  SECTION("b is withdrawn at 30") {
    std::vector<TestJob> jobs = two_gangs();
    jobs[1].cancel(30s);
    const Booked b = booked("independent", jobs, kTwo);
    CHECK(b.run.findings.empty());
    CHECK(schedule("independent", jobs, kTwo) == R"(
|...aa|
|...aa|
)");
  }
  SECTION("a third job would have been withdrawn at 1000, and ended at 10") {
    std::vector<TestJob> jobs{job(0s, 1, 10s).cancel(1000s)};
    for (const char* name : {"a", "b"}) jobs.push_back(job(20s, 0, 20s).nodes(2, 4).named(name));
    const Booked b = booked("independent", jobs, kTwo);
    REQUIRE(b.run.findings.size() == 1);
    CHECK(b.run.findings.front().from == kStart + 20s);
    CHECK(b.run.end == kStart + 20s);
  }
}

TEST_CASE("a run that goes on has an end where nothing but turns in vain is left, and only there") {
  EngineOptions options;
  options.on_livelock = OnLivelock::go_on;
  const auto no_end = [](const Booked& b) {
    return std::any_of(b.run.warnings.begin(), b.run.warnings.end(),
                       [](const std::string& w) { return w.starts_with("no_end: "); });
  };
  const std::string spec = "independent:timeout=60";
  std::vector<TestJob> jobs = two_gangs();
  SECTION("two gangs alone: after the hundredth livelock") {
    const Booked b = booked(spec, jobs, kTwo, options);
    CHECK(no_end(b));
    CHECK(b.run.stopped_early);
    CHECK(b.run.findings.size() == 100);
  }
  SECTION("one of them is withdrawn long after that: the other one runs") {
    jobs[1].cancel(1'000'000s);
    const Booked b = booked(spec, jobs, kTwo, options);
    CHECK(!no_end(b));
    CHECK(!b.run.stopped_early);
    CHECK(b.summary.count(JobState::completed) == 1);
  }
  SECTION("a third job comes long after that and brings them out of step: all are done") {
    jobs.push_back(job(1'000'000s, 4, 20s));
    const Booked b = booked(spec, jobs, kTwo, options);
    CHECK(!no_end(b));
    CHECK(b.summary.count(JobState::completed) == 3);
  }
  SECTION("it leaves them in step: livelocks are counted from its end on") {
    jobs.push_back(job(1'000'000s, 4, 1s));
    const Booked b = booked(spec, jobs, kTwo, options);
    CHECK(no_end(b));
    CHECK(b.summary.count(JobState::completed) == 1);
    CHECK(b.run.end > kStart + 1'060'000s);  // a hundred livelocks more, 12 turns of 60 s each
  }
  SECTION("a horizon is an end") {
    options.horizon = 500'000s;
    const Booked b = booked(spec, jobs, kTwo, options);
    CHECK(!no_end(b));
    CHECK(b.summary.to - b.summary.from == 500'000s);
  }
}

TEST_CASE("every gang's time-out is kept, whoever else asks for an earlier pass") {
  // a holds one GPU until 200; b and c want four. b takes three and gives them back at 50, to try
  // again at 60; c takes them at 50, and at 60 b finds nothing: c gives back at 100 all the same. So
  // b has them at 100, c at 150, and b again at 200, when a ends and c's time is up.
  CHECK(schedule("independent:timeout=50,backoff=10",
                 {job(0s, 1, 200s), job(0s, 4, 50s), job(10s, 4, 50s)}, kFour) == R"(
|aaaaaaaaaaaaaaaaaaaabbbbbccccc|
|....................bbbbbccccc|
|....................bbbbbccccc|
|....................bbbbbccccc|
)");
}

TEST_CASE("gangs that only take turns at giving back are a livelock") {
  const Booked b = booked("independent:timeout=50,backoff=10", two_gangs(), kTwo);
  REQUIRE(b.run.findings.size() == 1);
  CHECK(b.run.findings.front().kind == Finding::Kind::livelock);
  CHECK(b.run.findings.front().text ==
        "a, b took turns giving back incomplete gangs; a did so 12 times between 50 s and 710 s "
        "without ever being complete");
  CHECK(b.gpu_s(GpuClass::hoarded) == 12 * 50 * 8);
}

TEST_CASE("what a worker is") {
  // a and b leave two GPUs free on each node.
  const std::vector<TestJob> busy{job(0s, 2, 50s), job(0s, 2, 50s)};
  const auto third = [&](const std::string& spec, const TestJob& c) {
    std::vector<TestJob> jobs = busy;
    jobs.push_back(c);
    return schedule("independent:placer=spread" + spec, jobs, kTwo);
  };
  SECTION("a bare request up to a node is one") {
    CHECK(third("", job(10s, 4, 20s)) == R"(
|aaaaacc|
|bbbbb..|
)");
  }
  SECTION("unless workers are smaller") {
    CHECK(third(",worker_gpus=2", job(10s, 4, 20s)) == R"(
|a**aa|
|b**bb|
)");
  }
  SECTION(
      "so is each task, whatever its size: the small one takes its GPU at 10, the other at 50") {
    std::vector<TestJob> jobs = busy;
    jobs.push_back(job(10s, 0, 20s).tasks("3+1"));
    const Booked b = booked("independent:placer=spread,worker_gpus=2", jobs, kTwo);
    CHECK(b.gpu_s(GpuClass::hoarded) == 1 * 40);
    CHECK(b.summary.to == kStart + 70s);
  }
  SECTION("and each node of a request for nodes; two of them may share one") {
    CHECK(third("", job(50s, 0, 20s).nodes(2, 2)) == R"(
|aaaaacc|
|bbbbbcc|
)");
    CHECK(schedule("independent:placer=pack", {job(0s, 0, 20s).nodes(2, 2)}, kTwo) == R"(
|**|
|..|
)");
  }
}

TEST_CASE("why an incomplete gang waits") {
  const std::vector<TestJob> jobs{job(0s, 4, 30s), job(10s, 0, 20s).nodes(2, 4).named("wide")};
  const Workload w = workload(jobs);
  const WhyReport report = why(kTwo, w, *policy("independent"), {}, JobId{1}, {});
  CHECK(report.at.cause == Cause::capacity);
  CHECK(report.at.text ==
        "holds 4 GPUs, 1 worker of it still waits; the next needs 1 whole node (4 GPUs); 0 GPUs "
        "are free");
}

TEST_CASE("times of independent that mean nothing are refused") {
  CHECK_THROWS_AS(policy("independent:timeout=0"), InputError);
  CHECK_THROWS_AS(policy("independent:timeout=60,backoff=0"), InputError);
}
