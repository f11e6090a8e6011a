// Whether a job would still fit once others have taken GPUs: by counts, against a cluster in which they have.

#include "muster/cluster/fit_without.hpp"

#include "catch.hpp"
#include "muster/cluster/fit.hpp"
#include "support/random_runs.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// All of `from`, or some.
GpuMask draw_gpus(Stream& r, GpuMask from) {
  return from & (r.chance(0.3) ? ~GpuMask{0} : r.next());
}

std::vector<Slice> draw_slices(Stream& r, const Cluster& cluster, double chance) {
  std::vector<Slice> slices;
  for (std::uint32_t n = 0; n < cluster.fleet().nodes.size(); ++n)
    if (const GpuMask gpus = draw_gpus(r, cluster.free(NodeId{n})); gpus != 0 && r.chance(chance))
      slices.push_back({NodeId{n}, 1, gpus});
  return slices;
}

/// One GPU that is free and may be shared, if there is one.
std::vector<Slice> one_gpu(const Cluster& cluster) {
  const Fleet& fleet = cluster.fleet();
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
    if (const GpuMask free = cluster.free(NodeId{n});
        free != 0 && !fleet.pools[fleet.nodes[NodeId{n}].pool].mig)
      return {{NodeId{n}, 1, free & (~free + 1)}};
  return {};
}

struct Drawn {
  Fleet fleet;
  IdVector<ShapeId, Demand> demands;
};

Drawn draw(Stream& r) {
  const bool mig = r.chance(0.2);
  Fleet fleet = parse_fleet(mig ? draw_mig_fleet(r) : draw_fleet(r), "drawn");
  Spice spice;
  spice.dependencies = false;
  spice.mig = mig;
  Cutting cutting;
  cutting.span = static_cast<Span>(r.below(4));
  return {fleet, resolve_all(workload(draw_jobs(r, fleet, 20, spice)), fleet, cutting)};
}

}  // namespace

TEST_CASE("fits_without says what fit says once the GPUs are taken") {
  Stream r(11, "fit_without");
  std::size_t still = 0, no_longer_by_count = 0, no_longer_otherwise = 0;
  for (int run = 0; run < 10'000; ++run) {
    const Drawn drawn = draw(r);
    Cluster cluster(drawn.fleet, /*track_domains=*/true);
    cluster.take(draw_slices(r, cluster, 0.5));
    if (const auto gpu = one_gpu(cluster); !gpu.empty() && r.chance(0.3))
      cluster.take(gpu, 300);  // counts are not enough from then on
    const bool part = !one_gpu(cluster).empty() && r.chance(0.2);
    const std::uint32_t milli = part ? 500 : 1000;
    const std::vector<Slice> taken = part ? one_gpu(cluster) : draw_slices(r, cluster, 0.3);
    Cluster less = cluster;
    less.take(taken, milli);
    const std::vector<GpuMask> free = cluster.free_masks();
    for (const Demand& d : drawn.demands) {
      INFO("run " << run << ": " << describe(d));
      const bool before = fits(cluster, d), after = fits(less, d);
      REQUIRE(fits_without(cluster, d, taken, milli) == after);
      REQUIRE(cluster.free_masks() == free);
      still += after;
      if (!before || after) continue;
      const bool by_count = !part && d.milli == 1000 && d.tasks.empty() &&
                            d.required == Level::fleet && (d.pools & ~cluster.whole_pools()) == 0;
      ++(by_count ? no_longer_by_count : no_longer_otherwise);
    }
  }
  CAPTURE(still, no_longer_by_count, no_longer_otherwise);
  CHECK(still > 50'000);
  CHECK(no_longer_by_count > 2'000);
  CHECK(no_longer_otherwise > 2'000);
}
