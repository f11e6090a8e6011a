// Jobs behind the first one are tried at multiples of a time only, as Slurm's bf_interval has it.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kTwo = Fleet::uniform(2, 1);

/// a and b start when they are in front, at 10 s and at 50 s; c could pass b from 20 s on.
std::vector<TestJob> jobs() { return {job(10s, 1, 40s), job(15s, 2, 20s), job(20s, 1, 10s)}; }

}  // namespace

TEST_CASE("backfill_interval: who is first starts at once, others at multiples of it") {
  for (const std::string kind :
       {"batch:backfill=easy", "batch:backfill=easy,reservations=2", "conservative"}) {
    INFO(kind);
    CHECK(schedule(kind + (kind == "conservative" ? ":" : ",") + "backfill_interval=0s", jobs(),
                   kTwo) == R"(
|.aaaabb|
|..c..bb|
)");
    CHECK(schedule(kind + (kind == "conservative" ? ":" : ",") + "backfill_interval=30s", jobs(),
                   kTwo) == R"(
|.aaaabb|
|...c.bb|
)");
  }
}

// c could have run from 20 s to 30 s; at 60 s b has both nodes.
TEST_CASE("backfill_interval: a chance that comes between is missed") {
  CHECK(schedule("batch:backfill=easy,backfill_interval=60s", jobs(), kTwo) == R"(
|.aaaabbc|
|.....bb.|
)");
}

// b waits for all; c is the second of the two that are tried, and once it runs d is.
TEST_CASE(
    "backfill_interval: who moves up is tried at the next multiple, though nothing else happens") {
  const std::vector<TestJob> jobs{job(0s, 1, 120s), job(10s, 3, 20s), job(10s, 1, 60s),
                                  job(10s, 1, 60s)};
  const Fleet three = Fleet::uniform(3, 1);
  for (const std::string kind : {"conservative:depth=2", "batch:backfill=easy,depth=1"}) {
    INFO(kind);
    CHECK(schedule(kind + ",backfill_interval=30s", jobs, three) == R"(
|aaaaaaaaaaaabb|
|...cccccc...bb|
|......ddddddbb|
)");
  }
}

TEST_CASE("backfill_interval: passes with times of their own try at the first one that is due") {
  EngineOptions options;
  options.scheduling_interval = 20s;
  const std::vector<TestJob> jobs{job(0s, 1, 100s), job(5s, 2, 20s), job(5s, 1, 20s)};
  // 30 s is no time for a pass, 40 s is the first behind it.
  CHECK(schedule("batch:backfill=easy,backfill_interval=30s", jobs, kTwo, options) == R"(
|aaaaaaaaaabb|
|....cc....bb|
)");
}

TEST_CASE("backfill_interval: why a job waits between") {
  const Workload w = workload(jobs());
  const auto p = policy("batch:backfill=easy,backfill_interval=30s");
  const WhyReport said = why(kTwo, w, *p, {}, JobId{2}, kStart + 20s);
  CHECK(said.at.cause == Cause::interval);
  CHECK(said.at.remedy == "the next time is at 30 s");
}

TEST_CASE("backfill_interval: refused where nothing would wait for it") {
  CHECK(refusal("batch:backfill_interval=30s").find("goes with backfill=easy") !=
        std::string::npos);
  CHECK(refusal("batch:backfill=easy,promise=pinned,backfill_interval=30s").find("promise=time") !=
        std::string::npos);
  CHECK(refusal("batch:backfill=conservative,conservative=compress,backfill_interval=30s")
            .find("conservative=replan") != std::string::npos);
}
