#include "muster/cost/max_min.hpp"

#include <algorithm>
#include <functional>

#include "muster/core/check.hpp"

namespace muster {
namespace {

/// A heap whose first entry has become later than it was.
template <typename Stops>
void sink(Stops& stops) {
  const auto moved = stops.front();
  std::size_t at = 0;
  for (std::size_t next = 1; next < stops.size(); next = 2 * at + 1) {
    if (next + 1 < stops.size() && stops[next] > stops[next + 1]) ++next;
    if (!(moved > stops[next])) break;
    stops[at] = stops[next];
    at = next;
  }
  stops[at] = moved;
}

template <typename Stops>
void pop(Stops& stops) {
  stops.front() = stops.back();
  stops.pop_back();
  if (!stops.empty()) sink(stops);
}

}  // namespace

bool MaxMin::Stop::operator>(const Stop& other) const {
  return level != other.level ? level > other.level : at > other.at;
}

MaxMin::Link MaxMin::add_link(double capacity) {
  MUSTER_CHECK(capacity >= 0);
  links_.emplace_back().capacity = capacity;
  return static_cast<Link>(links_.size() - 1);
}

void MaxMin::touch(Link link) {
  if (links_[link].changed) return;
  links_[link].changed = true;
  changed_links_.push_back(link);
}

void MaxMin::set_capacity(Link link, double capacity) {
  MUSTER_CHECK(capacity >= 0);
  if (links_[link].capacity == capacity) return;
  links_[link].capacity = capacity;
  touch(link);
}

MaxMin::Flow MaxMin::add(std::uint64_t key, std::span<const Use> uses, double weight,
                         double limit) {
  MUSTER_CHECK(weight > 0 && limit >= 0 && (limit < kNoLimit || !uses.empty()));
  const auto before = [](std::uint64_t k, const User& user) { return k < user.key; };
  Flow flow = static_cast<Flow>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    flow = free_.back();
    free_.pop_back();
  }
  FlowState& state = flows_[flow];
  state.key = key;
  state.exists = true;
  state.weight = weight;
  state.limit = limit;
  state.rate = 0;
  state.uses.assign(uses.begin(), uses.end());
  for (const Use& use : uses) {
    MUSTER_CHECK(use.factor > 0);
    std::vector<User>& users = links_[use.link].users;
    users.insert(std::upper_bound(users.begin(), users.end(), key, before),
                 {key, flow, use.factor});
    touch(use.link);
  }
  if (!state.changed) changed_flows_.push_back(flow);
  state.changed = true;
  return flow;
}

void MaxMin::remove(Flow flow) {
  FlowState& state = flows_[flow];
  for (const Use& use : state.uses) {
    std::vector<User>& users = links_[use.link].users;
    users.erase(std::find_if(users.begin(), users.end(),
                             [&](const User& user) { return user.flow == flow; }));
    touch(use.link);
  }
  state.uses.clear();
  state.exists = false;
  free_.push_back(flow);
}

void MaxMin::set_limit(Flow flow, double limit) {
  FlowState& state = flows_[flow];
  if (state.limit == limit) return;
  state.limit = limit;
  for (const Use& use : state.uses) touch(use.link);
  if (!state.changed) changed_flows_.push_back(flow);
  state.changed = true;
}

double MaxMin::load(Link link) const {
  double sum = 0;
  for (const User& user : links_[link].users) sum += flows_[user.flow].rate * user.factor;
  return sum;
}

/// Its users have changed, or what they may have, or what it carries.
void MaxMin::look_at(LinkState& link) {
  double most = 0;
  link.changed = false;
  link.all = 0;
  for (const User& user : link.users) {
    most += flows_[user.flow].limit * user.factor;
    link.all += flows_[user.flow].weight * user.factor;
  }
  link.tight = most > link.capacity;
}

void MaxMin::reach_link(Link l) {
  if (links_[l].seen == round_) return;
  links_[l].seen = round_;
  part_links_.push_back(l);
}

void MaxMin::reach(Flow f) {
  if (flows_[f].seen == round_) return;
  flows_[f].seen = round_;
  part_flows_.push_back(f);
  for (const Use& use : flows_[f].uses)
    if (links_[use.link].tight) reach_link(use.link);
}

