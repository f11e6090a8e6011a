#include <algorithm>

#include "muster/core/random.hpp"
#include "muster/policy/parts/placer.hpp"

namespace muster {
namespace {

/// Any nodes that fit, each with the same chance: the yardstick that says what placement is worth.
class RandomPlacer final : public Placer {
 public:
  explicit RandomPlacer(std::uint64_t seed)
      : stream_(seed, "placer.random"), key_(stream_.next()), random_(key_, "draw") {}
  void started() override { key_ = stream_.next(); }

 protected:
  void begin() override { random_ = Stream(key_, "draw"); }

  std::uint32_t one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) override {
    collect(s, k);
    std::erase_if(nodes_, [&](std::uint32_t n) { return contains(taken, n); });
    return nodes_.empty() ? NodeSet::kNone : nodes_[random_.below(nodes_.size())];
  }

  void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) override {
    collect(s, std::max(k, 1u));
    if (k == 0)
      std::erase_if(nodes_, [&](std::uint32_t i) {
        return count(s.cluster.free(NodeId{i})) != s.cluster.fleet().nodes[NodeId{i}].gpus;
      });
    draw(n);
    for (const std::uint32_t i : nodes_)
      append(out, i, k == 0 ? s.cluster.free(NodeId{i}) : lowest(s.cluster.free(NodeId{i}), k));
  }

  void any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) override {
    collect(s, 1);
    draw(static_cast<std::uint32_t>(std::min<std::size_t>(gpus, nodes_.size())), false);
    std::uint32_t found = 0;
    std::size_t used = 0;
    for (; used < nodes_.size() && found < gpus; ++used)
      found += count(s.cluster.free(NodeId{nodes_[used]}));
    nodes_.resize(used);
    std::sort(nodes_.begin(), nodes_.end());
    for (const std::uint32_t i : nodes_) {
      const std::uint32_t here = std::min(gpus, count(s.cluster.free(NodeId{i})));
      if (here > 0) append(out, i, lowest(s.cluster.free(NodeId{i}), here));
      gpus -= here;
    }
  }

  std::size_t choose_domain(const std::vector<std::uint32_t>& free) override {
    return random_.below(free.size());
  }

 private:
  void collect(const Scope& s, std::uint32_t k) {
    nodes_.clear();
    for (std::size_t p = 0; p < s.cluster.pools(); ++p) {
      if (!((s.pools >> p) & 1)) continue;
      for (std::uint32_t free = k; free <= s.cluster.index(p).widest(); ++free) {
        const NodeSet& group = s.cluster.index(p).group(free);
        for (std::uint32_t n = group.next(s.range.first); n < s.range.last; n = group.next(n + 1))
          nodes_.push_back(n);
      }
    }
    std::sort(nodes_.begin(), nodes_.end());
  }
  /// Keeps `n` of the nodes, each subset with the same chance (Fisher-Yates), in node order.
  void draw(std::uint32_t n, bool sorted = true) {
    const std::size_t kept = std::min<std::size_t>(n, nodes_.size());
    for (std::size_t i = 0; i < kept; ++i)
      std::swap(nodes_[i], nodes_[i + random_.below(nodes_.size() - i)]);
    nodes_.resize(kept);
    if (sorted) std::sort(nodes_.begin(), nodes_.end());
  }

  Stream stream_;      // one number per start,
  std::uint64_t key_;  // which names the stream
  Stream random_;      // that its questions draw from
  std::vector<std::uint32_t> nodes_;
};

const Placers::Add<RandomPlacer> registered{"random",
                                            "random nodes that fit (a stream of its own)"};

}  // namespace
}  // namespace muster
