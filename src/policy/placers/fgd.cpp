#include "fgd.hpp"

#include <algorithm>

namespace muster {

std::int64_t TaskMix::add(const Demand& d, const Fleet& fleet, std::int64_t jobs) {
  if (pools_.empty())
    pools_.assign(fleet.pools.size(), Pool{std::vector<std::int64_t>(fleet.widest + 1u),
                                           std::vector<std::int64_t>(1000), 0});
  if (d.milli < 1000) return add_tasks(d.pools, 0, d.milli, jobs);
  if (d.nodes > 0)
    return add_tasks(d.pools, d.per_node > 0 ? d.per_node : d.widest, 0, jobs * d.nodes);
  if (d.tasks.empty() && d.span == Span::any) return add_tasks(d.pools, 1, 0, jobs * d.gpus);
  std::int64_t tasks = 0;
  for (const std::uint32_t gpus : d.tasks) tasks += add_tasks(d.pools, gpus, 0, jobs);
  if (!d.tasks.empty()) return tasks;
  if (d.gpus >= d.widest) tasks += add_tasks(d.pools, d.widest, 0, jobs * (d.gpus / d.widest));
  if (d.gpus % d.widest > 0) tasks += add_tasks(d.pools, d.gpus % d.widest, 0, jobs);
  return tasks;
}

std::int64_t TaskMix::add_tasks(PoolMask pools, std::uint32_t whole, std::uint32_t milli,
                                std::int64_t tasks) {
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    Pool& pool = pools_[p];
    if (!((pools >> p) & 1)) {
      pool.barred += tasks;
      continue;
    }
    for (std::uint32_t k = 0; k < whole && k < pool.wider.size(); ++k) pool.wider[k] += tasks;
    for (std::uint32_t m = 0; m < milli; ++m) pool.larger[m] += tasks;
  }
  return tasks;
}

std::int64_t TaskMix::fragmentation(const NodeRoom& room) const {
  if (pools_.empty()) return 0;  // nobody has asked for anything yet
  const Pool& pool = pools_[room.pool];
  const std::int64_t all = room.free_milli();
  const std::int64_t on_whole = std::int64_t{room.whole} * 1000;
  const std::int64_t on_shared = all - on_whole;
  std::int64_t sum = pool.barred * all;
  // Tasks of whole GPUs: those that fit can't use shared ones.
  const std::int64_t too_wide = pool.wider[room.whole];
  sum += too_wide * all + (pool.wider[0] - too_wide) * on_shared;
  // Shares: those that no GPU has room for, then, of those that fit, each GPU with less room.
  const std::uint32_t most = room.whole > 0 ? 999 : room.shared.empty() ? 0 : room.shared.back();
  const std::int64_t too_large = pool.larger[most];
  sum += too_large * all;
  for (const std::uint32_t left : room.shared) sum += (pool.larger[left] - too_large) * left;
  return sum;
}

namespace {

/// Fragmentation Gradient Descent (Weng et al., "Beware of Fragmentation", USENIX ATC'23, section 4):
/// the node, and on it the GPU, where the placement raises the fragmentation least. What tasks are
/// asked for is learned from the jobs submitted so far. Only GPUs are counted: the paper also looks at
/// CPUs and memory, which are not modelled. Equally good nodes: the one with the least free.
class FgdPlacer final : public ScoredPlacer {
 public:
  explicit FgdPlacer(std::uint64_t) {}
  void submitted(const Demand& d, const Fleet& fleet) override { mix_.add(d, fleet); }

 protected:
  Score score(const NodeRoom& room, const Taking& taking) override {
    after_.assign(room.shared.begin(), room.shared.end());
    NodeRoom then{room.pool, room.width, room.whole - taking.whole, {}};
    if (taking.milli > 0 && taking.on == Taking::kFresh) {
      --then.whole;
      put(1000 - taking.milli);
    } else if (taking.milli > 0) {
      const std::uint32_t left = after_[taking.on] - taking.milli;
      after_.erase(after_.begin() + taking.on);
      put(left);
    }
    then.shared = after_;
    return {mix_.fragmentation(then) - mix_.fragmentation(room), room.free_milli()};
  }

 private:
  void put(std::uint32_t left) {
    after_.insert(std::lower_bound(after_.begin(), after_.end(), left), left);
  }

  TaskMix mix_;
  std::vector<std::uint32_t> after_;
};

const Placers::Add<FgdPlacer> registered{
    "fgd", "Fragmentation Gradient Descent: least new fragmentation for the tasks seen so far"};

}  // namespace
}  // namespace muster
