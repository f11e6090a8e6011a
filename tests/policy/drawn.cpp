// Schedules one can look at: a row per node, a column per 10 s, a letter per job.

#include "catch.hpp"
#include "muster/io/fleet.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kTwo = Fleet::uniform(2, 8);  // two nodes of eight
const Fleet kFour = Fleet::uniform(4, 1);

}  // namespace

TEST_CASE("a wide job at the head of the queue") {
  const std::vector<TestJob> jobs{
      job(0s, 8, 50s),   // a: holds one node
      job(1s, 16, 20s),  // b: needs both, so it waits for a
      job(2s, 8, 30s),   // c: would end before a does
      job(3s, 8, 60s),   // d: would not
  };
  SECTION("first come, first served: nobody passes b") {
    CHECK(schedule("batch", jobs, kTwo) == R"(
|aaaaabbccc...|
|.....bbdddddd|
)");
  }
  SECTION("easy lets c past, but not d") {
    CHECK(schedule("batch:backfill=easy", jobs, kTwo) == R"(
|aaaaabbdddddd|
|.ccc.bb......|
)");
  }
  SECTION("so does conservative") {
    CHECK(schedule("batch:backfill=conservative", jobs, kTwo) == R"(
|aaaaabbdddddd|
|.ccc.bb......|
)");
  }
  SECTION("skip: whoever fits goes, and b starves") {
    CHECK(schedule("batch:skip=true", jobs, kTwo) == R"(
|aaaaa.....bb|
|.cccddddddbb|
)");
  }
}

TEST_CASE("depth: how far behind the promise one looks") {
  const std::vector<TestJob> jobs{job(0s, 8, 50s), job(1s, 16, 20s), job(2s, 8, 60s),
                                  job(3s, 8, 30s)};
  CHECK(schedule("batch:backfill=easy,depth=1", jobs, kTwo) == R"(
|aaaaabbcccccc|
|.....bbddd...|
)");
  CHECK(schedule("batch:backfill=easy,depth=2", jobs, kTwo) == R"(
|aaaaabbcccccc|
|.ddd.bb......|
)");
}

TEST_CASE("depth: with promises of numbers and of nodes, too") {
  const std::vector<TestJob> jobs{job(0s, 8, 50s), job(1s, 16, 20s), job(2s, 8, 60s),
                                  job(3s, 8, 30s)};
  for (const std::string kind : {"easy,promise=count", "easy,promise=pinned"}) {
    INFO(kind);
    CHECK(schedule("batch:backfill=" + kind + ",depth=1", jobs, kTwo) == R"(
|aaaaabbcccccc|
|.....bbddd...|
)");
    CHECK(schedule("batch:backfill=" + kind + ",depth=2", jobs, kTwo) == R"(
|aaaaabbcccccc|
|.ddd.bb......|
)");
  }
  // Of all that wait two are planned: b and c.
  CHECK(schedule("batch:backfill=conservative,promise=pinned,depth=2", jobs, kTwo) == R"(
|aaaaabbcccccc|
|.....bbddd...|
)");
  CHECK(schedule("batch:backfill=conservative,promise=pinned,depth=3", jobs, kTwo) == R"(
|aaaaabbcccccc|
|.ddd.bb......|
)");
}

TEST_CASE("depth: where nobody is tried, or everybody has a promise, it is refused") {
  CHECK(refusal("batch:depth=5") ==
        "test: /depth: goes with skip=true or a backfill: else nobody is tried behind the first "
        "one\n    backfill=easy,depth=50");
  for (const std::string promise : {"time", "pinned"})
    CHECK(refusal("batch:backfill=conservative,conservative=compress,depth=5,promise=" + promise) ==
          "test: /depth: does not go with conservative=compress, which promises everybody a time "
          "when it comes\n    depth=0, or conservative=replan");
}

TEST_CASE("easy(k): one promise lets d delay c, two do not") {
  const std::vector<TestJob> jobs{
      job(0s, 3, 10s),  // a
      job(1s, 3, 10s),  // b: promised 10
      job(2s, 4, 10s),  // c: promised 20, if anything is
      job(3s, 1, 30s),  // d: fits beside b, not beside c
  };
  CHECK(schedule("batch:backfill=easy", jobs, kFour) == R"(
|ab..c|
|ab..c|
|ab..c|
|.dddc|
)");
  for (const char* spec : {"batch:backfill=easy,reservations=2", "batch:backfill=conservative",
                           "batch:backfill=conservative,conservative=compress"})
    CHECK(schedule(spec, jobs, kFour) == R"(
|abcddd|
|abc...|
|abc...|
|..c...|
)");
}

