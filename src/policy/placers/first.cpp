#include "muster/policy/parts/placer.hpp"

namespace muster {
namespace {

/// First fit: the lowest-numbered nodes that have what is needed.
class FirstPlacer final : public Placer {
 public:
  explicit FirstPlacer(std::uint64_t) {}

 protected:
  std::uint32_t one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) override {
    std::uint32_t n = next_with(s, k, s.range.first);
    while (n < s.range.last && contains(taken, n)) n = next_with(s, k, n + 1);
    return n < s.range.last ? n : NodeSet::kNone;
  }

  void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) override {
    if (k == 0) {
      for (std::uint32_t at = next_with(s, 0, s.range.first); n > 0 && at < s.range.last; --n) {
        append(out, at, s.cluster.free(NodeId{at}));
        at = next_with(s, 0, at + 1);
      }
      return;
    }
    if (s.cluster.pools() == 1 && k == s.cluster.index(0).widest()) {
      each_run(s.cluster.index(0).group(k), s.range, n,
               [&](std::uint32_t first, std::uint32_t length) {
                 append_run(out, first, length, first_gpus(k));
               });
      return;
    }
    for (std::uint32_t at = next_with(s, k, s.range.first); n > 0 && at < s.range.last; --n) {
      append(out, at, lowest(s.cluster.free(NodeId{at}), k));
      at = next_with(s, k, at + 1);
    }
  }

  void any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) override {
    if (s.cluster.fleet().widest == 1) return many(s, gpus, 1, out);
    for (std::uint32_t at = next_with(s, 1, s.range.first); gpus > 0 && at < s.range.last;
         at = next_with(s, 1, at + 1)) {
      const GpuMask free = s.cluster.free(NodeId{at});
      const std::uint32_t here = gpus < count(free) ? gpus : count(free);
      append(out, at, lowest(free, here));
      gpus -= here;
    }
  }

  std::size_t choose_domain(const std::vector<std::uint32_t>&) override { return 0; }
};

const Placers::Add<FirstPlacer> registered{"first",
                                           "first fit: the lowest-numbered nodes that fit"};

}  // namespace
}  // namespace muster
