// Rules at their very edge: what one less, one more, or the other way round would get wrong.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "muster/io/fleet.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kOne = Fleet::uniform(1, 8);
const Fleet kTwo = Fleet::uniform(2, 8);

RunSummary run(const std::string& spec, const std::vector<TestJob>& jobs, const Fleet& fleet,
               const EngineOptions& options = {}) {
  Observer nobody;
  return simulate(fleet, workload(jobs), *policy(spec), options, nobody);
}

}  // namespace

TEST_CASE("a job that ends exactly when the promised one starts does not delay it") {
  const std::vector<TestJob> jobs{job(0s, 8, 50s), job(10s, 16, 20s), job(10s, 8, 40s)};
  for (const char* how :
       {"", ",candidates=shortest", ",promise=count", ",promise=pinned", ",reservations=2"}) {
    INFO(how);
    CHECK(schedule(std::string{"batch:backfill=easy,spare=false"} + how, jobs, kTwo) == R"(
|aaaaabb|
|.ccccbb|
)");
  }
}

TEST_CASE("who comes to the front leaves other room than who stood there") {
  // c would need all three nodes at 50 s. When e comes it is the one that is promised them, two of them: d may go.
  const std::vector<TestJob> jobs{job(0s, 8, 50s), job(0s, 8, 50s), job(10s, 24, 10s),
                                  job(10s, 8, 100s), job(20s, 16, 10s).priority(1)};
  CHECK(schedule("batch:order=priority,backfill=easy", jobs, Fleet::uniform(3, 8)) == R"(
|aaaaae......c|
|bbbbbe......c|
|..ddddddddddc|
)");
}

TEST_CASE("a job one nanosecond longer does") {
  const std::vector<TestJob> jobs{job(0s, 8, 50s), job(10s, 16, 20s), job(10s, 8, 40s + 1ns)};
  for (const char* how : {"", ",candidates=shortest", ",promise=count", ",promise=pinned"}) {
    INFO(how);
    CHECK(schedule(std::string{"batch:backfill=easy"} + how, jobs, kTwo).find("|.c") ==
          std::string::npos);
  }
}

TEST_CASE("what ends exactly at the promised time is there for others, too") {
  // c is promised 50 with a's GPUs; b's come back at 50 as well, so d may outlast the promise.
  const Fleet types = parse_fleet(R"({"groups": [
    {"count": 1, "gpus": 4, "prefix": "x", "gpu_type": "X"},
    {"count": 2, "gpus": 4, "prefix": "y", "gpu_type": "Y"}]})",
                                  "test");
  CHECK(schedule("batch:backfill=easy,span=any",
                 {job(0s, 4, 50s), job(0s, 4, 50s), job(10s, 8, 20s), job(10s, 4, 60s)},
                 types) == R"(
|aaaaacc|
|bbbbbcc|
|.dddddd|
)");
}

TEST_CASE("conservative: GPUs that come back early bring slots forward") {
  for (const char* how : {"compress", "replan"}) {
    INFO(how);
    CHECK(schedule(std::string{"batch:backfill=conservative,conservative="} + how,
                   {job(0s, 8, 30s).estimate(50s), job(10s, 8, 20s)}, kOne) == R"(
|aaabb|
)");
  }
}

TEST_CASE("of victims that are alike the later in trace order makes room") {
  CHECK(schedule("batch:order=priority,preemption=suspend",
                 {job(0s, 8, 50s), job(0s, 8, 50s), job(10s, 8, 20s).priority(1)}, kTwo) == R"(
|aaaaa..|
|bccbbbb|
)");
}

TEST_CASE("the least urgent makes room, though another would be cheaper") {
  CHECK(schedule("batch:order=priority,preemption=suspend,victims=fewest_gpus",
                 {job(0s, 8, 50s), job(0s, 4, 50s).priority(1), job(0s, 4, 50s).priority(5),
                  job(10s, 4, 20s).priority(2)},
                 kTwo) == R"(
|*****..|
|addaaaa|
)");
}

TEST_CASE(
    "nobody makes room for a job that is as urgent, nor does who would not make enough of it") {
  CHECK(schedule("batch:order=priority,preemption=suspend",
                 {job(0s, 4, 50s), job(0s, 4, 50s).priority(1), job(10s, 8, 20s).priority(1)},
                 kOne) == R"(
|*****cc|
)");
}