TEST_CASE("a promise is a time, or the very nodes") {
  const std::vector<TestJob> jobs{
      job(0s, 1, 20s),  // a
      job(0s, 1, 20s),  // b
      job(1s, 4, 10s),  // c: promised 20, when five nodes will be free
      job(2s, 1, 40s),  // d: the fifth
  };
  const Fleet five = Fleet::uniform(5, 1);
  CHECK(schedule("batch:backfill=easy,placer=first", jobs, five) == R"(
|aac..|
|bbc..|
|.dddd|
|..c..|
|..c..|
)");
  CHECK(schedule("batch:backfill=easy,placer=first,promise=pinned", jobs, five) == R"(
|aac..|
|bbc..|
|..c..|
|..c..|
|.dddd|
)");
}

TEST_CASE("orders") {
  const auto three = [](Duration second, Duration third) {
    return std::vector<TestJob>{job(0s, 16, 20s), job(1s, 16, second), job(2s, 16, third)};
  };
  SECTION("by submit time") {
    CHECK(schedule("batch", three(30s, 10s), kTwo) == R"(
|aabbbc|
|aabbbc|
)");
  }
  SECTION("the shortest first") {
    CHECK(schedule("batch:order=sjf", three(30s, 10s), kTwo) == R"(
|aacbbb|
|aacbbb|
)");
  }
  SECTION("the longest first") {
    CHECK(schedule("batch:order=ljf", three(10s, 30s), kTwo) == R"(
|aacccb|
|aacccb|
)");
  }
  SECTION("the most urgent first") {
    CHECK(schedule("batch:order=priority",
                   {job(0s, 16, 20s), job(1s, 16, 20s).priority(1), job(2s, 16, 20s).priority(2)},
                   kTwo) == R"(
|aaccbb|
|aaccbb|
)");
  }
  SECTION("who used least first") {
    CHECK(schedule(
              "batch:order=fair_share",
              {job(0s, 16, 40s).user("x"), job(1s, 16, 20s).user("x"), job(2s, 16, 20s).user("y")},
              kTwo) == R"(
|aaaaccbb|
|aaaaccbb|
)");
  }
}

TEST_CASE("preemption") {
  SECTION("suspend: a goes on where it was") {
    CHECK(schedule("batch:order=priority,preemption=suspend",
                   {job(0s, 16, 50s), job(10s, 8, 20s).priority(1)}, kTwo) == R"(
|abbaaaa|
|a..aaaa|
)");
  }
  SECTION("requeue: a falls back to its checkpoint at 40 s and pays 10 s") {
    CHECK(schedule("batch:order=priority,preemption=requeue",
                   {job(0s, 8, 60s).checkpoints(20s, 10s), job(50s, 16, 10s).priority(1)},
                   kTwo) == R"(
|aaaaabaaa|
|.....b...|
)");
  }
  SECTION("requeue without checkpoints: from the beginning") {
    CHECK(schedule("batch:order=priority,preemption=requeue",
                   {job(0s, 8, 60s), job(50s, 16, 10s).priority(1)}, kTwo) == R"(
|aaaaabaaaaaa|
|.....b......|
)");
  }
  SECTION("grace: a holds its GPUs for 10 s more, for nothing") {
    CHECK(schedule("batch:order=priority,preemption=requeue",
                   {job(0s, 16, 50s).grace(10s), job(10s, 8, 20s).priority(1)}, kTwo) == R"(
|aabbaaaaa|
|aa..aaaaa|
)");
  }
  SECTION("equals do not evict each other") {
    CHECK(schedule("batch:order=priority,preemption=suspend",
                   {job(0s, 16, 30s).priority(1), job(10s, 16, 20s).priority(1)}, kTwo) == R"(
|aaabb|
|aaabb|
)");
  }
}

TEST_CASE("caps: what is capped lets others pass") {
  CHECK(
      schedule("batch:caps={\"q\": 8}",
               {job(0s, 8, 30s).queue("q"), job(0s, 8, 30s).queue("q"), job(0s, 8, 30s).queue("r")},
               kTwo) == R"(
|aaabbb|
|ccc...|
)");
}

