// Where one job goes: each placer's choice, worked out by hand, and FGD's against its definition.

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "muster/io/fleet.hpp"
#include "muster/policy/parts/placer.hpp"
#include "support/random_runs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// A placer on a cluster that tests fill by hand.
struct Bench {
  Fleet fleet;
  Cluster cluster{fleet, true};
  std::unique_ptr<Placer> placer;
  Cutting cutting;

  Bench(const std::string& name, Fleet on)
      : fleet(std::move(on)), placer(Placers::all().at(name).make(1)) {}

  Demand demand(const TestJob& j) const {
    const Workload w = workload({j});
    return resolve(w.shapes[w.shape[JobId{0}]], w.names, fleet, cutting);
  }
  void seen(const TestJob& j, int times = 1) {
    for (int i = 0; i < times; ++i) placer->submitted(demand(j), fleet);
  }
  /// Takes a share, or GPUs, of a GPU of a node.
  void fill(std::uint32_t node, std::uint32_t gpu, std::uint32_t milli = 1000) {
    const Slice s{NodeId{node}, 1, GpuMask{1} << gpu};
    cluster.take({&s, 1}, milli);
  }
  /// "0:0" for GPU 0 of node 0; nodes and GPUs in order, "" if it does not fit.
  std::string choice(const TestJob& j) {
    std::vector<Slice> slices;
    if (!placer->place(cluster, demand(j), slices)) return "";
    std::string text;
    for (const Slice& s : slices)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        for (std::uint32_t g = 0; g < 64; ++g)
          if ((s.gpus >> g) & 1)
            text += (text.empty() ? "" : " ") + std::to_string(n) + ":" + std::to_string(g);
    return text;
  }
};

TestJob gpus(std::uint32_t n) { return job(0s, n, 10s); }
TestJob part(std::uint32_t milli) { return job(0s, 1, 10s).share(milli); }

/// Two nodes of one GPU, of which 600 and 700 thousandths are free.
std::string of_two_shared(const std::string& placer) {
  Bench b(placer, Fleet::uniform(2, 1));
  b.seen(part(500), 10);
  b.seen(part(200));
  b.fill(0, 0, 400);
  b.fill(1, 0, 300);
  return b.choice(part(200));
}

/// Nodes 0 and 1 of four GPUs with one and three taken, node 2 of eight with three taken.
std::string of_three_nodes(const std::string& placer, const TestJob& j) {
  Bench b(placer, load_fleet("2x4+1x8"));
  for (const auto& [node, gpu] : {std::pair{0, 3}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 2}})
    b.fill(static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(gpu));
  return b.choice(j);
}

}  // namespace

TEST_CASE("fgd keeps room for what is asked for most; the tightest GPU does not") {
  // 0.2 on node 0 leaves 400, of no use to the ten tasks of 500; on node 1 it leaves 500.
  CHECK(of_two_shared("fgd") == "1:0");
  CHECK(of_two_shared("best_fit") == "0:0");
  CHECK(of_two_shared("pack") == "0:0");
  CHECK(of_two_shared("dot_product") == "1:0");
  CHECK(of_two_shared("dot_product_least") == "0:0");
}

TEST_CASE("fgd opens a whole GPU only where that costs less") {
  // A node with one shared GPU (700 free) and one whole one, and 1,700 thousandths free.
  Bench b("fgd", Fleet::uniform(1, 2));
  b.fill(0, 0, 300);
  SECTION("whole GPUs are wanted: 200 of the shared one costs nobody anything") {
    b.seen(gpus(1), 9);
    b.seen(part(200));
    CHECK(b.choice(part(200)) == "0:0");
  }
  SECTION("700 are wanted: the shared GPU is kept for them, and 800 are left on the other") {
    b.seen(part(700), 9);
    b.seen(part(200));
    CHECK(b.choice(part(200)) == "0:1");
  }
}

TEST_CASE("fgd: GPUs of a type that nobody asks for are fragments anyway") {
  Bench b("fgd", load_fleet("1x2:a+1x2:b"));
  b.seen(gpus(1).types("a"), 5);
  b.seen(gpus(1));
  // On a, one GPU is lost to tasks that could use it; on b, one that five of six can't use is gone.
  CHECK(b.choice(gpus(1)) == "1:0");
  CHECK(b.choice(gpus(1).types("a")) == "0:0");
}

TEST_CASE("fgd, before anybody has asked for anything: the tightest node") {
  Bench b("fgd", Fleet::uniform(2, 4));
  b.fill(1, 0);
  CHECK(b.choice(gpus(1)) == "1:1");
}

TEST_CASE("by what is free, by what is free in per cent, and by the product") {
  // Free: 3 of 4, 1 of 4, 5 of 8.
  CHECK(of_three_nodes("best_fit", gpus(1)) == "1:0");
  CHECK(of_three_nodes("most_allocated", gpus(1)) == "1:0");       // 50, 100, 50 % taken
  CHECK(of_three_nodes("least_allocated", gpus(1)) == "0:0");      // 50, 0, 50 % free: the first
  CHECK(of_three_nodes("least_allocated", gpus(2)) == "2:3 2:4");  // 25, -, 37 %
  CHECK(of_three_nodes("most_allocated", gpus(2)) == "0:0 0:1");   // 75, -, 62 %
  CHECK(of_three_nodes("dot_product", gpus(1)) == "2:3");
  CHECK(of_three_nodes("dot_product_least", gpus(2)) == "0:0 0:1");
  CHECK(of_three_nodes("best_fit", job(0s, 0, 1s).nodes(2, 1)) == "0:0 1:0");
  CHECK(of_three_nodes("dot_product", job(0s, 0, 1s).nodes(2, 1)) == "0:0 2:3");
}

