#include "workload/synthetic_draws.hpp"

#include <algorithm>
#include <cstdio>

#include "muster/core/check.hpp"
#include "muster/core/detmath.hpp"
#include "muster/core/int128.hpp"

namespace muster::synthetic {
namespace {

template <class Items, class Weight>
WeightedChoice choice(const Items& items, Weight weight) {
  std::vector<std::uint64_t> weights;
  for (const auto& item : items) weights.push_back(static_cast<std::uint64_t>(weight(item)));
  return WeightedChoice{weights};
}

std::optional<WeightedChoice> outcome_choice(const OutcomeWeights& weights) {
  if (std::all_of(weights.begin(), weights.end(), [](std::int64_t w) { return w == 0; })) return {};
  return choice(weights, [](std::int64_t w) { return w; });
}

/// From 1, P(more than k) = (1 - 1/mean)^k; `log` is ln(1 - 1/mean), 0 for a mean of 1.
std::uint32_t geometric(Stream& stream, double log) {
  const double u = stream.uniform();
  const double more = log < 0 ? detmath::log(1 - u) / log : 0;
  return static_cast<std::uint32_t>(std::min(more, 1e6)) + 1;
}

std::string user_name(std::size_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "u%04zu", number);
  return text;
}

/// The seats of a parliament: `users` dealt to the queues in proportion to their weights, by the
/// largest remainder, each at least one.
std::vector<std::int64_t> deal(std::int64_t users, const std::vector<std::int64_t>& weights) {
  std::int64_t total = 0;
  for (const std::int64_t w : weights) total += w;
  std::vector<std::int64_t> seats;
  std::vector<std::pair<std::int64_t, std::size_t>> remainders;
  std::int64_t left = users;
  for (std::size_t q = 0; q < weights.size(); ++q) {
    const Int128 share = Int128{users} * weights[q];
    seats.push_back(static_cast<std::int64_t>(share / total));
    remainders.emplace_back(-static_cast<std::int64_t>(share % total), q);
    left -= seats.back();
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::int64_t i = 0; i < left; ++i) ++seats[remainders[static_cast<std::size_t>(i)].second];
  for (std::int64_t& s : seats) s = std::max<std::int64_t>(s, 1);
  return seats;
}

}  // namespace

Draws::Draws(const SyntheticSpec& spec, std::uint64_t seed)
    : spec_(spec),
      batch_jobs_(seed, "synthetic batch size"),
      sizes_(seed, "synthetic size"),
      users_drawn_(seed, "synthetic user"),
      laws_(seed, "synthetic duration law"),
      durations_(seed, "synthetic duration"),
      outcomes_(seed, "synthetic outcome"),
      estimates_given_(seed, "synthetic estimate given"),
      estimates_exact_(seed, "synthetic estimate exact"),
      estimates_(seed, "synthetic estimate"),
      priorities_(seed, "synthetic priority"),
      attempts_given_(seed, "synthetic attempts given"),
      attempts_number_(seed, "synthetic attempts number"),
      attempts_(seed, "synthetic attempt") {
  MUSTER_CHECK(!spec.sizes.empty());
  size_choice_ = choice(spec.sizes, [](const SizeClass& s) { return s.weight; });
  outcome_choice_ = outcome_choice(spec.outcomes);
  if (!spec.priorities.empty())
    priority_choice_ = choice(spec.priorities, [](const auto& p) { return p.weight; });
  for (const std::vector<DurationLaw>& mixture : spec.durations) {
    mixtures_.push_back({choice(mixture, [](const DurationLaw& l) { return l.weight; }), {}});
    for (const DurationLaw& law : mixture)
      mixtures_.back().outcome.push_back(outcome_choice(law.outcomes));
  }
  if (spec.arrivals.batch_mean > 1) batch_log_ = detmath::log(1 - 1 / spec.arrivals.batch_mean);
  if (spec.attempts.mean > 1) attempts_log_ = detmath::log(1 - 1 / spec.attempts.mean);
  deal_users();
}

