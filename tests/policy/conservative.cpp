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
using namespace std::chrono_literals;

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

struct Limits {
  std::string spec;
  std::size_t promises = SIZE_MAX;  // behind so many nobody gets one: who can start now does
  std::size_t depth = SIZE_MAX;     // so many are looked at, from the first that can't start on
  std::int64_t window = INT64_MAX;  // who could start only later is promised nothing
};

/// CONVENTIONS C6: at each instant everybody gets the earliest slot behind those ahead, and starts if that is now.
std::vector<std::int64_t> by_definition(const std::vector<Drawn>& jobs, const Limits& limits) {
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
    std::size_t promised = 0, looked_at = 0;
    for (std::size_t j = 0; j < jobs.size() && looked_at < limits.depth; ++j) {
      if (jobs[j].submit > now || start[j] >= 0) continue;
      const std::int64_t slot = plan.earliest(jobs[j].estimate, jobs[j].gpus);
      if (slot > 0 || looked_at > 0) ++looked_at;
      if (slot > 0 && (promised == limits.promises || slot > limits.window)) continue;
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
    for (const Limits& limits :
         {Limits{.spec = "conservative:depth=0"},
          Limits{.spec = "batch:backfill=easy,reservations=40", .promises = 40},
          Limits{.spec = "conservative", .depth = 500},
          Limits{.spec = "conservative:depth=30", .depth = 30},
          Limits{.spec = "conservative:depth=0,backfill_window=45s", .window = 45},
          Limits{.spec = "conservative:depth=100,backfill_window=20s", .depth = 100, .window = 20},
          Limits{.spec = "batch:backfill=easy,reservations=25,backfill_window=30s",
          .promises = 25,
          .window = 30}}) {
      const auto p = policy(limits.spec);
      Timetable times(w.size());
      simulate(Fleet::uniform(kGpus, 1), w, *p, {}, times);
      const std::vector<std::int64_t> expected = by_definition(drawn, limits);
      INFO("seed " << seed << ", " << limits.spec);
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
    const auto p = policy("conservative:depth=0");
    const SimTime submit = w.submit[JobId{j}];
    const WhyReport said = why(fleet, w, *p, {}, JobId{j}, submit);
    INFO("job " << j);
    REQUIRE(said.waiting);
    CHECK(said.at.promised == said.start);
  }
}

TEST_CASE("conservative: nobody behind depth is promised anything, and why says so") {
  const Workload w = workload({job(0s, 1, 40s), job(1s, 2, 20s), job(2s, 2, 20s), job(3s, 1, 10s)});
  const auto p = policy("conservative:depth=2");
  const Explanation said = why(Fleet::uniform(2, 1), w, *p, {}, JobId{3}, kStart + 5s).at;
  CHECK(said.cause == Cause::order);
  CHECK(said.promised == kNever);
  CHECK(said.text.find("only the first 2 waiting jobs are tried (depth)") != std::string::npos);
}

// At 5 s b could start in 35 s, when a ends: c, which runs on until 55 s, would be in its way.
TEST_CASE("backfill_window: who could start only later than that is promised nothing") {
  const Workload w = workload({job(0s, 1, 40s), job(1s, 2, 20s), job(5s, 1, 50s)});
  const Fleet two = Fleet::uniform(2, 1);
  for (const std::string kind : {"conservative:", "batch:backfill=easy,reservations=2,"}) {
    INFO(kind);
    const auto run = [&](const std::string& window) {
      Timetable times(w.size());
      simulate(two, w, *policy(kind + "backfill_window=" + window), {}, times);
      return std::pair{times.start[JobId{1}], times.start[JobId{2}]};
    };
    CHECK(run("35s") == std::pair{kStart + 40s, kStart + 60s});
    CHECK(run("34s") == std::pair{kStart + 55s, kStart + 5s});
    const auto promised_to_b = [&](const std::string& window) {
      const auto p = policy(kind + "backfill_window=" + window);
      return why(two, w, *p, {}, JobId{1}, kStart + 4s).at.promised;
    };
    CHECK(promised_to_b("40s") == kStart + 40s);
    CHECK(promised_to_b("30s") == kNever);
  }
  for (const std::string other :
       {"batch:", "batch:backfill=easy,", "batch:backfill=conservative,promise=pinned,",
        "batch:backfill=conservative,conservative=compress,"}) {
    INFO(other);
    CHECK(refusal(other + "backfill_window=1d").find("conservative=replan") != std::string::npos);
  }
}
