#include "muster/cluster/fit_without.hpp"

#include "cluster/fit_counts.hpp"
#include "muster/cluster/fit.hpp"

namespace muster {
namespace {

/// The fleet's counts less what somebody takes.
struct LessScope {
  const Cluster& c;
  PoolMask pools;
  std::span<const Slice> taken;

  /// Sums up over the nodes of the scope on which something is taken.
  template <class Change>
  std::uint32_t sum(Change change) const {
    std::uint32_t n = 0;
    for (const Slice& s : taken)
      for (std::uint32_t i = s.first.value; i < s.first.value + s.count; ++i) {
        const Fleet::Node& node = c.fleet().nodes[NodeId{i}];
        if (!((pools >> node.pool) & 1)) continue;
        const GpuMask free = c.free(NodeId{i});
        n += change(count(free), count(free & ~s.gpus), node.gpus);
      }
    return n;
  }

  std::uint32_t free() const {
    return c.free_gpus(pools) - sum([](std::uint32_t before, std::uint32_t after, std::uint32_t) {
             return before - after;
           });
  }
  std::uint32_t idle() const {
    return c.idle_nodes(pools) -
           sum([](std::uint32_t before, std::uint32_t after, std::uint32_t width) {
             return before == width && after < width ? 1U : 0U;
           });
  }
  std::uint32_t at_least(std::uint32_t k) const {
    return c.at_least(k, pools) -
           sum([k](std::uint32_t before, std::uint32_t after, std::uint32_t) {
             return before >= k && after < k ? 1U : 0U;
           });
  }
};

}  // namespace

bool fits_without(Cluster& cluster, const Demand& d, std::span<const Slice> slices,
                  std::uint32_t milli) {
  const bool counts = milli == 1000 && d.milli == 1000 && d.tasks.empty() &&
                      d.required == Level::fleet && (d.pools & ~cluster.whole_pools()) == 0;
  if (counts) return d.pools != 0 && fits_counts(LessScope{cluster, d.pools, slices}, d);
  cluster.take(slices, milli);
  const bool still = fits(cluster, d);
  cluster.give_back(slices, milli);
  return still;
}

}  // namespace muster
