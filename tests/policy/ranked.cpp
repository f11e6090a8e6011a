// Schedules by rank that one can look at: a row per node, a column per 10 s, a letter per job.

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "muster/engine/why.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kOne = Fleet::uniform(1, 8);
const Fleet kTwo = Fleet::uniform(2, 8);
const Fleet kFour = Fleet::uniform(4, 1);

/// Who had to make room, in order.
std::string victims(const std::string& spec, const std::vector<TestJob>& jobs, const Fleet& fleet) {
  class Stops final : public Observer {
   public:
    explicit Stops(const Workload& w) : w_(w) {}
    void on(const Record& r) override {
      if (r.what == Record::What::stop) names += w_.id_text(r.job);
    }
    std::string names;

   private:
    const Workload& w_;
  };
  const auto p = policy(spec);
  const Workload w = workload(jobs);
  Stops stops(w);
  simulate(fleet, w, *p, {}, stops);
  return stops.names;
}

}  // namespace

TEST_CASE("srtf: a shorter job takes the GPUs of one that has longer to go") {
  const std::vector<TestJob> jobs{job(0s, 8, 50s), job(10s, 8, 20s)};
  CHECK(schedule("ranked:rank=fifo", jobs, kOne) == R"(
|aaaaabb|
)");
  CHECK(schedule("ranked:rank=srtf", jobs, kOne) == R"(
|abbaaaa|
)");
  SECTION("but not of one that has as long to go") {
    CHECK(schedule("ranked:rank=srtf", {job(0s, 8, 50s), job(10s, 8, 40s)}, kOne) == R"(
|aaaaabbbb|
)");
  }
  SECTION("it goes by the estimate, not by the truth") {
    CHECK(schedule("ranked:rank=srtf,kill_at_limit=false",
                   {job(0s, 8, 50s).estimate(20s), job(10s, 8, 20s)}, kOne) == R"(
|aaaaabb|
)");
    CHECK(schedule("ranked:rank=srtf,kill_at_limit=false,estimates=perfect",
                   {job(0s, 8, 50s).estimate(20s), job(10s, 8, 20s)}, kOne) == R"(
|abbaaaa|
)");
  }
}

TEST_CASE("srsf: time x GPUs counts") {
  const std::vector<TestJob> jobs{
      job(0s, 16, 30s),  // a: 20 s x 16 GPUs to go when b comes
      job(10s, 8, 30s),  // b: 30 s x 8
  };
  CHECK(schedule("ranked:rank=srtf", jobs, kTwo) == R"(
|aaabbb|
|aaa...|
)");
  CHECK(schedule("ranked:rank=srsf", jobs, kTwo) == R"(
|abbbaa|
|a...aa|
)");
}

TEST_CASE("who makes room") {
  SECTION("the last in rank") {
    CHECK(schedule("ranked:rank=srtf", {job(0s, 8, 30s), job(0s, 8, 60s), job(10s, 8, 10s)},
                   kTwo) == R"(
|aaa....|
|bcbbbbb|
)");
  }
  SECTION("but nobody whose room is not needed: the last in rank is one GPU, and is let off") {
    CHECK(schedule("ranked:rank=srtf", {job(0s, 3, 50s), job(0s, 1, 100s), job(10s, 3, 10s)},
                   kFour) == R"(
|acaaaa....|
|acaaaa....|
|acaaaa....|
|bbbbbbbbbb|
)");
    CHECK(victims("ranked:rank=srtf", {job(0s, 3, 50s), job(0s, 1, 100s), job(10s, 3, 10s)},
                  kFour) == "a");
  }
  SECTION("what a victim leaves over goes to the next in rank that it fits") {
    const std::vector<TestJob> jobs{
        job(0s, 4, 90s),   // a
        job(5s, 2, 100s),  // b: ranks below a
        job(10s, 1, 10s),  // c: evicts a, and leaves three nodes over
    };
    CHECK(schedule("ranked:rank=srtf", jobs, kFour) == R"(
|acaaaaaaaabbbbbbbbb|
|abaaaaaaaabbbbbbbbb|
|abaaaaaaaa.........|
|a.aaaaaaaa.........|
)");
  }
}

TEST_CASE("backfill: lower ranks fill what the best waiting job can't use, until it can") {
  const std::vector<TestJob> jobs{job(0s, 8, 30s), job(1s, 16, 40s), job(2s, 8, 100s)};
  CHECK(schedule("ranked:rank=srtf", jobs, kTwo) == R"(
|aaabbbbcccccccc|
|.ccbbbb........|
)");
  CHECK(schedule("ranked:rank=srtf,backfill=false", jobs, kTwo) == R"(
|aaabbbbcccccccccc|
|...bbbb..........|
)");
}

TEST_CASE("quantum: nobody has to go before it is over, and then somebody does") {
  CHECK(schedule("ranked:rank=srtf,quantum=30s", {job(0s, 8, 100s), job(10s, 8, 20s)}, kOne) == R"(
|aaabbaaaaaaa|
)");
}

