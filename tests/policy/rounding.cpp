// Requests that are rounded up: what is added is held, does no work, and stands in the books as that.

#include "catch.hpp"
#include "muster/metrics/books.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kGpuSeconds = 1'000'000'000'000;

struct Kept final : JobSink {
  void take(const JobLine& line) override { lines[line.job] = line; }
  std::map<JobId, JobLine> lines;
};

struct Ran {
  GpuTimes times;
  std::map<JobId, JobLine> lines;
  Summary summary;
  std::int64_t of(GpuClass c) const {
    return static_cast<std::int64_t>(times[static_cast<std::size_t>(c)] / kGpuSeconds);
  }
};

Ran ran(const std::string& spec, const std::vector<TestJob>& jobs, const Fleet& fleet) {
  const auto p = policy(spec);
  const Workload w = prepared(workload(jobs), *p);
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(w, fleet, p->cutting()))
    demands.push_back({d.total_milli(), d.pools, std::int64_t{d.unused} * d.milli});
  Books books(fleet, w, demands);
  Kept kept;
  books.send_lines_to(kept);
  books.close(simulate(fleet, w, *p, {}, books));
  return {books.gpu_book().times(), kept.lines, books.summary()};
}

const std::string kRounded = "batch:rounding=power_of_two";

}  // namespace

TEST_CASE("a request for three GPUs holds four, and one of them does nothing") {
  const Ran r = ran(kRounded, {job(0s, 3, 100s)}, Fleet::uniform(1, 4));
  CHECK(r.of(GpuClass::run_compute) == 300);
  CHECK(r.of(GpuClass::unused) == 100);
  CHECK(static_cast<std::int64_t>(r.summary.useful_gpu_time / kGpuSeconds) == 300);
  CHECK(r.lines.at(JobId{0}).gpus_milli == 3000);
  CHECK(r.lines.at(JobId{0}).gpu_time.kept / kGpuSeconds == 300);
  CHECK(r.lines.at(JobId{0}).gpu_time.unused / kGpuSeconds == 100);
}

TEST_CASE("what is lost is what did work; what did none is unused all the same") {
  const Ran r = ran(kRounded, {job(0s, 3, 100s).estimate(40s)}, Fleet::uniform(1, 4));
  CHECK(r.of(GpuClass::lost) == 3 * 40);
  CHECK(r.of(GpuClass::unused) == 40);
  CHECK(r.lines.at(JobId{0}).gpu_time.lost / kGpuSeconds == 120);
  CHECK(r.lines.at(JobId{0}).gpu_time.unused / kGpuSeconds == 40);
}

TEST_CASE("what is rounded up makes others wait, and gangs fill their nodes") {
  CHECK(schedule(kRounded, {job(0s, 3, 20s), job(1s, 1, 10s)}, Fleet::uniform(1, 4)) == R"(
|aab|
)");
  CHECK(schedule(kRounded, {job(0s, 9, 20s), job(1s, 1, 10s)}, Fleet::uniform(2, 8)) == R"(
|aab|
|aa.|
)");
}

TEST_CASE("nothing is rounded to more than the fleet has, nor what is said by nodes") {
  CHECK(ran(kRounded, {job(0s, 6, 10s)}, Fleet::uniform(2, 3)).of(GpuClass::unused) == 0);
  CHECK(ran(kRounded, {job(0s, 6, 10s)}, Fleet::uniform(2, 3)).of(GpuClass::run_compute) == 60);
  CHECK(ran(kRounded, {job(0s, 1, 10s).share(300)}, Fleet::uniform(1, 3)).of(GpuClass::unused) ==
        0);
  CHECK(ran(kRounded, {job(0s, 1, 10s).tasks("3")}, Fleet::uniform(1, 4)).of(GpuClass::unused) ==
        0);
}

TEST_CASE("what is added makes nobody faster, whatever sizes it could have") {
  const Ran r = ran(kRounded, {job(0s, 3, 100s).elastic(1, 8)}, Fleet::uniform(1, 8));
  CHECK(seconds(r.lines.at(JobId{0}).end) == 100);
  CHECK(r.of(GpuClass::unused) == 100);
}

TEST_CASE("who is rejected for what rounding adds is told so") {
  const auto p = policy(kRounded + ",span=whole_nodes");
  Observer nobody;
  // 5 GPUs become 8, and no node has so many.
  const RunSummary run = simulate(Fleet::uniform(2, 6),
                                  workload({job(0s, 5, 10s).inside(Level::node)}), *p, {}, nobody);
  REQUIRE(run.rejections.size() == 1);
  CHECK(run.rejections[0].text.find("needs 8 GPUs (5, rounded up)") != std::string::npos);
}
