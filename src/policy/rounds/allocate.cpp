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

void Core::sketch(const View& view, const Member& m, Contender& c) const {
  // Work of which nothing is planned to be left is taken to last a second yet.
  constexpr double kLeast = 1;
  c.weight = 1;
  if (!params_.weights.empty()) {
    const auto weight =
        params_.weights.find(std::string{view.jobs.names()[view.jobs.queue(m.job)]});
    if (weight != params_.weights.end()) c.weight = static_cast<double>(weight->second);
  }
  c.gpus = 0;
  c.speed.clear();
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
  const SimTime deadline = view.jobs.deadline(m.job);
  c.deadline = deadline == kNever ? Contender{}.deadline : seconds(deadline - view.now);
}

/// Whether the objective gives nothing to whoever stands behind jobs that fill the fleet.
bool Core::first_come(const View& view) const {
  return view.fleet.pools.size() == 1 && deadlines_ == 0 && objective_->first_come();
}

void Core::allocate(const View& view) {
  contest_.gpus.clear();
  for (const Fleet::Pool& pool : view.fleet.pools)
    contest_.gpus.push_back(static_cast<double>(pool.gpus));
  contest_.price = prices_;
  for (const JobId j : entitled_)
    if (members_.has(j))
      for (Share& s : members_.of(j).shares) s.part = 0;
  entitled_.clear();

  // Contenders are kept from round to round, and only written anew.
  const bool some_do = first_come(view);
  double left = contest_.gpus.front();
  std::vector<Member*> who;
  members_.each([&](Member& m) {
    if (m.state == Member::State::leaving) return true;
    if (contest_.jobs.size() == who.size()) contest_.jobs.emplace_back();
    sketch(view, m, contest_.jobs[who.size()]);
    if (const Contender& c = contest_.jobs[who.size()]; contest_.runs_on(c, 0)) left -= c.gpus;
    who.push_back(&m);
    return !some_do || left > 0;
  });
  contest_.jobs.resize(who.size());
  const Allocation a = objective_->allocate(contest_);
  for (std::size_t i = 0; i < who.size(); ++i) {
    Member& m = *who[i];
    m.isolated_throughput = isolated_throughput(contest_, contest_.jobs[i]);
    bool any = false;
    for (std::size_t t = 0; t < contest_.types(); ++t) any |= (m.shares[t].part = a.part(i, t)) > 0;
    if (any) entitled_.push_back(m.job);
  }
  changed_ = false;
}

}  // namespace muster::rounds
