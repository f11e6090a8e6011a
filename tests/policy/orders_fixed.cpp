// Orders whose keys never change: area, aging, the SC'17 functions, a random one.

#include <cmath>

#include "catch.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kTwo = Fleet::uniform(2, 8);
const Fleet kOne = Fleet::uniform(1, 1);

Timetable run(const std::string& spec, const Workload& w, const Fleet& fleet,
              std::uint64_t seed = 1) {
  const auto p = policy(spec);
  Timetable times(w.size());
  simulate(fleet, w, *p, {}, times, {}, seed);
  return times;
}

/// Job ids in order of their start.
std::vector<std::uint32_t> sequence(const Timetable& times) {
  std::vector<std::uint32_t> ids(times.start.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
  std::stable_sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    return times.start[JobId{a}] < times.start[JobId{b}];
  });
  return ids;
}

}  // namespace

TEST_CASE("saf and laf: smallest and largest area first") {
  const std::vector<TestJob> jobs{
      job(0s, 16, 20s), job(1s, 16, 10s),  // b: 160 GPU-seconds
      job(2s, 8, 30s),                     // c: 240
      job(3s, 8, 10s),                     // d: 80
  };
  CHECK(schedule("batch:order=saf", jobs, kTwo) == R"(
|aadbccc|
|aa.b...|
)");
  CHECK(schedule("batch:order=laf", jobs, kTwo) == R"(
|aacccbd|
|aa...b.|
)");
}

TEST_CASE("aging: waiting is worth priority") {
  const std::vector<TestJob> jobs{
      job(0s, 1, 20s), job(1s, 1, 10s),  // b: at 20, 1.9 levels of age
      job(8s, 1, 10s).priority(1),       // c: 1 + 1.2
      job(12s, 1, 10s).priority(1),      // d: 1 + 0.8
  };
  CHECK(schedule("batch:order=aging,age_step=10s", jobs, kOne) == "\n|aacbd|\n");
  CHECK(schedule("batch:order=priority", jobs, kOne) == "\n|aacdb|\n");
  CHECK(schedule("batch:order=aging,age_step=1s", jobs, kOne) == "\n|aabcd|\n");
  // Priorities as large as Slurm's, and a step of a century: the head start saturates in order.
  const std::vector<TestJob> large{job(0s, 1, 20s), job(1s, 1, 10s).priority(-2'000'000'000),
                                   job(2s, 1, 10s), job(3s, 1, 10s).priority(2'000'000'000)};
  CHECK(schedule("batch:order=aging,age_step=36000d", large, kOne) == "\n|aadcb|\n");
}

TEST_CASE("f1..f4: which of two goes first, worked by hand") {
  // c: submitted at 10 s, 1 GPU, planned 10 s. b: at 1 s (log10 = 0), as below.
  struct Row {
    std::uint32_t gpus;
    double planned;
    std::string first;  // by f1, f2, f3, f4
  };
  const std::vector<Row> rows{
      {16, 1e6, "bbcc"},   // 96 < 871; 16000 < 25603; 1.6e7 > 6860010; 4e6 > 530010
      {16, 1e7, "bccc"},   // 112 < 871; 50596 > 25603
      {256, 3e4, "cccb"},  // 1146 > 871; 44341 > 25603; 7.68e6 > 6860010; 4.8e5 < 530010
      {1, 10, "bbbb"},
  };
  for (const Row& row : rows) {
    const Duration planned{static_cast<std::int64_t>(row.planned * 1e9)};
    const Workload w = workload(
        {job(0s, row.gpus, 100s), job(1s, row.gpus, 10s).estimate(planned), job(10s, 1, 10s)});
    std::string first;
    for (const char* order : {"f1", "f2", "f3", "f4"}) {
      const Timetable t = run(std::string{"batch:order="} + order, w, Fleet::uniform(row.gpus, 1));
      first += t.start[JobId{1}] < t.start[JobId{2}] ? 'b' : 'c';
    }
    INFO(row.gpus << " GPUs, " << row.planned << " s");
    CHECK(first == row.first);
  }
}

TEST_CASE("random: another order for each seed, and each job's place is its own") {
  std::vector<TestJob> jobs;
  for (int i = 0; i < 40; ++i) jobs.push_back(job(0s, 1, 10s).named("j" + std::to_string(i)));
  const auto order = [&](std::uint64_t seed) {
    return sequence(run("batch:order=random", workload(jobs), kOne, seed));
  };
  const auto first = order(1);
  CHECK(first == order(1));
  CHECK(first != order(2));
  CHECK(!std::is_sorted(first.begin(), first.end()));
  // One more job draws a number of its own and moves nobody past anybody else.
  jobs.insert(jobs.begin(), job(0s, 1, 10s).named("new"));
  auto more = order(1);
  std::erase(more, 0u);
  for (std::uint32_t& j : more) --j;
  CHECK(more == first);
}