TEST_CASE("a victim that turns out not to be needed is let off, and loses nothing") {
  // d needs a whole node. c is the youngest, but b would stay on its node; so it is a after all.
  CHECK(schedule("batch:order=priority,preemption=requeue",
                 {job(0s, 8, 50s), job(0s, 4, 50s).priority(5), job(10s, 4, 50s),
                  job(20s, 8, 20s).priority(1)},
                 kTwo) == R"(
|b****c...|
|aaddaaaaa|
)");
}

TEST_CASE("who is evicted may evict in its turn, in the same pass") {
  // c takes b's node, and b takes a's.
  const Fleet types = parse_fleet(R"({"groups": [
    {"count": 1, "gpus": 8, "prefix": "x", "gpu_type": "X"},
    {"count": 1, "gpus": 8, "prefix": "y", "gpu_type": "Y"}]})",
                                  "test");
  CHECK(schedule("batch:order=priority,preemption=suspend",
                 {job(0s, 8, 50s), job(10s, 8, 50s).priority(1),
                  job(20s, 8, 20s).priority(2).types("Y")},
                 types) == R"(
|aabbbb.|
|.bccaaa|
)");
}

TEST_CASE("a limit counts the work of all runs") {
  // a works 10 s, makes room for 20 s, and has 20 s of its 30 left.
  CHECK(schedule("batch:order=priority,preemption=suspend",
                 {job(0s, 8, 60s).limit(30s), job(10s, 8, 20s).priority(1)}, kOne) == R"(
|abbaa|
)");
}

TEST_CASE("a restart is planned with what it costs") {
  // a falls back to its checkpoint at 20 and goes on at 30: 10 s of restart and 20 s of work. So c is
  // promised 60, not 50, and starts then.
  const std::vector<TestJob> jobs{job(0s, 8, 40s).checkpoints(10s, 10s),
                                  job(20s, 8, 10s).priority(1), job(35s, 8, 10s)};
  const std::string spec = "batch:order=priority,backfill=easy,preemption=requeue";
  CHECK(schedule(spec, jobs, kOne) == R"(
|aabaaac|
)");
  CHECK(run(spec, jobs, kOne).broken_promises == 0);
}

TEST_CASE("a promise is broken if the first one was, whatever was promised later") {
  // b is promised 50 at 10, until the more urgent c comes at 20 and takes that; at 50 b is promised 80.
  const std::vector<TestJob> jobs{job(0s, 8, 50s), job(10s, 8, 20s), job(20s, 8, 30s).priority(1)};
  CHECK(schedule("batch:order=priority,backfill=easy", jobs, kOne) == R"(
|aaaaacccbb|
)");
  CHECK(run("batch:order=priority,backfill=easy", jobs, kOne).broken_promises == 1);
}

TEST_CASE("starved is who waits longer than that while a later one starts") {
  EngineOptions options;
  options.starvation_after = 40s;
  const auto findings = [&](Duration later_one) {
    return run("batch:skip=true", {job(0s, 4, 100s), job(0s, 8, 10s), job(later_one, 4, 10s)}, kOne,
               options)
        .findings.size();
  };
  CHECK(findings(40s) == 0);
  CHECK(findings(40s + 1ns) == 1);
}

TEST_CASE("how a job ends is what the trace says of it") {
  const auto ends = [](Outcome outcome) {
    const Workload w = workload({job(0s, 8, 10s).outcome(outcome)});
    Timetable times(w.size());
    simulate(kOne, w, *policy("batch"), {}, times);
    return times.state[JobId{0}];
  };
  CHECK(ends(Outcome::completed) == JobState::completed);
  CHECK(ends(Outcome::failed) == JobState::failed);
  CHECK(ends(Outcome::node_fail) == JobState::failed);
  CHECK(ends(Outcome::cancelled) == JobState::cancelled);
  CHECK(ends(Outcome::timeout) == JobState::timeout);
  CHECK(ends(Outcome::preempted) == JobState::completed);
  CHECK(ends(Outcome::unknown) == JobState::completed);
}

