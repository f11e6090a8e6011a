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
