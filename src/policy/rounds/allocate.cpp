// From the jobs in the system to the objective's question, and what becomes of its answer.

#include <algorithm>

#include "core.hpp"

namespace muster::rounds {

/// Seconds of its work that it does in one.
double Core::speed(const View& view, const Member& m, std::size_t type) const {
  const Speed s = view.jobs.speed_in_pool(m.job, demand_on(m, type).gpus, type);
  return static_cast<double>(s.num) / s.den;
}

/// The same as far as the policy looks at it.
double Core::known_speed(const View& view, const Member& m, std::size_t type) const {
  return params_.aware ? speed(view, m, type) : 1;
}

Contender Core::contender(const View& view, const Member& m) const {
  // Work of which nothing is planned to be left is taken to last a second yet.
  constexpr double kLeast = 1;
  Contender c;
  if (!params_.weights.empty()) {
    const auto weight =
        params_.weights.find(std::string{view.jobs.names()[view.jobs.queue(m.job)]});
    if (weight != params_.weights.end()) c.weight = static_cast<double>(weight->second);
  }
  c.gpus = 0;
  for (std::size_t t = 0; t < view.fleet.pools.size(); ++t) {
    const bool possible = place(m, t).possible;
    c.speed.push_back(possible ? known_speed(view, m, t) : 0);
    if (possible)
      c.gpus = std::max(c.gpus, static_cast<double>(demand_on(m, t).total_milli()) / 1000);
  }
  c.left = seconds(view.jobs.planned(m.job));
  if (m.runs())
    c.left = seconds(m.end - std::max(view.now, m.working)) * known_speed(view, m, m.type);
  c.left = std::max(c.left, kLeast);
  c.age = seconds(view.now - view.jobs.submit(m.job));
  c.isolated = m.isolated;
  if (const SimTime deadline = view.jobs.deadline(m.job); deadline != kNever)
    c.deadline = seconds(deadline - view.now);
  return c;
}

void Core::allocate(const View& view) {
  Contest contest;
  for (const Fleet::Pool& pool : view.fleet.pools)
    contest.gpus.push_back(static_cast<double>(pool.gpus));
  contest.price = prices_;
  std::vector<Member*> who;
  for (auto& [j, m] : members_) {
    m.part.assign(contest.types(), 0);
    if (m.state == Member::State::leaving) continue;
    contest.jobs.push_back(contender(view, m));
    who.push_back(&m);
  }
  const Allocation a = objective_->allocate(contest);
  for (std::size_t i = 0; i < who.size(); ++i) {
    who[i]->isolated_throughput = isolated_throughput(contest, contest.jobs[i]);
    for (std::size_t t = 0; t < contest.types(); ++t) who[i]->part[t] = a.part(i, t);
  }
  changed_ = false;
}

}  // namespace muster::rounds
