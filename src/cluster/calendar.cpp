#include "muster/cluster/calendar.hpp"

#include <algorithm>
#include <map>

#include "muster/core/check.hpp"

namespace muster {
namespace {

bool depends_on_time(const Window& w) {
  if (w.kind == Window::Kind::down) return w.to != kNever;
  return w.kind != Window::Kind::spare;
}

}  // namespace

std::string_view name(Service s) {
  switch (s) {
    case Service::up:
      return "up";
    case Service::spare:
      return "spare";
    case Service::maintenance:
      return "maintenance";
    case Service::down:
      break;
  }
  return "down";
}

std::uint32_t Calendar::add(Window w) {
  w.number = next_++;
  ++version_;
  timed_ += depends_on_time(w);
  windows_.push_back(std::move(w));
  return windows_.back().number;
}

void Calendar::remove(std::uint32_t number) {
  const Window* w = find(number);
  MUSTER_CHECK(w != nullptr);
  ++version_;
  timed_ -= depends_on_time(*w);
  windows_.erase(windows_.begin() + (w - windows_.data()));
}

void Calendar::change(std::uint32_t number, std::vector<NodeId> nodes) {
  const Window* w = find(number);
  MUSTER_CHECK(w != nullptr);
  windows_[static_cast<std::size_t>(w - windows_.data())].nodes = std::move(nodes);
  ++version_;
}

const Window* Calendar::find(std::uint32_t number) const {
  const auto it = std::find_if(windows_.begin(), windows_.end(),
                               [&](const Window& w) { return w.number == number; });
  return it == windows_.end() ? nullptr : &*it;
}

const Window* Calendar::reservation(NameId name) const {
  if (name == NameId{}) return nullptr;
  const auto it = std::find_if(windows_.begin(), windows_.end(),
                               [&](const Window& w) { return w.reservation == name; });
  return it == windows_.end() ? nullptr : &*it;
}

bool Calendar::restricts(SimTime now, SimTime end) const {
  return timed_ > 0 && std::any_of(windows_.begin(), windows_.end(), [&](const Window& w) {
           const bool fenced = w.kind != Window::Kind::reservation && w.from <= now;
           return !fenced && w.overlaps(now, end);
         });
}

void Calendar::fence(Cluster& cluster, SimTime begin, SimTime end, const Window* own) const {
  for (const Window& w : windows_)
    if (&w != own && w.overlaps(begin, end))
      for (const NodeId n : w.nodes) cluster.fence(n);
}

std::vector<SimTime> Calendar::begins_after(SimTime now) const {
  std::vector<SimTime> times;
  for (const Window& w : windows_)
    if (w.from > now) times.push_back(w.from);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::vector<Calendar::Loss> Calendar::losses(const Fleet& fleet) const {
  std::map<NodeId, std::vector<std::pair<SimTime, SimTime>>> by_node;
  for (const Window& w : windows_)
    for (const NodeId n : w.nodes) by_node[n].emplace_back(w.from, w.to);
  std::map<std::tuple<SimTime, SimTime, std::size_t>, std::int64_t> sums;
  for (auto& [n, times] : by_node) {
    const std::size_t pool = fleet.nodes[n].pool;
    const std::int64_t milli =
        std::int64_t{fleet.nodes[n].gpus} * (fleet.pools[pool].mig ? kMigSlotMilli : 1000);
    std::sort(times.begin(), times.end());
    for (std::size_t i = 0; i < times.size();) {
      SimTime to = times[i].second;
      std::size_t next = i + 1;
      for (; next < times.size() && times[next].first <= to; ++next)
        to = std::max(to, times[next].second);
      sums[{times[i].first, to, pool}] += milli;
      i = next;
    }
  }
  std::vector<Loss> list;
  for (const auto& [key, milli] : sums)
    list.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), milli});
  return list;
}

}  // namespace muster