TEST_CASE("dependencies hold a job, and it holds nobody") {
  CHECK(schedule("batch", {job(0s, 8, 20s), job(0s, 16, 20s).after("a"), job(0s, 8, 10s)}, kTwo) ==
        R"(
|aabb|
|c.bb|
)");
}

TEST_CASE("cancellation") {
  SECTION("of a waiting job: whoever it held back goes") {
    CHECK(schedule("batch", {job(0s, 8, 40s), job(1s, 16, 20s).cancel(19s), job(2s, 8, 20s)},
                   kTwo) == R"(
|aaaa|
|..cc|
)");
  }
  SECTION("of a running job, if that is asked for") {
    EngineOptions options;
    const std::vector<TestJob> jobs{job(0s, 16, 40s).cancel(20s), job(1s, 16, 20s)};
    CHECK(schedule("batch", jobs, kTwo) == R"(
|aaaabb|
|aaaabb|
)");
    options.cancel_running = true;
    CHECK(schedule("batch", jobs, kTwo, options) == R"(
|aabb|
|aabb|
)");
  }
}

TEST_CASE("locality: one leaf or none") {
  const Fleet leaves =
      parse_fleet(R"({"groups": [{"count": 4, "gpus": 8, "nodes_per_leaf": 2}]})", "test");
  CHECK(schedule("batch",
                 {job(0s, 8, 30s), job(0s, 16, 20s).inside(Level::leaf),
                  job(0s, 16, 20s).inside(Level::leaf)},
                 leaves) == R"(
|aaa.|
|....|
|bbcc|
|bbcc|
)");
  // Without the demand c takes what is left of both leaves, once b has gone.
  CHECK(schedule("batch", {job(0s, 8, 30s), job(0s, 16, 20s).inside(Level::leaf), job(0s, 8, 20s)},
                 leaves) == R"(
|aaa|
|cc.|
|bb.|
|bb.|
)");
}

TEST_CASE("scheduling interval: passes at multiples of 30 s") {
  EngineOptions options;
  options.scheduling_interval = 30s;
  CHECK(schedule("batch", {job(0s, 16, 20s), job(1s, 16, 10s)}, kTwo, options) == R"(
|aa.b|
|aa.b|
)");
}

TEST_CASE("whole nodes: a node that is used in part is no whole node") {
  CHECK(schedule("batch", {job(0s, 0, 30s).nodes(2), job(0s, 4, 30s), job(0s, 0, 10s).nodes(1)},
                 Fleet::uniform(3, 8)) == R"(
|aaac|
|aaa.|
|bbb.|
)");
}

TEST_CASE("shares of a GPU: the fullest GPU that still fits") {
  const Fleet three = Fleet::uniform(3, 1);
  CHECK(schedule("batch",
                 {job(0s, 1, 20s).share(600), job(0s, 1, 20s).share(400),
                  job(0s, 1, 20s).share(600), job(0s, 1, 10s)},
                 three) == R"(
|**|
|cc|
|d.|
)");
}

TEST_CASE("a job is stopped at its limit") {
  CHECK(schedule("batch", {job(0s, 16, 40s).estimate(20s), job(1s, 16, 10s)}, kTwo) == R"(
|aab|
|aab|
)");
  CHECK(schedule("batch:kill_at_limit=false", {job(0s, 16, 40s).estimate(20s), job(1s, 16, 10s)},
                 kTwo) == R"(
|aaaab|
|aaaab|
)");
}

TEST_CASE("a promise by number is broken where the GPUs lie apart") {
  const std::vector<TestJob> jobs{
      job(0s, 1, 20s), job(0s, 1, 20s),  // a, b: one on each node
      job(0s, 1, 60s), job(0s, 1, 60s),  // c, d: as well
      job(1s, 2, 10s),                   // e: two GPUs of one node
  };
  const Fleet small = Fleet::uniform(2, 2);
  for (const char* promise : {"count", "time"}) {
    const std::string spec = std::string{"batch:backfill=easy,placer=spread,promise="} + promise;
    CHECK(schedule(spec, jobs, small) == R"(
|**cccce|
|**dddd.|
)");
    const Workload w = workload(jobs);
    Observer nobody;
    const RunSummary run = simulate(small, w, *policy(spec), {}, nobody);
    CHECK(run.broken_promises == (spec.ends_with("count") ? 1 : 0));
  }
}