TEST_CASE("why: a promise is said") {
  const Workload w = workload({job(0s, 8, 50s), job(10s, 16, 20s)});
  const WhyReport report = why(kTwo, w, *policy("batch:backfill=easy"), {}, JobId{1}, {});
  CHECK(report.at.cause == Cause::capacity);
  CHECK(report.at.promised == kStart + 50s);
  CHECK(report.at.text.find("; it is promised to start by 50 s") != std::string::npos);
}

TEST_CASE("why: which quota holds a job back, and by how much") {
  // The second job's.
  const auto told = [](const std::string& spec, const TestJob& runs, const TestJob& waits) {
    const auto p = policy(spec);
    const Explanation at =
        why(kOne, prepared(workload({runs, waits}), *p), *p, {}, JobId{1}, {}).at;
    CHECK(at.cause == Cause::quota);
    return std::pair{at.text, at.remedy};
  };
  using Told = std::pair<std::string, std::string>;
  CHECK(told(R"(batch:caps={"q": 4})", job(0s, 4, 50s).queue("q"), job(10s, 1, 20s).queue("q")) ==
        Told{"needs 1 GPU on one node, and that is free, but queue q uses 4 GPUs and may use 4",
             "jobs of queue q with at least 1 GPU must end, or it be allowed 5 GPUs"});
  CHECK(told(R"(batch:caps={"both": 5},parents={"q": "both", "r": "both"})",
             job(0s, 4, 50s).queue("r"), job(10s, 3, 20s).queue("q")) ==
        Told{"needs 3 GPUs on one node, and that is free, but queue q uses 0 GPUs, and those under "
             "both use 4 GPUs of the 5 that they may use together",
             "jobs under both with at least 2 GPUs must end, or it be allowed 7 GPUs"});
  CHECK(told(R"(batch:guarantees={"q": 2, "r": 4},lending={"r": 1})", job(0s, 2, 50s).queue("q"),
             job(10s, 2, 20s).queue("q"))
            .second ==
        "at least 1 borrowed GPU must come back, or the guarantee of queue q be raised by as much");
}

TEST_CASE("what a job pays before it works is a time that ends") {
  using Catch::Contains;
  CHECK_THAT(refusal("srtf:restart_cost=unlimited"),
             Contains("expected a time of 0 or more that ends"));
  CHECK_THAT(refusal("gavel_las:restart_cost=unlimited"),
             Contains("expected a time of 0 or more that ends"));
  CHECK_THAT(refusal("cells:restart_cost=unlimited"),
             Contains("expected a time of 0 or more that ends"));
  CHECK_THAT(refusal("pollux:resize_cost=unlimited"),
             Contains("expected a time of 0 or more that ends"));
  CHECK_THAT(refusal("batch:mig_reconfigure=unlimited"), Contains("0 or more that ends"));
  CHECK_THAT(refusal("gandiva:move_cost=unlimited"), Contains("0 or more that ends"));
  CHECK_THAT(refusal("fgd:defrag=8,move_cost=unlimited"), Contains("0 or more that ends"));
  CHECK_THAT(refusal("rounds:round=1ns"), Contains("a second or more"));
}

TEST_CASE("a promise is kept in the first pass that can keep it") {
  EngineOptions options;
  options.scheduling_interval = 4s;
  // Promised for 5 s, started at 8 s.
  const std::vector<TestJob> jobs{job(0s, 8, 5s), job(0s, 16, 5s)};
  const RunSummary summary = run("batch:backfill=easy", jobs, kTwo, options);
  CHECK(summary.broken_promises == 0);
  CHECK(summary.end == kStart + 13s);
}

namespace {

/// Never starts anybody; asks for a pass every second if told to.
class Idle final : public Policy {
 public:
  explicit Idle(bool wakes) : wakes_(wakes) {}
  std::optional<Rejection> refuse(const View&, JobId) override { return std::nullopt; }
  void decide(const View& view, Plan& plan) override {
    if (wakes_) plan.wake_at(view.now + 1s);
  }
  Explanation explain(const View&, JobId) override { return {}; }

 private:
  bool wakes_;
};

}  // namespace

