// EASY's promise and the quota of the promised job's queue, drawn: a row per node, a column per 10 s, a letter per job.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

// b is promised 40 s. c may not pass it: its queue would have too little left then. d, of another one, may.
TEST_CASE("quota promises: who would still use what the promised job may use then does not pass") {
  const std::vector<TestJob> jobs{job(0s, 3, 40s).queue("p"), job(10s, 4, 10s).queue("q"),
                                  job(20s, 1, 60s).queue("q"), job(20s, 1, 60s).queue("r")};
  CHECK(schedule("batch:backfill=easy,caps={\"q\": 4}", jobs, Fleet::uniform(5, 1)) == R"(
|aaaabcccccc|
|aaaab......|
|aaaab......|
|..dddddd...|
|....b......|
)");
}

// c is gone by 40 s. Until then b's queue is at its cap, and e would be in b's way.
TEST_CASE("quota promises: who lets somebody of its queue pass keeps its promise meanwhile") {
  const std::vector<TestJob> jobs{job(0s, 3, 40s).queue("p"), job(10s, 5, 10s).queue("q"),
                                  job(20s, 1, 20s).queue("q").named("c"),
                                  job(30s, 1, 60s).queue("r").named("e")};
  CHECK(schedule("batch:backfill=easy,caps={\"q\": 5}", jobs, Fleet::uniform(5, 1)) == R"(
|aaaabeeeeee|
|aaaab......|
|aaaab......|
|..ccb......|
|....b......|
)");
}

// d borrows one of q's GPUs until a is gone; then there is enough for b again, and e would be in its way.
TEST_CASE("quota promises: what is borrowed until the promised time costs no promise") {
  const std::vector<TestJob> jobs{job(0s, 3, 40s).queue("r"), job(10s, 4, 10s).queue("q"),
                                  job(20s, 2, 60s).queue("r").named("d"),
                                  job(30s, 1, 60s).queue("s").named("e")};
  const std::string spec = "batch:backfill=easy,guarantees={\"q\": 4, \"r\": 4}";
  CHECK(schedule(spec, jobs, Fleet::uniform(6, 1)) == R"(
|aaaabeeeeee|
|aaaab......|
|aaaab......|
|..dddddd...|
|..dddddd...|
|....b......|
)");
  const auto p = policy(spec);
  const Workload w = prepared(workload(jobs), *p);
  const WhyReport said = why(Fleet::uniform(6, 1), w, *p, {}, JobId{1}, kStart + 30s);
  CHECK(said.at.cause == Cause::capacity);  // one GPU is free
  CHECK(said.at.promised == kStart + 40s);
}

// a has gone long before it said; b may not start before c has, and not later either.
TEST_CASE(
    "quota promises: one whose GPUs come early waits for its queue, and no longer than promised") {
  const std::vector<TestJob> jobs{
      job(0s, 3, 30s).estimate(60s).queue("p"), job(10s, 4, 10s).queue("q"),
      job(20s, 1, 40s).queue("q").named("c"), job(40s, 1, 60s).queue("r").named("e"),
      job(40s, 2, 60s).queue("r").named("f")};
  const std::string spec = "batch:backfill=easy,caps={\"q\": 4}";
  CHECK(schedule(spec, jobs, Fleet::uniform(6, 1)) == R"(
|aaa.eeeeee...|
|aaa...bffffff|
|aaa...bffffff|
|..ccccb......|
|......b......|
|.............|
)");
  const auto p = policy(spec);
  const Workload w = prepared(workload(jobs), *p);
  const WhyReport said = why(Fleet::uniform(6, 1), w, *p, {}, JobId{1}, kStart + 40s);
  CHECK(said.at.cause == Cause::quota);
  CHECK(said.at.promised == kStart + 60s);
}

// b stands ahead of c, but its queue is full until a is gone. c is promised 30 s meanwhile, and b can wait that long.
TEST_CASE("quota promises: who was passed over for its quota does not go before the promised job") {
  std::vector<TestJob> jobs{job(0s, 2, 30s).queue("q"), job(10s, 2, 20s).queue("q"),
                            job(10s, 4, 10s).queue("r")};
  CHECK(schedule("batch:backfill=easy,caps={\"q\": 2}", jobs, Fleet::uniform(4, 1)) == R"(
|aaacbb|
|aaacbb|
|...c..|
|...c..|
)");
  // Unless it could evict it.
  jobs[1].priority(1);
  CHECK(schedule("batch:backfill=easy,caps={\"q\": 2},preemption=requeue", jobs,
                 Fleet::uniform(4, 1)) == R"(
|aaabbc|
|aaabbc|
|.....c|
|.....c|
)");
}