/// All that is connected to what changed, flows in the order of their keys: so that the sums below do not
/// depend on how we got here.
void MaxMin::collect() {
  ++round_;
  part_links_.clear();
  part_flows_.clear();
  loosened_.clear();
  for (const Link l : changed_links_) {
    LinkState& link = links_[l];
    const bool was = link.tight;
    look_at(link);
    if (link.tight)
      reach_link(l);
    else if (was)
      loosened_.push_back(l);
  }
  for (const Link l : loosened_)
    for (const User& user : links_[l].users) reach(user.flow);
  for (const Flow f : changed_flows_) {
    flows_[f].changed = false;
    if (flows_[f].exists) reach(f);
  }
  for (std::size_t i = 0; i < part_links_.size() && part_flows_.size() < flows(); ++i)
    for (const User& user : links_[part_links_[i]].users) reach(user.flow);
  changed_links_.clear();
  changed_flows_.clear();
  by_key_.clear();
  for (const Flow f : part_flows_) by_key_.emplace_back(flows_[f].key, f);
  std::sort(by_key_.begin(), by_key_.end());
  for (std::size_t i = 0; i < by_key_.size(); ++i) part_flows_[i] = by_key_[i].second;
}

double MaxMin::level(LinkState& link) {
  // What is left of a sum from which most was taken away is mostly rounding.
  if (link.asking < 1e-6 * link.asked) {
    link.asking = 0;
    for (const User& user : link.users)
      if (const FlowState& flow = flows_[user.flow]; !flow.fixed)
        link.asking += flow.weight * user.factor;
    link.asked = link.asking;
  }
  return std::max(0.0, link.left) / link.asking;
}

void MaxMin::fix(Flow flow, double rate) {
  FlowState& state = flows_[flow];
  state.fixed = true;
  state.rate = rate;
  --left_;
  for (const Use& use : state.uses) {
    LinkState& link = links_[use.link];
    if (!link.tight) continue;
    link.left -= rate * use.factor;
    link.asking -= state.weight * use.factor;
    --link.open;
  }
}

/// Nothing is fixed, and where everything would stop first.
void MaxMin::open_all() {
  for (const Link l : part_links_) {
    LinkState& link = links_[l];
    link.left = link.capacity;
    link.asking = link.asked = link.all;
    link.open = link.users.size();
  }
  limits_.clear();
  left_ = part_flows_.size();
  for (std::uint32_t i = 0; i < part_flows_.size(); ++i) {
    FlowState& flow = flows_[part_flows_[i]];
    flow.fixed = false;
    if (flow.limit < kNoLimit) limits_.push_back({flow.limit / flow.weight, i});
  }
  full_.clear();
  for (const Link l : part_links_)
    if (links_[l].open > 0) full_.push_back({level(links_[l]), l});
  std::make_heap(limits_.begin(), limits_.end(), std::greater<>{});
  std::make_heap(full_.begin(), full_.end(), std::greater<>{});
}

/// Raises all rates together, in proportion to their weights, until a link is full or a flow is at its
/// limit; fixes the flows that this concerns; goes on with the others. The level at which a link is
/// full never falls, so a heap with levels that may be out of date finds the next one.
void MaxMin::fill() {
  open_all();
  while (left_ > 0) {
    if (!full_.empty() && (limits_.empty() || full_.front().level <= limits_.front().level)) {
      fill_link(full_.front());
    } else {
      const Flow f = part_flows_[limits_.front().at];
      pop(limits_);
      if (!flows_[f].fixed) fix(f, flows_[f].limit);
    }
  }
}

/// The next of the links that are full; or only of those that seemed to be.
void MaxMin::fill_link(Stop& stop) {
  LinkState& link = links_[stop.at];
  const double seemed = stop.level;
  if (link.open == 0) return pop(full_);
  if (const double now = level(link); now > seemed) {
    stop.level = now;
    return sink(full_);
  }
  for (const User& user : link.users)
    if (const FlowState& flow = flows_[user.flow]; !flow.fixed)
      fix(user.flow, seemed * flow.weight);
  pop(full_);
}

std::span<const MaxMin::Flow> MaxMin::solve() {
  collect();
  fill();
  return part_flows_;
}

}  // namespace muster