TEST_CASE("las: whoever ran least") {
  const std::vector<TestJob> jobs{job(0s, 8, 40s), job(10s, 8, 40s)};
  SECTION("looked at when something happens") {
    CHECK(schedule("ranked:rank=las", jobs, kOne) == R"(
|abbbbaaa|
)");
  }
  SECTION("and every quantum: they take turns once they are equal") {
    CHECK(schedule("ranked:rank=las,quantum=10s", jobs, kOne) == R"(
|abbaabba|
)");
  }
  const std::vector<TestJob> wide{job(0s, 16, 60s), job(5s, 8, 50s), job(5s, 8, 50s)};
  SECTION("at 60 s b and c have had 40 s, a 20") {
    CHECK(schedule("ranked:rank=las,quantum=20s", wide, kTwo) == R"(
|aabbbbaaaab|
|aaccccaaaac|
)");
  }
  SECTION("in two dimensions each has had 320 GPU-seconds by then, and nobody has to go") {
    CHECK(schedule("ranked:rank=las_2d,quantum=20s", wide, kTwo) == R"(
|aabbbbbaaaa|
|aacccccaaaa|
)");
  }
}

TEST_CASE("round_robin: by turns") {
  CHECK(schedule("ranked:rank=round_robin,quantum=20s",
                 {job(0s, 8, 50s), job(0s, 8, 30s), job(5s, 8, 20s)}, kOne) == R"(
|aabbccaaba|
)");
}

TEST_CASE(
    "round_robin: of two whose quanta are over together the one that has run longest makes room") {
  CHECK(schedule("ranked:rank=round_robin,quantum=20s",
                 {job(0s, 8, 100s), job(20s, 8, 100s), job(30s, 8, 20s)}, kTwo) == R"(
|aaaaccaaaaaa|
|..bbbbbbbbbb|
)");
}

TEST_CASE("tiresias: queues by attained service") {
  const std::vector<TestJob> jobs{job(0s, 8, 60s), job(10s, 8, 30s)};
  SECTION("b waits behind a, which has started, until a has had 160 GPU-seconds; then a behind b") {
    CHECK(schedule("ranked:rank=tiresias,thresholds=160s", jobs, kOne) == R"(
|aabbaaaab|
)");
  }
  SECTION("promotion: having waited for as long as it ran, b is back in the first queue") {
    CHECK(schedule("ranked:rank=tiresias,thresholds=160s,promote=1", jobs, kOne) == R"(
|aabbaabaa|
)");
  }
  SECTION("hold: b, which runs, keeps its GPUs from a, though they are in the same queue") {
    CHECK(schedule("ranked:rank=tiresias,thresholds=160s,hold=true", jobs, kOne) == R"(
|aabbbaaaa|
)");
  }
  SECTION("three queues") {
    CHECK(schedule("ranked:rank=tiresias,thresholds=80s/160s", jobs, kOne) == R"(
|ababaaaab|
)");
  }
}

TEST_CASE("gittins: the best bet, by what jobs turned out to need") {
  SECTION("most jobs of the past needed 80 GPU-seconds: who needs more had better wait") {
    CHECK(schedule("ranked:rank=gittins,learn=false,history={\"80\": 8, \"8000\": 2}",
                   {job(0s, 8, 100s), job(5s, 8, 20s)}, kOne) == R"(
|aabbaaaaaaaa|
)");
  }
  const std::vector<TestJob> jobs{job(0s, 8, 10s), job(10s, 8, 100s), job(15s, 8, 20s)};
  SECTION("the same learned from a, once it has ended") {
    CHECK(schedule("ranked:rank=gittins", jobs, kOne) == R"(
|abbccbbbbbbbb|
)");
  }
  SECTION("without any history all are equal") {
    CHECK(schedule("ranked:rank=gittins,learn=false", jobs, kOne) == R"(
|abbbbbbbbbbcc|
)");
  }
}

TEST_CASE("what making room costs") {
  const std::vector<TestJob> jobs{job(0s, 8, 50s), job(10s, 8, 20s)};
  SECTION("a checkpoint keeps the work, and a restart is paid for") {
    CHECK(schedule("ranked:preemption=checkpoint,restart_cost=10s", jobs, kOne) == R"(
|abbaaaaa|
)");
  }
  SECTION("requeued without a checkpoint, from the beginning") {
    CHECK(schedule("ranked:preemption=requeue,restart_cost=10s", jobs, kOne) == R"(
|abbaaaaaa|
)");
  }
  SECTION("what the job says goes before the policy's number") {
    CHECK(schedule("ranked:preemption=requeue,restart_cost=100s",
                   {job(0s, 8, 50s).checkpoints(10s, 20s), job(10s, 8, 20s)}, kOne) == R"(
|abbaaaaaa|
)");
  }
  SECTION("a grace time") {
    CHECK(schedule("ranked", {job(0s, 8, 50s).grace(10s), job(10s, 8, 20s)}, kOne) == R"(
|aabbaaaa|
)");
  }
  SECTION("nobody slips in while a grace time makes room for a better one") {
    CHECK(schedule("ranked", {job(0s, 8, 50s).grace(10s), job(10s, 16, 20s), job(12s, 8, 60s)},
                   kTwo) == R"(
|aabbaaaa..|
|..bbcccccc|
)");
  }
}

