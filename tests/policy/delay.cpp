// Delay scheduling: a gang waits for a tight placement for a while, others start meanwhile.

#include <set>
#include <sstream>

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "muster/io/fleet.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

TestJob gang(Duration submit, std::uint32_t nodes, Duration duration) {
  return job(submit, 0, duration).nodes(nodes);
}

std::string drawn(const std::string& fleet_spec, const std::string& spec,
                  const std::vector<TestJob>& jobs) {
  const Fleet fleet = load_fleet(fleet_spec);
  const Workload w = workload(jobs);
  Gantt gantt(w, fleet.nodes.size(), 10s);
  const auto p = policy("batch:skip=true" + spec);
  simulate(fleet, w, *p, {}, gantt);
  return gantt.text();
}

/// Eight nodes, in pods of two leaves of two, taken for 100 s but for those in `free`, which are free
/// from 5 s on.
std::vector<TestJob> busy_but(std::set<std::uint32_t> free) {
  std::vector<TestJob> jobs;
  for (std::uint32_t n = 0; n < 8; ++n)
    jobs.push_back(gang(0s, 1, free.contains(n) ? 5s : 100s)
                       .named("n" + std::to_string(n) + (free.contains(n) ? "x" : "a")));
  return jobs;
}

/// The row of each node that was free, if all others are as they were.
std::string rows_of(const std::string& spec, std::set<std::uint32_t> free,
                    const std::vector<TestJob>& more) {
  std::vector<TestJob> jobs = busy_but(free);
  jobs.insert(jobs.end(), more.begin(), more.end());
  std::istringstream rows(drawn("8x1:g/2/2", spec, jobs));
  std::string text, row;
  std::getline(rows, row);
  for (std::uint32_t n = 0; std::getline(rows, row); ++n)
    if (free.contains(n)) text += (text.empty() ? "" : " ") + row;
  return text;
}

}  // namespace

TEST_CASE("a gang waits for one leaf, then for one pod, then goes anywhere") {
  const std::vector<TestJob> g = {gang(6s, 2, 20s).named("g")};
  CHECK(rows_of("", {1, 2}, g) == "|xgg.......| |xgg.......|");
  CHECK(rows_of(",delay_leaf=24s", {1, 2}, g) == "|x..gg.....| |x..gg.....|");
  CHECK(rows_of(",delay_leaf=24s,delay_pod=20s", {1, 2}, g) == "|x..gg.....| |x..gg.....|");
  CHECK(rows_of(",delay_leaf=24s,delay_pod=20s", {1, 7}, g) == "|x....gg...| |x....gg...|");
  CHECK(rows_of(",delay_pod=24s", {1, 7}, g) == "|x..gg.....| |x..gg.....|");
  CHECK(rows_of(",delay_leaf=1h", {2, 3}, g) == "|xgg.......| |xgg.......|");
}

TEST_CASE("others start while it waits, and it takes a leaf as soon as there is one") {
  // h has node 3 until 26 s; then leaf 1 is free.
  CHECK(rows_of(",delay_leaf=1h", {1, 2, 3},
                {gang(6s, 3, 10s).inside(Level::pod).named("f"), gang(16s, 2, 20s).named("g"),
                 gang(16s, 1, 10s).named("h")}) == "|xfh.......| |xfgg......| |xfgg......|");
  CHECK(rows_of(",delay_leaf=1h", {1, 2},
                {gang(6s, 2, 20s).named("g"), gang(7s, 1, 20s).named("h")}) ==
        "|xhh.......gg| |x...........|");
}

TEST_CASE("nobody waits for what there is not") {
  // Three nodes are in no leaf, one node is in any, and of one leaf there is nothing to choose.
  CHECK(rows_of(",delay_leaf=1h", {1, 2, 7}, {gang(6s, 3, 20s).named("g")}) ==
        "|xgg.......| |xgg.......| |xgg.......|");
  CHECK(rows_of(",delay_leaf=24s,delay_pod=20s", {1, 2, 7}, {gang(6s, 3, 20s).named("g")}) ==
        "|x..gg.....| |x..gg.....| |x..gg.....|");
  CHECK(rows_of(",delay_leaf=1h,delay_pod=1h", {7}, {gang(6s, 1, 20s).named("g")}) ==
        "|xgg.......|");
  CHECK(drawn("2x1", ",delay_leaf=1h,delay_pod=1h", {gang(6s, 2, 20s).named("g")}) ==
        "\n|.gg|\n|.gg|\n");
}

TEST_CASE("nobody is evicted for who insists") {
  const std::string spec = ",preemption=requeue,delay_leaf=24s";
  CHECK(rows_of(spec, {1, 2}, {gang(6s, 2, 20s).priority(1).named("g")}) ==
        "|x..gg.....| |x..gg.....|");
}

TEST_CASE("delay: what can't be meant") {
  CHECK(refusal("batch:delay_leaf=10min") ==
        "test: /delay_leaf: goes with skip=true: others start while a job waits for a better "
        "place\n    backfill=none,skip=true,delay_leaf=10min");
}

TEST_CASE("why: on what it insists, and until when") {
  std::vector<TestJob> jobs = busy_but({1, 7});
  jobs.push_back(gang(6s, 2, 20s).named("g"));
  const Workload w = workload(jobs);
  const auto told = [&](SimTime at) {
    const auto p = policy("batch:skip=true,delay_leaf=24s,delay_pod=20s");
    return why(load_fleet("8x1:g/2/2"), w, *p, {}, JobId{8}, at);
  };
  const WhyReport leaf = told(kStart + 10s), pod = told(kStart + 30s);
  CHECK(leaf.at.cause == Cause::topology);
  CHECK(leaf.at.text ==
        "needs 2 whole nodes, and that is free, but not inside one leaf; it waits for a leaf until "
        "30 s (delay_leaf)");
  CHECK(leaf.at.remedy == "a leaf with room for it, or a shorter delay_leaf");
  CHECK(
      pod.at.text ==
      "needs 2 whole nodes, and that is free, but not inside one pod; it waits for a pod until 50 "
      "s (delay_pod)");
}
