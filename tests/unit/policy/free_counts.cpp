// Free GPUs by number against the cluster that they stand for, as jobs go and come back.

#include "policy/ranked/free_counts.hpp"

#include <algorithm>

#include "catch.hpp"
#include "muster/cluster/fit.hpp"
#include "support/random_runs.hpp"

using namespace muster;
using namespace muster::test;
using muster::ranked::FreeCounts;

namespace {

using Slices = std::vector<Slice>;

/// What runs: some of the free GPUs of some nodes each.
std::vector<Slices> start_jobs(Stream& r, Cluster& cluster) {
  std::vector<Slices> jobs(1 + r.below(8));
  for (Slices& slices : jobs) {
    for (std::uint32_t n = 0; n < cluster.fleet().nodes.size(); ++n) {
      const GpuMask free = cluster.free(NodeId{n});
      const GpuMask gpus = r.chance(0.5) ? free : free & r.next();
      if (gpus != 0 && r.chance(0.4)) slices.push_back({NodeId{n}, 1, gpus});
    }
    cluster.take(slices);
  }
  return jobs;
}

IdVector<ShapeId, Demand> draw_demands(Stream& r, const Fleet& fleet) {
  Spice spice;
  spice.dependencies = false;
  Cutting cutting;
  cutting.span = static_cast<Span>(r.below(4));
  return resolve_all(workload(draw_jobs(r, fleet, 20, spice)), fleet, cutting);
}

/// Whether all nodes are of one type and size, which are summed up in another way.
bool alike(const Fleet& fleet) {
  return std::all_of(fleet.nodes.begin(), fleet.nodes.end(), [&](const Fleet::Node& node) {
    return node.pool == 0 && node.gpus == fleet.nodes[NodeId{0}].gpus;
  });
}

}  // namespace

TEST_CASE("free counts say what fit says, as jobs go and come back") {
  Stream r(12, "free_counts");
  std::size_t yes = 0, no = 0, of_alike = 0, of_others = 0;
  for (int run = 0; run < 2'000; ++run) {
    const Fleet fleet = parse_fleet(draw_fleet(r), "drawn");
    const auto demands = draw_demands(r, fleet);
    Cluster cluster(fleet, /*track_domains=*/true);
    FreeCounts counts;
    counts.begin(fleet);
    const std::vector<Slices> jobs = start_jobs(r, cluster);
    REQUIRE(counts.match(cluster));
    std::vector<bool> gone(jobs.size());
    for (int step = 0; step < 20; ++step) {
      const std::size_t j = r.below(jobs.size());
      gone[j] = !gone[j];
      gone[j] ? cluster.give_back(jobs[j]) : cluster.take(jobs[j]);
      gone[j] ? counts.give_back(jobs[j]) : counts.take(jobs[j]);
      for (const Demand& d : demands) {
        if (d.milli < 1000 || !FreeCounts::enough(d)) continue;
        const bool fit = fits(cluster, d);
        REQUIRE(counts.fits(d) == fit);
        ++(fit ? yes : no);
      }
    }
    // As if all ran, and those that are gone gave theirs back.
    for (std::size_t j = 0; j < jobs.size(); ++j)
      if (gone[j]) counts.take(jobs[j]);
    counts.begin_to_suppose();
    for (std::size_t j = 0; j < jobs.size(); ++j)
      if (gone[j]) counts.suppose_given_back(jobs[j]);
    counts.sum_up_supposed();
    counts.remember();
    for (const Demand& d : demands) {
      if (d.milli != 1000 || !FreeCounts::enough(d)) continue;
      const bool fit = fits(cluster, d);
      REQUIRE(counts.supposed_fits(d) == fit);
      REQUIRE(counts.would_fit(d) == fit);
      (alike(fleet) ? of_alike : of_others) += fit ? 1 : 0;
    }
  }
  CHECK(yes > 10'000);
  CHECK(no > 10'000);
  CHECK(of_alike > 100);
  CHECK(of_others > 100);
}

TEST_CASE(
    "free counts do not tell where nodes are out of service, are shared, or are cut into "
    "instances") {
  const Fleet fleet = Fleet::uniform(2, 4);
  Cluster cluster(fleet, false);
  FreeCounts counts;
  counts.begin(fleet);
  CHECK(counts.match(cluster));
  cluster.fence(NodeId{1});
  CHECK(!counts.match(cluster));

  const auto enough = [](const Fleet& f, const std::vector<TestJob>& jobs) {
    return FreeCounts::enough(f, resolve_all(workload(jobs), f, {}));
  };
  const std::chrono::seconds second{1};
  CHECK(enough(fleet, {TestJob({}, 2, second)}));
  CHECK(!enough(fleet, {TestJob({}, 1, second).share(250)}));
  CHECK(!enough(parse_fleet(R"({"groups": [{"count": 1, "gpus": 1, "mig": true}]})", "mig"),
                {TestJob({}, 1, second)}));
  Demand inside;
  inside.required = Level::leaf;
  CHECK(!FreeCounts::enough(inside));
}