TEST_CASE("least_allocated counts shares in whole per cent, as Kubernetes does") {
  Bench b("least_allocated", Fleet::uniform(2, 8));
  b.fill(0, 0, 50);  // 7,950 of 8,000 are free: with 100 more 98 %, as on the empty node
  CHECK(b.choice(part(100)) == "0:0");
  b.fill(0, 0, 100);  // 97 % against 98 %
  CHECK(b.choice(part(100)) == "1:0");
}

namespace {

/// Section 3.2 of the paper, word by word, on a list of what each GPU of a node has free.
struct Task {
  PoolMask pools;
  std::uint32_t whole, milli;
};
std::int64_t fragments(const std::vector<std::uint32_t>& gpus, std::uint32_t pool,
                       const std::vector<Task>& tasks) {
  std::int64_t sum = 0;
  for (const Task& t : tasks) {
    const auto enough = [&](std::uint32_t left) { return left >= (t.whole > 0 ? 1000 : t.milli); };
    const auto able = std::count_if(gpus.begin(), gpus.end(), enough);
    const bool runs = ((t.pools >> pool) & 1) && able >= std::max<std::int64_t>(t.whole, 1);
    for (const std::uint32_t left : gpus)
      if (!runs || !enough(left)) sum += left;
  }
  return sum;
}

std::vector<std::uint32_t> left_on(const Cluster& c, std::uint32_t node) {
  std::vector<std::uint32_t> left;
  for (std::uint32_t g = 0; g < c.fleet().nodes[NodeId{node}].gpus; ++g) {
    const auto it = c.partly_taken().find(std::uint64_t{node} * 64 + g);
    left.push_back((c.free(NodeId{node}) >> g) & 1 ? 1000
                   : it == c.partly_taken().end()  ? 0
                                                   : it->second);
  }
  return left;
}

/// The increase if `whole` GPUs or a share go to the GPUs of `mask`.
std::int64_t increase(const Cluster& c, std::uint32_t node, GpuMask mask, std::uint32_t milli,
                      const std::vector<Task>& tasks) {
  const std::uint32_t pool = c.fleet().nodes[NodeId{node}].pool;
  const std::vector<std::uint32_t> before = left_on(c, node);
  std::vector<std::uint32_t> after = before;
  for (std::uint32_t g = 0; g < after.size(); ++g)
    if ((mask >> g) & 1) after[g] -= milli;
  return fragments(after, pool, tasks) - fragments(before, pool, tasks);
}

/// The least increase on any node: every GPU is tried for a share.
std::optional<std::int64_t> least_increase(const Cluster& c, const Demand& d,
                                           const std::vector<Task>& tasks) {
  std::optional<std::int64_t> least;
  const auto consider = [&](std::int64_t x) { least = std::min(least.value_or(x), x); };
  for (std::uint32_t n = 0; n < c.fleet().nodes.size(); ++n) {
    if (!((d.pools >> c.fleet().nodes[NodeId{n}].pool) & 1)) continue;
    if (d.milli == 1000) {
      if (count(c.free(NodeId{n})) >= d.gpus)
        consider(increase(c, n, lowest(c.free(NodeId{n}), d.gpus), 1000, tasks));
      continue;
    }
    const std::vector<std::uint32_t> left = left_on(c, n);
    for (std::uint32_t g = 0; g < left.size(); ++g)
      if (left[g] >= d.milli) consider(increase(c, n, GpuMask{1} << g, d.milli, tasks));
  }
  return least;
}

}  // namespace

TEST_CASE("fgd's choice has the least increase of fragmentation, by brute force") {
  int placed = 0, shares = 0, negative = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Stream r(seed, "placers test");
    Bench b("fgd", parse_fleet(draw_fleet(r), "fleet.json"));
    std::vector<Task> tasks;
    std::vector<Slice> slices;
    for (int i = 0; i < 60; ++i) {
      const bool whole = r.chance(0.4);
      TestJob j = whole ? gpus(1 + static_cast<std::uint32_t>(r.below(b.fleet.widest)))
                        : part(50 + 50 * static_cast<std::uint32_t>(r.below(19)));
      if (r.chance(0.2)) j.types(r.chance(0.5) ? "A" : "B");
      const Demand d = b.demand(j);
      if (d.pools == 0 || d.gpus > d.widest) continue;
      b.placer->submitted(d, b.fleet);
      tasks.push_back({d.pools, d.milli == 1000 ? d.gpus : 0, d.milli});
      const auto least = least_increase(b.cluster, d, tasks);
      REQUIRE(b.placer->place(b.cluster, d, slices) == least.has_value());
      if (!least) continue;
      REQUIRE(slices.size() == 1);
      const std::int64_t ours =
          increase(b.cluster, slices[0].first.value, slices[0].gpus, d.milli, tasks);
      INFO("seed " << seed << ", job " << i << ", node " << slices[0].first.value);
      REQUIRE(ours == *least);
      b.cluster.take(slices, d.milli);
      ++placed;
      shares += d.milli < 1000;
      negative += ours < 0;
    }
    b.cluster.check_invariants();
  }
  CHECK(placed > 2'000);
  CHECK(shares > 1'000);
  CHECK(negative > 100);
}
