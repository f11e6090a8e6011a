#include "muster/policy/parts/order.hpp"

#include <algorithm>
#include <array>

#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"

namespace muster {

OrderOptions::OrderOptions() {
  for (const auto& [order, info] : OrderParameters::all()) own[order] = info.make();
}

void OrderOptions::walk(ParamVisitor& visit) {
  static constexpr std::array<std::string_view, 3> kShareBy{"user", "queue", "group"};
  visit.choice("share_by", share_by, kShareBy, "fair_share, multifactor: whose usage counts");
  visit.visit("half_life", half_life, "fair_share, multifactor: time in which past usage halves");
  visit.visit("usage", usage,
              "fair_share, multifactor: GPU-seconds used before the trace begins, by name");
  visit.visit(
      "calc_period", calc_period,
      "fair_share, multifactor, wfp3, unicep: time between two computations of the "
      "priorities of waiting jobs; not set: 5 min for multifactor, each pass for the others");
  for (auto& [order, params] : own) params->walk(visit);
}

void refuse_idle(const OrderOptions& options, std::string_view name, const Order& order) {
  const auto refuse = [&](std::string_view parameter, std::string_view who) {
    throw InputError("/policy/" + std::string{parameter},
                     "changes nothing: order=" + std::string{name} + " does not look at it",
                     "leave it out, or " + std::string{who});
  };
  if (options.calc_period != kUnknown && !order.takes(Order::Shared::calc_period))
    refuse("calc_period", "order=multifactor, fair_share, wfp3, unicep");
  if (options.half_life != OrderOptions{}.half_life && !order.takes(Order::Shared::half_life))
    refuse("half_life", "order=multifactor, fair_share");
  for (const auto& [owner, params] : options.own)
    if (owner != name && !params->set().empty()) refuse(params->set(), "order=" + owner);
}

NameId sharer_of(const Jobs& jobs, JobId job, const OrderOptions& options) {
  switch (options.share_by) {
    case OrderOptions::ShareBy::user:
      return jobs.user(job);
    case OrderOptions::ShareBy::queue:
      return jobs.queue(job);
    case OrderOptions::ShareBy::group:
      return jobs.group(job);
  }
  return {};
}

std::int64_t gpu_time(const View& view, JobId job, Duration length) {
  const std::int64_t milli = view.demands[view.jobs.shape(job)].total_milli();
  const Int128 time = Int128{length.count()} * milli / 1'000'000;
  return static_cast<std::int64_t>(std::min<Int128>(time, INT64_MAX));
}

}  // namespace muster
