// Conservative backfill, and EASY with many promises, where the queue is so long that it is not planned as a whole
// in each pass, against the plain definition: who starts when must not depend on that.

#include <set>

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "muster/engine/why.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;

namespace {

constexpr std::uint32_t kGpus = 32;

struct Drawn {
  std::int64_t submit, gpus, duration, estimate;  // seconds
};

/// Several hundred jobs come in the first forty seconds, others while they wait.
std::vector<Drawn> draw(std::uint64_t seed, bool exact) {
  Stream r(seed, "long queue");
  std::vector<Drawn> jobs;
  for (std::size_t i = 0; i < 700; ++i) {
    Drawn d;
    d.submit = static_cast<std::int64_t>(i < 600 ? i / 15 : 40 + (i - 600));
    d.gpus = static_cast<std::int64_t>(1 + r.below(16));
    d.duration = static_cast<std::int64_t>(1 + r.below(20));
    d.estimate = d.duration + (exact ? 0 : static_cast<std::int64_t>(r.below(12)));
    jobs.push_back(d);
  }
  return jobs;
}

Workload workload_of(const std::vector<Drawn>& drawn) {
  std::vector<TestJob> jobs;
  for (const Drawn& d : drawn)
    jobs.push_back(TestJob(std::chrono::seconds{d.submit}, static_cast<std::uint32_t>(d.gpus),
                           std::chrono::seconds{d.duration})
                       .estimate(std::chrono::seconds{d.estimate}));
  return workload(jobs);
}

/// Free GPUs second by second, from the present on.
class Plain {
 public:
  void take(std::int64_t from, std::int64_t length, std::int64_t gpus) {
    for (std::int64_t t = from; t < from + length; ++t)
      free_.at(static_cast<std::size_t>(t)) -= gpus;
  }
  std::int64_t earliest(std::int64_t length, std::int64_t gpus) const {
    std::int64_t run = 0;
    for (std::size_t t = 0; t < free_.size(); ++t) {
      run = free_[t] >= gpus ? run + 1 : 0;
      if (run == length) return static_cast<std::int64_t>(t) + 1 - length;
    }
    FAIL("the horizon is too short");
    return 0;
  }

 private:
  std::vector<std::int64_t> free_ = std::vector<std::int64_t>(6000, kGpus);
};

/// CONVENTIONS C6: at each instant everybody gets the earliest slot behind those ahead, and starts if that is now.
/// Behind `most` promises nobody gets one: who can start now does.
std::vector<std::int64_t> by_definition(const std::vector<Drawn>& jobs, std::size_t most) {
  std::vector<std::int64_t> start(jobs.size(), -1);
  std::set<std::int64_t> instants;
  for (const Drawn& d : jobs) instants.insert(d.submit);
  while (!instants.empty()) {
    const std::int64_t now = *instants.begin();
    instants.erase(instants.begin());
    Plain plan;
    for (std::size_t j = 0; j < jobs.size(); ++j)
      if (start[j] >= 0 && now < start[j] + jobs[j].duration)
        plan.take(0, start[j] + jobs[j].estimate - now, jobs[j].gpus);
    std::size_t promised = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (jobs[j].submit > now || start[j] >= 0) continue;
      const std::int64_t slot = plan.earliest(jobs[j].estimate, jobs[j].gpus);
      if (slot > 0 && promised == most) continue;
      plan.take(slot, jobs[j].estimate, jobs[j].gpus);
      if (slot > 0) {
        ++promised;
        continue;
      }
      start[j] = now;
      instants.insert(now + jobs[j].duration);
    }
  }
  return start;
}

}  // namespace

TEST_CASE("conservative: a long queue starts as if all of it were planned anew in each pass") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<Drawn> drawn = draw(seed, seed == 1);
    const Workload w = workload_of(drawn);
    for (const std::size_t most : {SIZE_MAX, std::size_t{40}}) {
      const auto p =
          policy(most == SIZE_MAX ? "conservative" : "batch:backfill=easy,reservations=40");
      Timetable times(w.size());
      simulate(Fleet::uniform(kGpus, 1), w, *p, {}, times);
      const std::vector<std::int64_t> expected = by_definition(drawn, most);
      INFO("seed " << seed << ", promises " << most);
      for (std::uint32_t j = 0; j < w.size(); ++j)
        CHECK(times.start[JobId{j}] == kStart + std::chrono::seconds{expected[j]});
    }
  }
}

// With right estimates, and newcomers at the end of the queue, nothing that was promised ever changes.
TEST_CASE("conservative: who joins a long queue is promised the time at which it will start") {
  const Workload w = workload_of(draw(4, true));
  const Fleet fleet = Fleet::uniform(kGpus, 1);
  for (const std::uint32_t j : {560U, 590U, 610U, 630U}) {
    const auto p = policy("conservative");
    const SimTime submit = w.submit[JobId{j}];
    const WhyReport said = why(fleet, w, *p, {}, JobId{j}, submit);
    INFO("job " << j);
    REQUIRE(said.waiting);
    CHECK(said.at.promised == said.start);
  }
}
