#include "muster/cost/collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "muster/core/check.hpp"
#include "muster/core/detmath.hpp"

namespace muster {
namespace {

double fill(const Pipeline& pipeline, double kbytes, double rate, double levels) {
  if (pipeline.fill_us == 0) return 0;
  const double grows = std::sqrt(pipeline.fill_us * kbytes * levels / rate);
  if (pipeline.fill_kbytes == 0) return grows;
  return grows / (1 + std::sqrt(kbytes / (levels * pipeline.fill_kbytes)));
}

/// One call: what a way to do it needs of the calibration and the group.
struct Call {
  const GpuLinks& links;
  const Network& network;
  const GpuGroup& group;
  Collective op;
  double kbytes = 0;  // size
  double sent = 0;    // X
};

CollectiveTime timed(Algorithm algorithm, double latency_us, double kbytes, double rate,
                     const Pipeline& pipeline = {}, double levels = 1) {
  return {algorithm, latency_us, kbytes / rate, fill(pipeline, kbytes, rate, levels), kbytes, rate};
}

/// Half the steps of an all-reduce.
double steps(Collective op) { return op == Collective::all_reduce ? 1 : 0.5; }

double ring_rate(const Call& call) {
  const double n = call.group.domains > 1 ? call.group.most : call.group.gpus;
  return call.links.ring_efficiency * (1 - call.links.ring_few_loss / (n * n)) *
         call.group.link_rate;
}

CollectiveTime ring(const Call& call) {
  const double latency = call.links.latency_us + call.links.step_us * (call.group.gpus - 1);
  return timed(Algorithm::ring, latency * steps(call.op), call.sent, ring_rate(call),
               call.links.ring);
}

CollectiveTime small(const Call& call) {
  return timed(Algorithm::small, call.links.small_latency_us * steps(call.op), call.sent,
               call.links.small_gbytes_per_s);
}

/// Each GPU sends the whole of it up and the whole of it down.
CollectiveTime tree_in_mesh(const Call& call) {
  const double latency = call.links.latency_us + call.links.step_us * (call.group.gpus - 1);
  return timed(Algorithm::tree, latency * steps(call.op), call.kbytes,
               call.links.ring_efficiency * call.group.tree_rate, call.links.ring);
}

double nvls_rate(const GpuLinks& links, double link_rate) {
  return links.nvls_efficiency * link_rate;
}

bool has_nvls(const Call& call, std::uint32_t gpus) {
  return call.op == Collective::all_reduce && call.group.in_switch &&
         call.links.nvls_efficiency > 0 && gpus >= call.links.nvls_least_gpus;
}

CollectiveTime nvls(const Call& call) {
  return timed(Algorithm::nvls, call.links.nvls_latency_us, call.kbytes,
               nvls_rate(call.links, call.group.link_rate), call.links.nvls);
}

CollectiveTime faster(const CollectiveTime& a, const CollectiveTime& b) {
  return b.us() < a.us() ? b : a;
}

CollectiveTime inside(const Call& call) {
  CollectiveTime best = call.group.tree_rate > 0 ? tree_in_mesh(call) : ring(call);
  if (call.links.small_gbytes_per_s > 0) best = faster(best, small(call));
  if (has_nvls(call, call.group.gpus)) best = faster(best, nvls(call));
  return best;
}

/// Bus bandwidth inside the domain with the fewest GPUs, as a limit of what comes through it.
double inside_rate(const Call& call, bool in_switch) {
  const GpuGroup& group = call.group;
  if (group.most <= 1) return std::numeric_limits<double>::infinity();
  if (!in_switch)
    return group.tree_rate > 0 ? call.links.ring_efficiency * group.tree_rate : ring_rate(call);
  return bus_factor(Collective::all_reduce, group.least) * nvls_rate(call.links, group.link_rate);
}

/// The rail law: the domain with the fewest rails sets the pace; two domains exchange the halves of an
/// all-reduce in both directions at the same time.
CollectiveTime across(const Call& call) {
  const GpuGroup& group = call.group;
  const bool in_switch = has_nvls(call, group.least);
  const bool exchange = call.op == Collective::all_reduce && group.domains == 2;
  const double rails = group.rails_rate * group.spine_share * (exchange ? 2 : 1);
  const double rate = call.network.efficiency * std::min(inside_rate(call, in_switch), rails);
  const double levels = detmath::log2(group.domains);
  return timed(in_switch ? Algorithm::hierarchical : Algorithm::tree,
               call.network.hop_us * levels * steps(call.op), call.sent, rate, call.network.tree,
               levels);
}

CollectiveTime all_to_all(const Call& call) {
  const GpuGroup& group = call.group;
  const double n = group.gpus;
  const double near = call.kbytes * (group.most - 1) / n;
  const double latency = (call.links.latency_us + call.links.step_us * (group.most - 1)) * 0.5;
  const CollectiveTime in_domain = timed(
      Algorithm::direct, latency, near,
      call.links.alltoall_efficiency * (group.tree_rate > 0 ? group.tree_rate : group.link_rate));
  if (group.domains == 1) return in_domain;
  const double far = call.kbytes * (n - group.least) / n;
  const double hop = call.network.hop_us * detmath::log2(group.domains) * 0.5;
  CollectiveTime network =
      timed(Algorithm::rail, hop, far,
            call.network.alltoall_efficiency * group.nic_rate * group.alltoall_share);
  return group.most > 1 && in_domain.us() > network.us() ? in_domain : network;
}

CollectiveTime send_recv(const Call& call) {
  const GpuGroup& group = call.group;
  if (group.domains == 1)
    return timed(Algorithm::direct, call.links.p2p_latency_us, call.kbytes,
                 call.links.p2p_efficiency * group.link_rate);
  return timed(Algorithm::direct, call.network.p2p_latency_us, call.kbytes,
               call.network.efficiency * group.nic_rate * group.alltoall_share);
}

}  // namespace

std::string_view name(Collective op) {
  static constexpr std::array<std::string_view, kCollectives> names{
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_recv"};
  return names[static_cast<std::size_t>(op)];
}

std::string_view name(Algorithm algorithm) {
  static constexpr std::array<std::string_view, 8> names{"none", "small",        "ring", "tree",
                                                         "nvls", "hierarchical", "rail", "direct"};
  return names[static_cast<std::size_t>(algorithm)];
}

double bus_factor(Collective op, std::uint32_t gpus) {
  const double n = gpus;
  switch (op) {
    case Collective::all_reduce:
      return 2 * (n - 1) / n;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
      return (n - 1) / n;
    case Collective::broadcast:
    case Collective::send_recv:
      return 1;
  }
  return 1;
}

CollectiveTime collective_time(const Calibration& calibration, const GpuGroup& group, Collective op,
                               double bytes) {
  MUSTER_CHECK(group.links < calibration.links.size());
  if (group.gpus <= 1) return {};
  const Call call{
      calibration.links[group.links],           calibration.network, group, op, bytes * 1e-3,
      bytes * 1e-3 * bus_factor(op, group.gpus)};
  if (op == Collective::all_to_all) return all_to_all(call);
  if (op == Collective::send_recv) return send_recv(call);
  return group.domains > 1 ? across(call) : inside(call);
}

}  // namespace muster
