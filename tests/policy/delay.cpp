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

/// `spec`: what is added to a queue in which whoever fits starts, or another policy.
std::string drawn(const std::string& fleet_spec, const std::string& spec,
                  const std::vector<TestJob>& jobs) {
  const Fleet fleet = load_fleet(fleet_spec);
  const Workload w = workload(jobs);
  Gantt gantt(w, fleet.nodes.size(), 10s);
  const auto p = policy(spec.empty() || spec[0] == ',' ? "batch:skip=true" + spec : spec);
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

// At 20 s leaf 1 comes free, and g would start there; u, which insists on a leaf, takes it in the same pass. Nodes 1
// and 5 are free all along: g takes them when it gives in, at 55 s.
TEST_CASE("who is evicted by the pass that started it insists as long as it would have") {
  CHECK(drawn("6x1:g/2", ",preemption=suspend,delay_leaf=50s",
              {gang(0s, 1, 100s).priority(9).named("a"), gang(0s, 1, 5s).priority(9).named("x"),
               gang(0s, 2, 20s).priority(9).named("b"), gang(0s, 1, 100s).priority(9).named("c"),
               gang(5s, 2, 20s).named("g"),
               gang(20s, 2, 100s).inside(Level::leaf).priority(1).named("u")}) ==
        "\n|aaaaaaaaaa..|\n|x.....gg....|\n|bbuuuuuuuuuu|\n|bbuuuuuuuuuu|\n|cccccccccc..|\n"
        "|......gg....|\n");
}

// a leaves for s within 5 s, and goes on at 20 s, where b has been and beside s: of leaves it has had its time.
TEST_CASE("whoever was evicted has had its time, with a grace time too") {
  CHECK(
      drawn("4x1:g/2", ",preemption=suspend,delay_leaf=1h",
            {gang(0s, 2, 100s).grace(5s).named("a"), gang(0s, 1, 20s).priority(9).named("b"),
             gang(0s, 1, 90s).priority(9).named("c"), gang(10s, 1, 30s).priority(1).named("s")}) ==
      "\n|aasss......|\n|aaaaaaaaaaa|\n|bbaaaaaaaaa|\n|ccccccccc..|\n");
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

TEST_CASE("ranked: a gang waits for one leaf, then for one pod, then goes anywhere") {
  const std::vector<TestJob> g = {gang(6s, 2, 20s).named("g")};
  const std::string fifo = "ranked:rank=fifo";
  CHECK(rows_of(fifo, {1, 2}, g) == "|xgg.......| |xgg.......|");
  CHECK(rows_of(fifo + ",delay_leaf=24s", {1, 2}, g) == "|x..gg.....| |x..gg.....|");
  CHECK(rows_of(fifo + ",delay_leaf=24s", {2, 3}, g) == "|xgg.......| |xgg.......|");
  CHECK(rows_of(fifo + ",delay_leaf=24s,delay_pod=20s", {1, 4}, g) == "|x....gg...| |x....gg...|");
  // Who comes later starts meanwhile.
  CHECK(rows_of(fifo + ",delay_leaf=24s", {1, 2}, {g[0], gang(7s, 1, 10s).named("h")}) ==
        "|xh.gg.....| |x..gg.....|");
}

TEST_CASE("ranked: while it waits for a leaf a gang takes nobody's GPUs") {
  // Two leaves of two; a, b and c are on one node each, and g is the shortest by far.
  const std::vector<TestJob> jobs = {gang(0s, 1, 100s).named("a"), gang(0s, 1, 100s).named("b"),
                                     gang(0s, 1, 100s).named("c"), gang(10s, 2, 10s).named("g")};
  CHECK(drawn("4x1:g/2", "ranked:rank=srtf", jobs) ==
        "\n|aaaaaaaaaa.|\n|bbbbbbbbbb.|\n|cgccccccccc|\n|.g.........|\n");
  CHECK(drawn("4x1:g/2", "ranked:rank=srtf,delay_leaf=30s", jobs) ==
        "\n|aaaaaaaaaa.|\n|bbbbbbbbbb.|\n|ccccgcccccc|\n|....g......|\n");
  CHECK(refusal("ranked:backfill=false,delay_leaf=10s").find("goes with backfill=true") !=
        std::string::npos);
}

// c has what g could evict it from, and does not while it insists.
TEST_CASE("ranked: who evicts nobody for its delay's sake waits for topology") {
  const std::vector<TestJob> jobs = {job(0s, 1, 100s).named("a"), job(0s, 1, 100s).named("b"),
                                     gang(0s, 2, 200s).named("c"), gang(6s, 2, 10s).named("g")};
  const Workload w = workload(jobs);
  const auto cause = [&](const std::string& spec) {
    const auto p = policy(spec);
    return why(load_fleet("4x1:g/2"), w, *p, {}, JobId{3}, kStart + 10s).at;
  };
  const Explanation insists = cause("ranked:rank=srtf,delay_leaf=30s");
  CHECK(insists.cause == Cause::topology);
  CHECK(insists.text.find("would not be enough") == std::string::npos);
  CHECK(insists.text.find("nobody is evicted for it until then") != std::string::npos);
  CHECK(insists.remedy == "a leaf with room for it, or a shorter delay_leaf");
  // Where all rank higher it is no fault of the delay.
  CHECK(cause("ranked:rank=fifo,delay_leaf=30s").cause == Cause::capacity);
}

TEST_CASE("ranked: why says on what a gang insists") {
  std::vector<TestJob> jobs = busy_but({1, 2});
  jobs.push_back(gang(6s, 2, 20s).named("g"));
  const Workload w = workload(jobs);
  const auto p = policy("ranked:rank=fifo,delay_leaf=24s");
  const WhyReport said = why(load_fleet("8x1:g/2/2"), w, *p, {}, JobId{8}, kStart + 6s);
  CHECK(said.at.cause == Cause::topology);
  CHECK(said.at.text.find("it waits for a leaf until 30 s (delay_leaf)") != std::string::npos);
}

TEST_CASE("ranked: who is content with any place does not wait behind one who insists") {
  // Nodes 1 and 2 are free from 5 s on. k asks for the same as g and is shorter; g gives in at 30 s, k
  // at 50 s.
  CHECK(drawn("4x1:g/2", "ranked:rank=srtf,delay_leaf=24s",
              {gang(0s, 1, 100s).named("a"), gang(1s, 1, 4s).named("x"), gang(2s, 1, 3s).named("y"),
               gang(3s, 1, 97s).named("b"), gang(6s, 2, 20s).named("g"),
               gang(26s, 2, 10s).named("k")}) ==
        "\n|aaaaaaaaaa|\n|...ggk....|\n|...ggk....|\n|.bbbbbbbbb|\n");
}

TEST_CASE("ranked: whoever was evicted has had its time") {
  // a loses a node of leaf 1 to s at 10 s, and goes on where there is room from 20 s on.
  const std::vector<TestJob> jobs = {gang(0s, 2, 100s).named("a"), gang(0s, 1, 20s).named("b"),
                                     gang(0s, 1, 90s).named("c"), gang(10s, 1, 30s).named("s")};
  CHECK(drawn("4x1:g/2", "ranked:rank=srtf,delay_leaf=1h", jobs) ==
        "\n|bbaaaaaaaaa|\n|ccccccccc..|\n|asss.......|\n|a.aaaaaaaaa|\n");
  // The same with a grace time, after which it begins to wait anew: no leaf is waited for.
  std::vector<TestJob> graceful = jobs;
  graceful[0].grace(5s);
  CHECK(drawn("4x1:g/2", "ranked:rank=srtf,delay_leaf=1h", graceful) ==
        "\n|bbaaaaaaaaa|\n|ccccccccc..|\n|aasss......|\n|aaaaaaaaaaa|\n");
}

TEST_CASE(
    "ranked: who insists takes a leaf that others free at once, while more is on its way out") {
  // For b u goes at once, and v within 5 s. g, the shortest, has leaf 1 meanwhile; so v, for whom there is room
  // until g has ended, is back at 15 s, told to go again at 20 s, and gone at 25 s.
  const std::vector<TestJob> jobs = {gang(0s, 2, 40s).grace(5s).named("v"),
                                     gang(0s, 1, 50s).named("u"), gang(10s, 2, 10s).named("g"),
                                     gang(10s, 4, 20s).named("b")};
  CHECK(drawn("4x1:g/2", "ranked:rank=srtf,delay_leaf=1h", jobs) ==
        "\n|vvvbbvv..|\n|vvvbbvv..|\n|ug.bbuuuu|\n|.g.bb....|\n");
}
