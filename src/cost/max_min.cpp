#include "muster/cost/max_min.hpp"

#include <algorithm>
#include <functional>

#include "muster/core/check.hpp"

namespace muster {

bool MaxMin::Stop::operator>(const Stop& other) const {
  if (level != other.level) return level > other.level;
  if (is_flow != other.is_flow) return is_flow;
  return at > other.at;
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
    links_[use.link].users.emplace_back(flow, use.factor);
    touch(use.link);
  }
  if (!state.changed) changed_flows_.push_back(flow);
  state.changed = true;
  return flow;
}

void MaxMin::remove(Flow flow) {
  FlowState& state = flows_[flow];
  for (const Use& use : state.uses) {
    auto& users = links_[use.link].users;
    const auto at = std::find_if(users.begin(), users.end(),
                                 [&](const auto& user) { return user.first == flow; });
    *at = users.back();
    users.pop_back();
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
  if (!state.changed) changed_flows_.push_back(flow);
  state.changed = true;
}

double MaxMin::load(Link link) const {
  double sum = 0;
  for (const auto& [flow, factor] : links_[link].users) sum += flows_[flow].rate * factor;
  return sum;
}

/// All that is connected to what changed, flows in the order of their keys and links in the order of
/// their numbers: so that the sums below do not depend on how we got here.
void MaxMin::collect() {
  ++round_;
  part_links_.clear();
  part_flows_.clear();
  const auto reach_link = [&](Link l) {
    if (links_[l].seen == round_) return;
    links_[l].seen = round_;
    part_links_.push_back(l);
  };
  const auto reach_flow = [&](Flow f) {
    if (flows_[f].seen == round_) return;
    flows_[f].seen = round_;
    part_flows_.push_back(f);
    for (const Use& use : flows_[f].uses) reach_link(use.link);
  };
  for (const Link l : changed_links_) {
    links_[l].changed = false;
    reach_link(l);
  }
  for (const Flow f : changed_flows_) {
    flows_[f].changed = false;
    if (flows_[f].exists) reach_flow(f);
  }
  for (std::size_t i = 0; i < part_links_.size(); ++i)
    for (const auto& [f, factor] : links_[part_links_[i]].users) reach_flow(f);
  changed_links_.clear();
  changed_flows_.clear();
  std::sort(part_flows_.begin(), part_flows_.end(),
            [&](Flow a, Flow b) { return flows_[a].key < flows_[b].key; });
}

double MaxMin::level(LinkState& link) {
  // What is left of a sum from which most was taken away is mostly rounding.
  if (link.asking < 1e-6 * link.asked) {
    open_users(link);
    link.asking = 0;
    for (const Flow f : open_)
      for (const Use& use : flows_[f].uses)
        if (&links_[use.link] == &link) link.asking += flows_[f].weight * use.factor;
    link.asked = link.asking;
  }
  return std::max(0.0, link.left) / link.asking;
}

/// Those of its users whose rate is not fixed, by key.
void MaxMin::open_users(const LinkState& link) {
  open_.clear();
  for (const auto& [f, factor] : link.users)
    if (!flows_[f].fixed) open_.push_back(f);
  std::sort(open_.begin(), open_.end(),
            [&](Flow a, Flow b) { return flows_[a].key < flows_[b].key; });
}

void MaxMin::push(Stop stop) {
  stops_.push_back(stop);
  std::push_heap(stops_.begin(), stops_.end(), std::greater<>{});
}

void MaxMin::fix(Flow flow, double rate) {
  FlowState& state = flows_[flow];
  state.fixed = true;
  state.rate = rate;
  for (const Use& use : state.uses) {
    LinkState& link = links_[use.link];
    link.left -= rate * use.factor;
    link.asking -= state.weight * use.factor;
    --link.open;
  }
}

/// Raises all rates together, in proportion to their weights, until a link is full or a flow is at its
/// limit; fixes the flows that this concerns; goes on with the others. The level at which a link is
/// full never falls, so a heap with levels that may be out of date finds the next one.
void MaxMin::fill() {
  for (const Link l : part_links_) {
    LinkState& link = links_[l];
    link.left = link.capacity;
    link.asking = 0;
    link.open = 0;
  }
  stops_.clear();
  for (std::uint32_t i = 0; i < part_flows_.size(); ++i) {
    FlowState& flow = flows_[part_flows_[i]];
    flow.fixed = false;
    for (const Use& use : flow.uses) {
      links_[use.link].asking += flow.weight * use.factor;
      ++links_[use.link].open;
    }
    if (flow.limit < kNoLimit) stops_.push_back({flow.limit / flow.weight, i, true});
  }
  for (const Link l : part_links_) links_[l].asked = links_[l].asking;
  for (const Link l : part_links_)
    if (links_[l].open > 0) stops_.push_back({level(links_[l]), l, false});
  std::make_heap(stops_.begin(), stops_.end(), std::greater<>{});

  while (!stops_.empty()) {
    std::pop_heap(stops_.begin(), stops_.end(), std::greater<>{});
    const Stop stop = stops_.back();
    stops_.pop_back();
    if (stop.is_flow) {
      const Flow f = part_flows_[stop.at];
      if (!flows_[f].fixed) fix(f, flows_[f].limit);
      continue;
    }
    LinkState& link = links_[stop.at];
    if (link.open == 0) continue;
    if (const double now = level(link); now > stop.level) {
      push({now, stop.at, false});
      continue;
    }
    open_users(link);
    for (const Flow f : open_) fix(f, stop.level * flows_[f].weight);
  }
}

std::span<const MaxMin::Flow> MaxMin::solve() {
  collect();
  fill();
  return part_flows_;
}

}  // namespace muster
