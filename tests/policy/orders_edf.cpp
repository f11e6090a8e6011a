// Earliest deadline first, and who is let in.

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kOne = Fleet::uniform(1, 1);

struct Ran {
  RunSummary summary;
  std::string picture;
};
Ran run(const std::string& spec, const std::vector<TestJob>& jobs, const Fleet& fleet = kOne) {
  const auto p = policy(spec);
  const Workload w = workload(jobs);
  Gantt gantt(w, fleet.nodes.size(), 10s);
  Ran ran;
  ran.summary = simulate(fleet, w, *p, {}, gantt);
  ran.picture = gantt.text();
  return ran;
}

}  // namespace

TEST_CASE("edf: the earliest deadline first, no deadline last") {
  const std::vector<TestJob> jobs{
      job(0s, 1, 50s), job(1s, 1, 20s),  // b: none
      job(2s, 1, 20s).deadline(200s),    // c: 202
      job(30s, 1, 20s).deadline(100s),   // d: 130
  };
  CHECK(run("batch:order=edf", jobs).picture == "\n|aaaaaddccbb|\n");
}

TEST_CASE("edf with admission") {
  const TestJob a = job(0s, 1, 50s), b = job(1s, 1, 20s).deadline(80s);  // b: 50-70, due 81
  SECTION("who would come too late is rejected, with the number") {
    const Ran r = run("batch:order=edf,admission=reject", {a, b, job(2s, 1, 20s).deadline(80s)});
    CHECK(r.picture == "\n|aaaaabb|\n");
    REQUIRE(r.summary.rejections.size() == 1);
    CHECK(r.summary.rejections[0].code == "exceeds_deadline");
    CHECK(r.summary.rejections[0].text ==
          "job c must end by 82 s, and would end at 90 s after what was admitted before it");
  }
  SECTION("and who would make another late") {
    const Ran r = run("batch:order=edf,admission=reject", {a, b, job(2s, 1, 20s).deadline(70s)});
    CHECK(r.picture == "\n|aaaaabb|\n");
    REQUIRE(r.summary.rejections.size() == 1);
    CHECK(r.summary.rejections[0].text ==
          "job c would make a job late that was admitted before it");
  }
  SECTION("an end at the deadline is in time") {
    const Ran r = run("batch:order=edf,admission=reject", {a, b, job(2s, 1, 20s).deadline(88s)});
    CHECK(r.picture == "\n|aaaaabbcc|\n");
    CHECK(r.summary.rejections.empty());
  }
  SECTION("demoted: let in behind all deadlines") {
    const std::vector<TestJob> jobs{a, b, job(2s, 1, 20s).deadline(80s),
                                    job(3s, 1, 10s).deadline(400s)};
    CHECK(run("batch:order=edf,admission=demote", jobs).picture == "\n|aaaaabbdcc|\n");
    CHECK(run("batch:order=edf", jobs).picture == "\n|aaaaabbccd|\n");
  }
  SECTION("a job that was withdrawn is no longer planned for") {
    const Ran r = run("batch:order=edf,admission=reject",
                      {a, TestJob(b).cancel(10s), job(20s, 1, 20s).deadline(55s)});
    CHECK(r.summary.rejections.empty());
    CHECK(r.picture == "\n|aaaaacc|\n");
  }
  SECTION("two of one instant count for each other") {
    const Ran r = run("batch:order=edf,admission=reject", {a, b, TestJob(b)});
    CHECK(r.summary.rejections.size() == 1);
    CHECK(r.picture == "\n|aaaaabb|\n");
  }
  SECTION("one that is late anyway does not keep others out") {
    // a is planned until 20 and runs until 50: b, due 45, will be late whatever happens.
    const std::vector<TestJob> jobs{job(0s, 1, 50s).estimate(20s), job(1s, 1, 20s).deadline(44s),
                                    job(30s, 1, 5s).deadline(10s)};
    const Ran r = run("batch:order=edf,admission=reject,kill_at_limit=false", jobs);
    CHECK(r.summary.rejections.empty());
  }
}

TEST_CASE("edf with admission: whoever is admitted is in time, where the plan is carried out") {
  std::size_t admitted = 0, rejected = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Stream r(seed, "admission");
    std::vector<TestJob> jobs;
    Duration clock{};
    for (int i = 0; i < 40; ++i) {
      clock += 5s * static_cast<std::int64_t>(r.below(6));
      jobs.push_back(job(clock, 1 + static_cast<std::uint32_t>(r.below(8)),
                         5s * static_cast<std::int64_t>(1 + r.below(20))));
      if (r.chance(0.8)) jobs.back().deadline(5s * static_cast<std::int64_t>(1 + r.below(120)));
    }
    const Workload w = workload(jobs);
    const auto p =
        policy("batch:order=edf,admission=reject,backfill=conservative,conservative=replan");
    Timetable times(w.size());
    simulate(Fleet::uniform(8, 1), w, *p, {}, times);
    bool in_time = true;
    for (std::uint32_t i = 0; i < w.size(); ++i) {
      const JobId j{i};
      if (w.deadline[j] == kUnknown) continue;
      ++(times.state[j] == JobState::rejected ? rejected : admitted);
      if (times.state[j] == JobState::completed)
        in_time = in_time && times.end[j] <= w.submit[j] + w.deadline[j];
    }
    INFO(seed);
    CHECK(in_time);
  }
  CHECK(admitted > 500);
  CHECK(rejected > 500);
}
