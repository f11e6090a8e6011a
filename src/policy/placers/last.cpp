#include "muster/policy/parts/placer.hpp"

namespace muster {
namespace {

/// The highest-numbered nodes that fit: the mirror of first, as Fluxion's match policy "high" has it.
class LastPlacer final : public Placer {
 public:
  explicit LastPlacer(std::uint64_t) {}

 protected:
  std::uint32_t one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) override {
    collect(s, k);
    while (!nodes_.empty() && contains(taken, nodes_.back())) nodes_.pop_back();
    return nodes_.empty() ? NodeSet::kNone : nodes_.back();
  }

  void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) override {
    collect(s, k);
    const std::size_t skipped = nodes_.size() > n ? nodes_.size() - n : 0;
    for (std::size_t i = skipped; i < nodes_.size(); ++i) {
      const GpuMask free = s.cluster.free(NodeId{nodes_[i]});
      append(out, nodes_[i], k == 0 ? free : lowest(free, k));
    }
  }

  void any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) override {
    collect(s, 1);
    for (; gpus > 0 && !nodes_.empty(); nodes_.pop_back()) {
      const GpuMask free = s.cluster.free(NodeId{nodes_.back()});
      const std::uint32_t here = gpus < count(free) ? gpus : count(free);
      append(out, nodes_.back(), lowest(free, here));
      gpus -= here;
    }
  }

  std::size_t choose_domain(const std::vector<std::uint32_t>& free) override {
    return free.size() - 1;
  }

 private:
  void collect(const Scope& s, std::uint32_t k) {
    nodes_.clear();
    for (std::uint32_t n = next_with(s, k, s.range.first); n < s.range.last;
         n = next_with(s, k, n + 1))
      nodes_.push_back(n);
  }

  std::vector<std::uint32_t> nodes_;  // that fit, ascending
};

const Placers::Add<LastPlacer> registered{"last", "the highest-numbered nodes that fit"};

}  // namespace
}  // namespace muster