TEST_CASE("a policy that starts nobody is named, also if it goes on asking for passes") {
  const Workload w = workload({job(0s, 1, 10s), job(5s, 1, 10s)});
  for (const bool wakes : {false, true}) {
    Idle idle{wakes};
    Observer nobody;
    const RunSummary run = simulate(Fleet::uniform(1, 1), w, idle, {}, nobody);
    REQUIRE(run.findings.size() == 1);
    CHECK(run.findings[0].kind == Finding::Kind::deadlock);
    CHECK_THAT(run.findings[0].text, Contains("2 jobs wait that the policy does not start: a b"));
    CHECK_THAT(run.findings[0].text, Contains(wakes ? "100000 passes in a row changed nothing"
                                                    : "nothing else will happen"));
  }
}

TEST_CASE("why names the jobs that a held job depends on") {
  const Workload w =
      workload({job(0s, 8, 50s), job(0s, 8, 30s), job(5s, 1, 10s).after("a").after("b")});
  const auto asked = [&](SimTime at) { return why(kOne, w, *policy("batch"), {}, JobId{2}, at); };
  const WhyReport both = asked(kStart + 20s), one = asked(kStart + 60s);
  CHECK(both.waiting);
  CHECK(both.at.cause == Cause::held);
  CHECK(both.at.text == "it depends on a, b, which have not ended");
  CHECK(one.at.text == "it depends on b, which has not ended");
  REQUIRE(one.timeline.size() == 2);
  CHECK(one.timeline[0].from == kStart + 5s);
  const WhyReport last = why(kOne, w, *policy("batch"), {}, JobId{2}, std::nullopt);
  CHECK(last.asked == kStart + 50s);
  CHECK(last.timeline[0].to == kStart + 80s);
}

TEST_CASE(
    "why follows a job through its preemptions to its end, and says how many stand before it") {
  // low runs from 0, makes room for high from 10 to 30, and goes on; last waits behind both.
  const Workload w =
      workload({job(0s, 8, 50s).named("low"), job(10s, 8, 20s).named("high").priority(5),
                job(11s, 8, 5s).named("last")});
  const auto asked = [&](std::uint32_t j) {
    return why(kOne, w, *policy("batch:order=priority,preemption=suspend"), {}, JobId{j}, {});
  };
  const WhyReport low = asked(0);
  REQUIRE(low.timeline.size() == 3);
  CHECK(low.start == kStart);
  CHECK(low.state == JobState::completed);
  CHECK(low.timeline[0].runs);
  CHECK(low.timeline[0].text == "then it makes room for job high");
  CHECK(!low.timeline[1].runs);
  CHECK(low.timeline[1].from == kStart + 10s);
  CHECK(low.timeline[1].to == kStart + 30s);
  CHECK(low.timeline[2].runs);
  CHECK(low.timeline[2].to == kStart + 70s);
  CHECK(low.timeline[2].text == "then it has ended: COMPLETED");
  const WhyReport last = asked(2);
  CHECK_THAT(last.timeline[0].text, Contains("; 1 job is ahead of it in the queue"));
  CHECK_THAT(last.at.text, !Contains("ahead of it in the queue"));  // when it waited last: for low
}

TEST_CASE("behind several promises half a GPU of a shared one goes to whom it suits") {
  // b and c are promised 20 s and 40 s; no GPU is free as a whole, and d needs half of one.
  const std::vector<TestJob> jobs{job(0s, 1, 20s), job(0s, 1, 20s).share(500), job(5s, 2, 20s),
                                  job(5s, 2, 20s), job(10s, 1, 10s).share(500)};
  struct Starts final : Observer {
    void on(const Record& r) override {
      if (r.what == Record::What::start) at.push_back(r.at.time_since_epoch() / 1s);
    }
    std::vector<std::int64_t> at;
  } starts;
  const auto p = policy("batch:backfill=easy,reservations=2");
  simulate(Fleet::uniform(1, 2), workload(jobs), *p, {}, starts);
  CHECK(starts.at == std::vector<std::int64_t>{0, 0, 10, 20, 40});
}

TEST_CASE("a promise that comes in vain asks for no passes: nothing changes until somebody ends") {
  // c and d need two GPUs of one node; a and b hold one of each.
  const RunSummary r =
      run("batch:backfill=conservative,placer=spread",
          {job(0s, 1, 1000s), job(0s, 1, 1000s), job(10s, 2, 20s), job(10s, 2, 20s)},
          Fleet::uniform(2, 2));
  CHECK(r.findings.empty());
  CHECK(r.passes <= 5);
}