void Draws::deal_users() {
  std::vector<std::string> names;
  std::vector<std::int64_t> weights;
  for (const auto& [name, weight] : spec_.queues) {
    if (weight == 0) continue;
    names.push_back(name);
    weights.push_back(weight);
  }
  if (names.empty()) {
    names.emplace_back();
    weights.push_back(1);
  }
  const std::vector<std::int64_t> seats = deal(spec_.users, weights);
  std::int64_t total = 0;
  for (const std::int64_t w : weights) total += w;

  // The weight of a user: the queue's share times the share within the queue, in 2^-48.
  std::vector<std::uint64_t> shares;
  for (std::size_t q = 0; q < names.size(); ++q) {
    std::vector<double> zipf;
    double sum = 0;
    for (std::int64_t k = 1; k <= seats[q]; ++k) {
      zipf.push_back(detmath::pow(static_cast<double>(k), -spec_.zipf));
      sum += zipf.back();
    }
    const double queue = static_cast<double>(weights[q]) / static_cast<double>(total);
    for (const double z : zipf) {
      users_.push_back({spec_.users > 0 ? user_name(users_.size() + 1) : "", names[q]});
      shares.push_back(
          std::max<std::uint64_t>(1, static_cast<std::uint64_t>(queue * z / sum * 0x1p48)));
    }
  }
  user_choice_ = WeightedChoice{shares};
}

Batch Draws::batch() {
  return {geometric(batch_jobs_, batch_log_), static_cast<std::uint32_t>(size_choice_(sizes_)),
          static_cast<std::uint32_t>(user_choice_(users_drawn_))};
}

Draws::Run Draws::run(const SizeClass& size) {
  const std::vector<DurationLaw>& laws = spec_.durations[size.durations];
  const Mixture& mixture = mixtures_[size.durations];
  const std::size_t i = mixture.law(laws_);
  Run run{draw(laws[i]), Outcome::completed};
  const auto& outcome = mixture.outcome[i] ? mixture.outcome[i] : outcome_choice_;
  const std::uint64_t ticket = outcomes_.below(outcome ? outcome->total() : 1);  // one per job
  if (outcome) run.outcome = static_cast<Outcome>(outcome->pick(ticket));
  return run;
}

Duration Draws::draw(const DurationLaw& law) {
  using Kind = DurationLaw::Kind;
  const double least = law.least == kUnknown ? 0 : static_cast<double>(law.least.count());
  const double most = static_cast<double>((law.most == kUnknown ? kLongest : law.most).count());
  if (law.law == Kind::pareto) return whole(durations_.bounded_pareto(law.alpha, least, most));
  const double spread = durations_.lognormal(0, law.law == Kind::constant ? 0 : law.sigma);
  return whole(std::clamp(static_cast<double>(law.median.count()) * spread, least, most));
}

/// To the nearest multiple of the resolution, at least one of it.
Duration Draws::whole(double ns) const {
  const std::int64_t step = spec_.resolution.count();
  const std::int64_t steps = (static_cast<std::int64_t>(ns) + step / 2) / step;
  return std::min(Duration{std::max<std::int64_t>(steps, 1) * step}, kLongest);
}

Duration Draws::estimate(Duration duration) {
  const SyntheticSpec::Estimates& e = spec_.estimates;
  const bool given = estimates_given_.chance(e.given);
  const bool exact = estimates_exact_.chance(e.exact);
  const double factor = std::max(e.least, e.median * estimates_.lognormal(0, e.sigma));
  if (!given) return kUnknown;
  const double longest = static_cast<double>(kLongest.count());
  const Duration said =
      exact ? duration : whole(std::min(static_cast<double>(duration.count()) * factor, longest));
  if (e.round.empty()) return said;
  const auto up = std::lower_bound(e.round.begin(), e.round.end(), said);
  if (up != e.round.end()) return *up;
  const Duration last = e.round.back();
  return std::min(last * ((said + last - Duration{1}) / last), kLongest);
}

std::vector<Duration> Draws::attempts() {
  const SyntheticSpec::Attempts& a = spec_.attempts;
  const bool given = attempts_given_.chance(a.share);
  const std::uint32_t number = geometric(attempts_number_, attempts_log_);
  std::vector<Duration> times;
  if (!given) return times;
  const Duration most = a.most == kUnknown ? kLongest : a.most;
  Duration left = kLongest;  // that is how long all of them may be
  while (times.size() < number && left > Duration{}) {
    const double ns = static_cast<double>(a.median.count()) * attempts_.lognormal(0, a.sigma);
    times.push_back(std::min(whole(std::min(ns, static_cast<double>(most.count()))), left));
    left -= times.back();
  }
  return times;
}

const SyntheticSpec::PriorityClass& Draws::priority() {
  static constexpr SyntheticSpec::PriorityClass kNone{};
  return priority_choice_ ? spec_.priorities[(*priority_choice_)(priorities_)] : kNone;
}

}  // namespace muster::synthetic
