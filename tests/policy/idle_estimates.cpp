// Policies that go by no estimate: they say so, and it is true.

#include <set>

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "muster/policy/parts/objective.hpp"
#include "muster/policy/parts/rank.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Too many jobs for four nodes of four, with estimates that are right, too long, or missing.
Workload crowd() {
  Stream r(7, "idle estimates");
  std::vector<TestJob> jobs;
  Duration clock{};
  for (int i = 0; i < 120; ++i) {
    clock += 5s * static_cast<std::int64_t>(r.below(5));
    const Duration duration = 5s * static_cast<std::int64_t>(1 + r.below(40));
    TestJob j = job(clock, 1 + static_cast<std::uint32_t>(r.below(8)), duration);
    if (r.chance(0.3))
      j.no_estimate();
    else
      j.estimate(duration * static_cast<std::int64_t>(1 + r.below(6)));
    jobs.push_back(j);
  }
  return workload(jobs);
}

/// Whether the schedule is another one once all estimates are right.
bool goes_by_estimates(const std::string& spec) {
  const Workload w = crowd();
  const Fleet fleet = Fleet::uniform(4, 4);
  const auto fingerprint = [&](const std::string& estimates) {
    Timetable times(w.size());
    const auto p = policy(spec + ",kill_at_limit=false,estimates=" + estimates);
    return simulate(fleet, w, *p, {}, times).fingerprint;
  };
  return fingerprint("user") != fingerprint("perfect");
}

bool refuses_idle_default(const std::string& spec) {
  return refusal(spec + ",default_estimate=1h,kill_at_limit=false").find("changes nothing") !=
         std::string::npos;
}

}  // namespace

TEST_CASE("default_estimate is refused where it changes nothing, and only there") {
  std::set<std::string> idle;
  for (const std::string& rank : Ranks::names()) {
    const std::string spec = "ranked:quantum=60s,rank=" + rank;
    CAPTURE(spec);
    if (refuses_idle_default(spec)) idle.insert(rank);
    CHECK(refuses_idle_default(spec) != goes_by_estimates(spec));
  }
  for (const std::string& objective : Objectives::names()) {
    const std::string spec = "rounds:objective=" + objective;
    CAPTURE(spec);
    if (refuses_idle_default(spec)) idle.insert("rounds " + objective);
    if (objective != "cost") CHECK(refuses_idle_default(spec) != goes_by_estimates(spec));
  }
  CHECK(idle == std::set<std::string>{"las", "las_2d", "tiresias", "gittins", "round_robin", "fifo",
                                      "rounds las", "rounds fifo"});
}

TEST_CASE("default_estimate: what is said where it changes nothing") {
  CHECK(refusal("independent:default_estimate=1h,kill_at_limit=false") ==
        "test: /default_estimate: changes nothing: independent goes by no estimate, and with "
        "kill_at_limit=false nobody is stopped at one\n    leave it out, or kill_at_limit=true to "
        "stop jobs without an estimate then");
  CHECK(refusal("tiresias:default_estimate=1h,kill_at_limit=false")
            .find("rank=tiresias goes by no estimate") != std::string::npos);
  // Jobs without an estimate are stopped then; beside others who ends first is asked; cost knows deadlines.
  CHECK(refusal("tiresias:default_estimate=1h") == "");
  CHECK(refusal("ranked:rank=las,pack_capacity=100,default_estimate=1h,kill_at_limit=false") == "");
  CHECK(refusal("rounds:objective=cost,default_estimate=1h,kill_at_limit=false") == "");
}
