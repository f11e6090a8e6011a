// Guarantees, borrowing and reclaim, drawn: a row per node, a column per 10 s, a letter per job.

#include "catch.hpp"
#include "muster/io/fleet.hpp"
#include "support/gantt.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kFour = Fleet::uniform(4, 1);

}  // namespace

TEST_CASE("what one queue does not use, the other borrows, and gives back by and by") {
  const std::vector<TestJob> jobs{
      job(0s, 3, 30s).queue("guest"),   // a: 1 of its own, 2 borrowed
      job(10s, 2, 20s).queue("owner"),  // b: waits until a is done
      job(10s, 1, 10s).queue("owner"),  // c: the GPU that is left
  };
  CHECK(schedule("batch:skip=true,guarantees={\"guest\": 1, \"owner\": 3}", jobs, kFour) == R"(
|aaabb|
|aaabb|
|aaa..|
|.c...|
)");
  SECTION("without borrowing the guest's gang could never run") {
    CHECK(schedule("batch:skip=true,borrowing=false,guarantees={\"guest\": 1, \"owner\": 3}", jobs,
                   kFour) == R"(
|.bb|
|.bb|
|.c.|
|...|
)");
  }
  SECTION("reclaimed, it comes back at once") {
    CHECK(schedule("batch:skip=true,preemption=suspend,reclaim=from_borrowers,"
                   "guarantees={\"guest\": 1, \"owner\": 3}",
                   jobs, kFour) == R"(
|abbaa|
|abbaa|
|ac.aa|
|.....|
)");
  }
}

TEST_CASE("a quota that makes no sense is refused with the place") {
  CHECK(refusal("batch:reclaim=from_borrowers") ==
        "test: /reclaim: needs a way to evict, but preemption is none\n"
        "    preemption=requeue or preemption=suspend");
  CHECK(refusal("batch:reclaim=fair_share,preemption=requeue") ==
        "test: /reclaim: needs quotas, and there are none\n"
        "    guarantees={\"queue\":GPUs,...}, or pool=GPUs for all queues");
  CHECK(refusal("batch:guarantees={\"a\": -1}") ==
        "test: /guarantees/a: expected an integer >= 0, got -1");
  CHECK(refusal("batch:caps={\"a\": 9223372036854775807}") ==
        "test: /caps/a: expected GPUs, 0..1000000000, got 9223372036854775807");
  CHECK(refusal("batch:pool=4,weights={\"a\": 0}") ==
        "test: /weights/a: expected 1..1000000000, got 0");
  CHECK(refusal("batch:pool=4,parents={\"a\": \"b\", \"b\": \"a\"}") ==
        "test: /parents/b: stands above itself, or is more than 32 levels deep\n"
        "    cohorts form a tree; the topmost have no parent");
  CHECK(refusal("batch:caps={\"a\": 4},lending={\"a\": 2}") ==
        "test: /lending: limits what a queue lends of its guarantee, and none has one\n"
        "    guarantees={\"queue\":GPUs,...} gives queues something of their own");
  CHECK(refusal("batch:caps={\"a\": 4},borrowing=false")
            .starts_with(
                "test: /borrowing: false keeps queues to their guarantees, and none has one"));
  CHECK(refusal("batch:by_weight=true") ==
        "test: /by_weight: needs weights and no guarantees\n"
        "    weights={\"a\":2,\"b\":1} guarantees a two thirds of the fleet");
}
