#include "core.hpp"

namespace muster::batch {
namespace {

std::uint32_t most_in_one_domain(const Cluster& empty, const Demand& d, bool nodes) {
  std::uint32_t most = 0;
  const auto level = static_cast<std::size_t>(d.required);
  for (std::uint32_t i = 0; i < empty.fleet().domains[level].size(); ++i)
    most = std::max(most, nodes ? empty.domain_at_least(d.required, i, d.per_node == 0 ? 1 : d.per_node, d.pools)
                                : empty.domain_free(d.required, i, d.pools));
  return most;
}

}  // namespace

bool Core::wants_domains(const Fleet& fleet) const {
  return pick_placer()->wants_domains(fleet);
}

std::optional<Rejection> Core::refuse(const View& view, const Cluster& empty, JobId j) const {
  const Demand& d = demand(view, j);
  const std::string who = "job " + std::string{view.jobs.id_text(j)} + " needs " + describe(d);
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  if (d.pools == 0)
    return Rejection{j, "no_such_gpu_type", who + " of a type that the fleet does not have"};
  if (const auto cap = caps_.find(view.jobs.queue(j)); cap != caps_.end() && d.total_milli() > cap->second)
    return Rejection{j, "exceeds_queue_cap",
                     who + ", queue " + std::string{view.jobs.names()[view.jobs.queue(j)]} + " may use " +
                         number(cap->second / 1000)};
  switch (fit(empty, d)) {
    case Fit::yes: return std::nullopt;
    case Fit::too_few:
      return Rejection{j, "exceeds_fleet", who + ", the whole fleet has " + number(view.fleet.gpus) + " GPUs"};
    case Fit::wrong_type:
      return Rejection{j, "exceeds_gpu_type",
                       who + ", the fleet has " + number(empty.free_gpus(d.pools)) + " GPUs of the types allowed"};
    case Fit::fragmented:
      return Rejection{j, "exceeds_nodes",
                       who + ", the fleet has " + number(empty.at_least(d.per_node ? d.per_node : 1, d.pools)) +
                           " such nodes, the widest of " + number(d.widest) + " GPUs"};
    case Fit::apart: {
      const bool nodes = d.nodes > 0;
      const std::string most = number(most_in_one_domain(empty, d, nodes));
      const std::string level{name(d.required)};
      return Rejection{j, d.required == Level::fabric ? "exceeds_largest_fabric" : "exceeds_largest_domain",
                       who + ", the largest " + level + " has " + most + (nodes ? " nodes" : " GPUs")};
    }
  }
  return std::nullopt;
}

}  // namespace muster::batch
