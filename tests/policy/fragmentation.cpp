// "40 % of the fleet is idle, and a job of 64 GPUs does not start": a row of the ledger, a cause in
// the book of waits, and a sentence.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "muster/metrics/books.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// 20 nodes of 8. Sixteen jobs of 5 GPUs and four of 4, one to a node, for 100 s: 64 of 160 GPUs are
/// free, on no node more than 4. At 10 s somebody asks for 64.
struct Scattered {
  Fleet fleet = Fleet::uniform(20, 8);
  Workload w;
  static constexpr const char* kPolicy = "batch:placer=spread";

  Scattered() {
    std::vector<TestJob> jobs;
    for (int i = 0; i < 20; ++i) jobs.push_back(job(0s, i < 16 ? 5 : 4, 100s));
    jobs.push_back(job(10s, 64, 50s).named("wide"));
    w = workload(jobs);
  }
  JobId wide() const { return JobId{20}; }
};

}  // namespace

TEST_CASE("fragmentation stands in the ledger, in GPU-seconds and in waiting time") {
  const Scattered s;
  const auto p = policy(Scattered::kPolicy);
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(s.w, s.fleet, p->cutting()))
    demands.push_back({d.total_milli(), d.pools});
  Books books(s.fleet, s.w, demands);
  const RunSummary run = simulate(s.fleet, s.w, *p, {}, books);
  books.close(run);
  const Summary summary = books.summary();

  constexpr std::int64_t kGpuSecond = 1'000'000'000'000;  // in thousandth-GPU nanoseconds
  const auto gpu_s = [&](GpuClass c) {
    return static_cast<std::int64_t>(summary.gpu_time[static_cast<std::size_t>(c)] / kGpuSecond);
  };
  CHECK(gpu_s(GpuClass::idle_fragmented) == 64 * 90);
  CHECK(gpu_s(GpuClass::idle_no_demand) == 64 * 10 + 96 * 50);
  CHECK(gpu_s(GpuClass::idle_too_few) == 0);
  CHECK(gpu_s(GpuClass::run_compute) == 96 * 100 + 64 * 50);
  const auto wait_s = [&](Cause c) {
    return static_cast<std::int64_t>(summary.wait_time[static_cast<std::size_t>(c)] /
                                     1'000'000'000);
  };
  CHECK(wait_s(Cause::fragmentation) == 90);
  CHECK(wait_s(Cause::capacity) == 0);
}

TEST_CASE("fragmentation in words") {
  const Scattered s;
  const WhyReport why_it_waits = why(s.fleet, s.w, *policy(Scattered::kPolicy), {}, s.wide(), {});
  REQUIRE(why_it_waits.timeline.size() == 2);
  CHECK(why_it_waits.timeline.back().runs);
  CHECK(why_it_waits.timeline.front().cause == Cause::fragmentation);
  CHECK(why_it_waits.timeline.front().to - why_it_waits.timeline.front().from == 90s);
  CHECK(why_it_waits.at.cause == Cause::fragmentation);
  CHECK(why_it_waits.at.text ==
        "needs 64 GPUs (8 whole nodes); 64 GPUs are free, but on 0 whole nodes and 20 partly used "
        "nodes (at most 4 on one node)");
  CHECK(why_it_waits.at.remedy ==
        "by the estimates there is room at 100 s, when f, g, h (and 5 jobs before) have ended");
}

TEST_CASE("packed, the same jobs leave room") {
  const Scattered s;
  Timetable times(s.w.size());
  simulate(s.fleet, s.w, *policy("batch:placer=pack,span=any"), {}, times);
  CHECK(times.start[s.wide()] == kStart + 10s);
}
