#include "muster/cost/max_min.hpp"

#include <algorithm>
#include <array>

#include "muster/core/check.hpp"

namespace muster {
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
  FlowState& flow = flows_[f];
  if (flow.seen == round_) return;
  flow.seen = round_;
  part_flows_.push_back(f);
  LinkState* const links = links_.data();
  const std::uint32_t round = round_;
  for (const Use& use : flow.uses) {
    LinkState& link = links[use.link];
    if (link.seen == round) continue;
    link.seen = round;
    if (link.tight) part_links_.push_back(use.link);
  }
}

/// All that is connected to what changed.
void MaxMin::collect() {
  part_links_.clear();
  part_flows_.clear();
  if (changed_links_.empty() && changed_flows_.empty()) return;
  ++round_;
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
}

/// Where a link is full; never, if all of its flows are fixed.
double MaxMin::level(LinkState& link) {
  if (link.open == 0) return kNever;
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
    full_[link.at] = level(link);
  }
}

/// Nothing is fixed.
void MaxMin::open_all() {
  full_.resize(part_links_.size());
  for (std::uint32_t i = 0; i < part_links_.size(); ++i) {
    LinkState& link = links_[part_links_[i]];
    link.at = i;
    link.left = link.capacity;
    link.asking = link.asked = link.all;
    link.open = static_cast<std::uint32_t>(link.users.size());
    full_[i] = level(link);
  }
  left_ = part_flows_.size();
  limits_.clear();
  limits_sorted_ = false;
  double least = kNever;
  for (const Flow f : part_flows_) {
    FlowState& flow = flows_[f];
    flow.fixed = false;
    if (flow.limit == kNoLimit) continue;
    limits_.push_back({flow.limit / flow.weight, flow.key, f});
    least = std::min(least, limits_.back().level);
  }
  least_limit_ = least;
}

/// Which of the links is full first: of equal ones the first. The least level first, which takes no branch to find.
std::uint32_t MaxMin::next_full() const {
  std::array<double, 4> least{kNever, kNever, kNever,
                              kNever};  // so that each min needn't wait for the last
  std::size_t i = 0;
  for (; i + 4 <= full_.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) least[k] = std::min(least[k], full_[i + k]);
  for (; i < full_.size(); ++i) least[0] = std::min(least[0], full_[i]);
  const double level = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  auto at =
      static_cast<std::uint32_t>(std::find(full_.begin(), full_.end(), level) - full_.begin());
  for (std::uint32_t j = at + 1; j < full_.size(); ++j)
    if (full_[j] == level && part_links_[j] < part_links_[at]) at = j;
  return at;
}

/// Raises all rates together, in proportion to their weights, until a link is full or a flow is at its
/// limit; fixes the flows that this concerns; goes on with the others. Among equals the order is that of links and
/// keys, so that the sums do not depend on how we got here. Components are small: links are
/// looked through each time, limits sorted when the first of them matters.
void MaxMin::fill() {
  if (part_flows_.empty()) return;
  open_all();
  while (left_ > 0) {
    const std::uint32_t at = full_.empty() ? 0 : next_full();
    const double level = full_.empty() ? kNever : full_[at];
    if (level <= least_limit_)
      fill_link(links_[part_links_[at]], level);
    else
      reach_limit();
  }
}

void MaxMin::fill_link(LinkState& link, double level) {
  for (const User& user : link.users)
    if (const FlowState& flow = flows_[user.flow]; !flow.fixed) fix(user.flow, level * flow.weight);
}

/// The flow whose limit is the least stops there, if no link has stopped it before.
void MaxMin::reach_limit() {
  if (!limits_sorted_) {
    limits_sorted_ = true;
    std::sort(limits_.begin(), limits_.end(), [](const Limit& a, const Limit& b) {
      return a.level != b.level ? a.level > b.level : a.key > b.key;
    });
  }
  const Flow f = limits_.back().flow;
  limits_.pop_back();
  least_limit_ = limits_.empty() ? kNever : limits_.back().level;
  if (!flows_[f].fixed) fix(f, flows_[f].limit);
}

std::span<const MaxMin::Flow> MaxMin::solve() {
  collect();
  fill();
  return part_flows_;
}

double MaxMin::probe(std::uint64_t key, std::span<const Use> uses, double weight, double limit,
                     std::vector<Change>& others) {
  MUSTER_CHECK(changed_links_.empty() && changed_flows_.empty());
  const Flow flow = add(key, uses, weight, limit);
  collect();
  before_.clear();
  for (const Flow f : part_flows_) before_.push_back(flows_[f].rate);
  fill();
  const double gets = flows_[flow].rate;
  others.clear();
  for (std::size_t i = 0; i < part_flows_.size(); ++i) {
    FlowState& state = flows_[part_flows_[i]];
    if (part_flows_[i] != flow && state.rate != before_[i])
      others.push_back({part_flows_[i], before_[i], state.rate});
    state.rate = before_[i];
  }
  remove(flow);
  for (const Link l : changed_links_) look_at(links_[l]);
  changed_links_.clear();
  return gets;
}

}  // namespace muster
