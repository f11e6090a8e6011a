// What a pass changes it looks at again itself: nobody waits for the next event. Drawn: a row per node, a column
// per 10 s, a letter per job.

#include "catch.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

// c waits for all of the fleet and may not evict a. e evicts b and needs half of what it had; d did not fit before,
// and does now.
TEST_CASE("same pass: what an eviction frees beyond the need is for whoever fits") {
  const std::vector<TestJob> jobs{job(0s, 2, 50s).priority(9), job(0s, 2, 60s),
                                  job(10s, 4, 10s).priority(9), job(10s, 1, 30s),
                                  job(20s, 1, 40s).priority(5)};
  CHECK(schedule("batch:skip=true,order=priority,preemption=suspend", jobs, Fleet::uniform(4, 1)) ==
        R"(
|aaaaace...|
|aaaaacbbbb|
|bbeeecbbbb|
|bbdddc....|
)");
}

TEST_CASE("same pass: the second urgent one evicts too, where there was room for the first") {
  const std::vector<TestJob> jobs{job(0s, 1, 50s), job(10s, 1, 20s).priority(5),
                                  job(10s, 1, 20s).priority(5)};
  const Fleet two = Fleet::uniform(2, 1);
  for (const std::string kind :
       {"backfill=easy", "backfill=easy,reservations=2", "backfill=conservative",
        "backfill=conservative,conservative=compress", "backfill=easy,promise=pinned",
        "backfill=conservative,promise=pinned",
        "backfill=conservative,promise=pinned,conservative=compress"}) {
    INFO(kind);
    CHECK(schedule("batch:order=priority,preemption=suspend," + kind, jobs, two) == R"(
|accaaaa|
|.bb....|
)");
  }
}
