#include "muster/policy/job_traffic.hpp"

#include <algorithm>

#include "muster/policy/contention.hpp"
#include "muster/policy/job_steps.hpp"

namespace muster {
namespace {

constexpr double kMillion = 1e6;

/// Calls f(node, its GPUs) for all nodes of a placement, in order.
template <class F>
void each_node(std::span<const Slice> where, F&& f) {
  for (const Slice& s : where)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) f(NodeId{n}, s.gpus);
}

}  // namespace

JobTraffic::JobTraffic(const Workload& w, const Fleet& fleet, const CostOptions& cost)
    : w_(w), fleet_(fleet), cost_(cost), steps_(make_job_steps(w, fleet, cost)) {}

Traffic JobTraffic::per_second(JobId job, std::span<const Slice> where) const {
  const auto& nvlink = fleet_.domain_of[static_cast<std::size_t>(Level::nvlink)];
  const NodeId last{where.back().first.value + where.back().count - 1};
  if (nvlink[where.front().first] == nvlink[last]) return {};
  if (const auto here = steps_ ? steps_->here(job, where) : nullptr)
    return step_traffic(fleet_, where, here->training->model, here->plan,
                        *cost_.trainings->mapping) *
           (kMillion / here->reference_us);
  const NameId model = Workload::at_or(w_.model, job, NameId{});
  const auto listed = cost_.models.find(std::string{w_.names[model]});
  return of_share(listed == cost_.models.end() ? cost_.communication
                                               : static_cast<double>(listed->second) / 100,
                  where);
}

/// As contention has it: so much of its time it sends at the rate of the node with the fewest NICs out of
/// each node; in a ring it goes once out of each leaf and pod, all to all as far as its receivers lie beyond.
Traffic JobTraffic::of_share(double share, std::span<const Slice> where) const {
  double rate = -1, nodes = 0;
  const Wiring* last = nullptr;  // nodes side by side are mostly alike
  GpuMask last_gpus = 0;
  each_node(where, [&](NodeId n, GpuMask gpus) {
    ++nodes;
    const Wiring& wiring = fleet_.wiring(n);
    if (&wiring == last && gpus == last_gpus) return;
    last = &wiring;
    last_gpus = gpus;
    const double here = wiring.nics_of(gpus) * wiring.nic_bytes_per_s;
    rate = rate < 0 ? here : std::min(rate, here);
  });
  const auto out_of = [&](Level level) {
    double domains = 0, pairs = 0, inside = 0;
    std::uint32_t at = UINT32_MAX;
    each_node(where, [&](NodeId n, GpuMask) {
      const std::uint32_t domain = fleet_.domain_of[static_cast<std::size_t>(level)][n];
      if (domain != at) {
        pairs += inside * (nodes - inside);
        inside = 0;
        ++domains;
      }
      at = domain;
      ++inside;
    });
    if (domains < 2) return 0.0;
    pairs += inside * (nodes - inside);
    return cost_.pattern == CostOptions::Pattern::ring ? domains : pairs / (nodes - 1);
  };
  return Traffic{nodes, out_of(Level::leaf), out_of(Level::pod)} * (share * rate);
}

}  // namespace muster
