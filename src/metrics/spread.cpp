#include "muster/metrics/spread.hpp"

#include <algorithm>

namespace muster {

Level spread_of(const Fleet& fleet, std::span<const Slice> slices) {
  std::uint32_t first = slices.front().first.value, last = first;
  for (const Slice& s : slices) {
    first = std::min(first, s.first.value);
    last = std::max(last, s.first.value + s.count - 1);
  }
  if (first == last) return Level::node;
  // Domains are ranges of nodes: what holds the first and the last holds all between them.
  for (std::size_t l = 1; l < static_cast<std::size_t>(Level::fleet); ++l)
    if (fleet.domain_of[l][NodeId{first}] == fleet.domain_of[l][NodeId{last}])
      return static_cast<Level>(l);
  return Level::fleet;
}

void SpreadBook::on(const Record& r) {
  using What = Record::What;
  if (r.what == What::reprice) {
    const auto [wait, fresh] = waits_.try_emplace(r.job, Wait{r.at});
    wait->second.to(r.at);
    wait->second.communicating = r.split.communicating;
    return;
  }
  if (r.what != What::stop && r.what != What::end && r.what != What::reshape) return;
  const Duration ran = r.kept + r.lost + r.overhead;
  if (ran == Duration{}) return;
  const std::span<const Slice> held = r.what == What::reshape ? r.before : r.placement;
  const std::int64_t milli =
      std::int64_t{gpus_in(held)} * workload_.shapes[workload_.shape[r.job]].milli;
  const auto level = static_cast<std::size_t>(spread_of(fleet_, held));
  times_[level] += Int128{milli} * ran.count();
  const auto wait = waits_.find(r.job);
  if (wait == waits_.end()) return;
  wait->second.to(r.at);
  waited_[level] += Int128{milli} * (wait->second.so_far / 1'000'000);
  waits_.erase(wait);
}

}  // namespace muster