TEST_CASE("taking turns is no livelock") {
  const Workload w = workload({job(0s, 8, 300s), job(0s, 8, 300s), job(0s, 8, 300s)});
  for (const char* spec : {"ranked:rank=round_robin,quantum=10s", "ranked:rank=las,quantum=10s"}) {
    const auto p = policy(spec);
    Timetable times(w.size());
    const RunSummary run = simulate(kOne, w, *p, {}, times);
    CHECK(run.findings.empty());
    CHECK_FALSE(run.stopped_early);
    for (const SimTime end : times.end) CHECK(end >= kStart + 850s);
  }
  // Who never gets anything done is one: every turn is shorter than the restart.
  const auto p =
      policy("ranked:rank=round_robin,quantum=10s,preemption=checkpoint,restart_cost=20s");
  Timetable times(w.size());
  const RunSummary run = simulate(kOne, w, *p, {}, times);
  REQUIRE(run.findings.size() == 1);
  CHECK(run.findings[0].kind == Finding::Kind::livelock);
}

TEST_CASE("why a job waits, by rank") {
  const Workload w =
      workload({job(0s, 8, 50s), job(0s, 4, 300s), job(10s, 8, 60s), job(10s, 8, 70s)});
  const auto words = [&](const char* spec, std::uint32_t j) {
    return why(kTwo, w, *policy(spec), {}, JobId{j}, SimTime{20s}).at;
  };
  const Explanation second = words("ranked", 3);
  CHECK(second.cause == Cause::capacity);
  CHECK(second.text ==
        "needs 8 GPUs on one node; 0 GPUs are free; rank srtf: 70 s to go by its estimate; 16 GPUs "
        "held by jobs that rank no lower, 0 GPUs by jobs that rank lower");
  const Explanation guarded = words("ranked:quantum=30s", 2);
  CHECK(guarded.cause == Cause::capacity);
  CHECK(guarded.text ==
        "needs 8 GPUs on one node; 4 GPUs are free; rank srtf: 60 s to go by its estimate; 0 GPUs "
        "held by jobs that rank no lower, 0 GPUs by jobs that rank lower, 12 GPUs by jobs whose "
        "quantum is not over");
}

// Whether there would be room is counted node by node, and remembered, unless somebody has a share of a GPU: here the
// last job has, long after all others.
TEST_CASE("ranked: victims are the same whether they are sought by number or on the cluster") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Stream r(seed, "victims by number");
    std::vector<TestJob> jobs;
    std::chrono::seconds clock{0};
    for (int i = 0; i < 400; ++i) {
      clock += std::chrono::seconds{r.below(20)};
      const auto gpus =
          static_cast<std::uint32_t>(r.chance(0.5) ? 1 + r.below(4) : 4 * (1 + r.below(7)));
      jobs.push_back(TestJob(clock, gpus, std::chrono::seconds{10 + r.below(300)})
                         .named(std::to_string(i) + ";"));
    }
    std::vector<TestJob> with_share = jobs;
    with_share.push_back(TestJob(clock + 100h, 1, 1s).share(500));
    for (const std::string spec :
         {"ranked:rank=srtf", "ranked:rank=las", "ranked:rank=las,span=idle_nodes,quantum=60s",
          "ranked:rank=tiresias,thresholds=10min/1h", "ranked:rank=srsf,backfill=false"}) {
      INFO(spec << ", seed " << seed);
      const std::string by_number = victims(spec, jobs, Fleet::uniform(5, 8));
      CHECK(by_number.size() > 100);
      CHECK(by_number == victims(spec, with_share, Fleet::uniform(5, 8)));
    }
  }
}

TEST_CASE("what ranked refuses") {
  CHECK(refusal("ranked:rank=round_robin") ==
        "test: /quantum: rank=round_robin needs a time above 0\n    Gandiva's is a minute: "
        "quantum=60s");
  CHECK(refusal("ranked:rank=tiresias,thresholds=10h/1h") ==
        "test: /thresholds: expected ascending GPU times with units, got \"10h/1h\"\n    for "
        "example thresholds=1h/10h for three queues");
  CHECK(refusal("ranked:rank=gittins,history={\"0\": 3}") ==
        "test: /history: expected GPU-seconds and a number of jobs, got \"0\": 3\n    for example "
        "{\"3600\": 12}");
}
