#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "muster/cluster/running.hpp"

using namespace muster;

namespace {

std::vector<std::uint32_t> jobs_in_order(const RunningJobs& running) {
  std::vector<std::uint32_t> jobs;
  running.each([&](const RunningJob& r) {
    jobs.push_back(r.job.value);
    return true;
  });
  return jobs;
}

RunningJob started(std::uint32_t order, std::int64_t end) {
  RunningJob r;
  r.end = SimTime{Duration{end}};
  r.order = order;
  r.job = JobId{order};
  r.milli = 1000;
  return r;
}

}  // namespace

TEST_CASE("running jobs are by predicted end, whenever somebody first asks") {
  std::uint64_t state = 1;
  const auto draw = [&](std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  };
  for (const std::uint32_t first_asked : {0U, 3U, 100U, 999U}) {
    RunningJobs early, late;
    CHECK(jobs_in_order(early).empty());  // from now on in order
    std::vector<RunningJob> all;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      all.push_back(started(i, static_cast<std::int64_t>(draw(50))));
      early.insert(all.back());
      late.insert(all.back());
      // As many leave as come.
      while (all.size() > 5 && draw(2) == 0) {
        const std::size_t at = draw(all.size());
        early.erase(all[at]);
        late.erase(all[at]);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
      }
      REQUIRE(early.size() == all.size());
      REQUIRE(late.size() == all.size());
      if (i >= first_asked) REQUIRE(jobs_in_order(late) == jobs_in_order(early));
    }
    std::sort(all.begin(), all.end());
    REQUIRE(jobs_in_order(late).size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(jobs_in_order(late)[i] == all[i].job.value);
  }
}

TEST_CASE("a running job may come back with another end") {
  RunningJobs running;
  std::vector<RunningJob> jobs;
  for (std::uint32_t i = 0; i < 3; ++i) jobs.push_back(started(i, 10 + i));
  jobs.push_back(started(3, 5));
  for (std::uint32_t i = 0; i < 3; ++i) running.insert(jobs[i]);
  running.erase(jobs[1]);
  jobs[1].end = SimTime{Duration{99}};
  running.insert(jobs[1]);
  running.insert(jobs[3]);
  CHECK(jobs_in_order(running) == std::vector<std::uint32_t>{3, 0, 2, 1});
  CHECK(running.front().job == JobId{3});
}
