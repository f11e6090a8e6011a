// Reclaim by final fair share: a queue may evict for a job as long as it ends up with no more than its victims.

#include "catch.hpp"
#include "support/gantt.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kFour = Fleet::uniform(4, 1);

std::string fair(std::int64_t pool) {
  return "batch:skip=true,preemption=requeue,reclaim=fair_share,pool=" + std::to_string(pool);
}
TestJob of(const char* queue, Duration submit, std::uint32_t gpus, Duration duration) {
  return job(submit, gpus, duration).queue(queue);
}

}  // namespace

TEST_CASE("fair reclaim: one GPU after the other, until both have as much") {
  // e and f find p's jobs in their way and evict one each; g would leave q three and p one.
  CHECK(
      schedule(fair(4),
               {of("p", 0s, 1, 50s), of("p", 0s, 1, 50s), of("p", 0s, 1, 50s), of("p", 0s, 1, 50s),
                of("q", 10s, 1, 40s), of("q", 20s, 1, 30s), of("q", 30s, 1, 20s)},
               kFour) == R"(
|aaaaaccccc|
|bbbbbddddd|
|ccfffgg...|
|deeee.....|
)");
}

TEST_CASE("fair reclaim: the claimant counts with what it asks for") {
  CHECK(schedule(fair(4),
                 {of("p", 0s, 1, 30s), of("p", 0s, 1, 30s), of("p", 0s, 1, 30s),
                  of("p", 0s, 1, 30s), of("q", 10s, 3, 10s)},
                 kFour) == R"(
|aaae|
|bbbe|
|ccce|
|ddd.|
)");
  CHECK(schedule(fair(4),
                 {of("p", 0s, 1, 30s), of("p", 0s, 1, 30s), of("p", 0s, 1, 30s),
                  of("p", 0s, 1, 30s), of("q", 10s, 2, 10s)},
                 kFour) == R"(
|aaa..|
|bbb..|
|ceccc|
|deddd|
)");
}

TEST_CASE("fair reclaim: the victim's queue counts without the victim") {
  // p would be left with nothing.
  CHECK(schedule(fair(4), {of("p", 0s, 4, 30s), of("q", 10s, 1, 10s)}, Fleet::uniform(1, 4)) == R"(
|aaab|
)");
}

TEST_CASE("fair reclaim: whoever of its own is let off may make it too much") {
  // Three nodes of two. c, of q, needs a node: x, of q, less urgent, goes first, then z, which has a whole one.
  // With x back q would have three GPUs and p two. So x falls back to its beginning.
  const std::vector<TestJob> jobs{
      of("q", 0s, 1, 60s).named("x"),
      of("p", 0s, 1, 60s).priority(5).named("w"),
      of("p", 0s, 1, 60s).priority(5).named("y"),
      of("s", 0s, 1, 60s).priority(9).named("t"),
      of("p", 1s, 2, 30s).priority(5).named("z"),
      of("q", 10s, 2, 20s).priority(1).named("c"),
  };
  CHECK(schedule(fair(6), jobs, Fleet::uniform(3, 2)) == R"(
|******x|
|******.|
|.cczzz.|
)");
}

TEST_CASE("reclaim from borrowers: only what is within the claimant's guarantee") {
  const std::string spec =
      "batch:skip=true,preemption=requeue,reclaim=from_borrowers,pool=1,"
      "guarantees={\"guest\": 1, \"owner\": 2}";
  const std::vector<TestJob> guests{of("guest", 0s, 1, 30s), of("guest", 0s, 1, 30s),
                                    of("guest", 0s, 1, 30s), of("guest", 0s, 1, 30s)};
  std::vector<TestJob> two = guests, three = guests;
  two.push_back(of("owner", 10s, 2, 10s));
  three.push_back(of("owner", 10s, 3, 10s));
  CHECK(schedule(spec, two, kFour) == R"(
|aaa..|
|bbb..|
|ceccc|
|deddd|
)");
  CHECK(schedule(spec, three, kFour) == R"(
|aaae|
|bbbe|
|ccce|
|ddd.|
)");
}

TEST_CASE("reclaim from borrowers: nobody else, though they came later") {
  CHECK(schedule("batch:skip=true,preemption=requeue,reclaim=from_borrowers,"
                 "guarantees={\"own\": 2, \"owner\": 2}",
                 {of("guest", 0s, 1, 30s).named("g"), of("guest", 0s, 1, 30s).named("h"),
                  of("own", 1s, 1, 30s).named("x"), of("own", 1s, 1, 30s).named("y"),
                  of("owner", 10s, 2, 10s).named("o")},
                 kFour) == R"(
|goggg|
|hohhh|
|.xxx.|
|.yyy.|
)");
}

TEST_CASE("reclaim from borrowers: until they borrow no more") {
  // p needs all of node 0, on which guest has one GPU of its own and one that it borrows.
  CHECK(schedule("batch:skip=true,preemption=requeue,reclaim=from_borrowers,"
                 "guarantees={\"guest\": 1, \"owner\": 3}",
                 {of("guest", 0s, 1, 30s).named("g"), of("guest", 0s, 1, 30s).named("h"),
                  of("owner", 0s, 1, 60s).named("o"), of("owner", 10s, 2, 10s).named("p")},
                 Fleet::uniform(2, 2)) == R"(
|***p..|
|oooooo|
)");
}

TEST_CASE("reclaim: who turns out not to be needed runs on") {
  // b, who came last, is the first to go, but q's own c is on the same node. So a goes, and b has its node back.
  CHECK(schedule("batch:skip=true,preemption=requeue,reclaim=from_borrowers,guarantees={\"q\": 4}",
                 {of("p", 0s, 2, 60s).named("a"), of("q", 0s, 1, 60s).named("c"),
                  of("p", 1s, 1, 45s).named("b"), of("q", 10s, 2, 30s).named("d")},
                 Fleet::uniform(2, 2)) == R"(
|adddaaaaaa|
|c****c....|
)");
}
