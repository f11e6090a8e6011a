#include <array>

#include "../cells/core.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/core_policy.hpp"
#include "muster/policy/parts/cutting_params.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace cells {

void Params::walk(ParamVisitor& visit) {
  static constexpr std::array<std::string_view, 3> kPreemption{"suspend", "requeue", "checkpoint"};
  visit.visit(
      "virtual_clusters", virtual_clusters,
      "the cells of each queue, as {\"vision\": \"2xnode + 1x4gpu\"}; jobs of other queues, "
      "and those of qos best_effort or spot, run on what is free and make room; empty: one "
      "virtual cluster of the whole fleet for all queues");
  visit.visit("skip", skip,
              "in a virtual cluster whoever fits goes; false: nobody passes the first job");
  visit.choice(
      "preemption", preemption, kPreemption,
      "jobs that make room keep their work (suspend), fall back to their last checkpoint and "
      "pay a restart (requeue), or keep it and pay one (checkpoint)");
  visit.visit("restart_cost", planning.restart_cost,
              "what a restart costs jobs whose trace does not say; not set: nothing");
  choose_part<Placers>(visit, "placer", placer, "where a gang goes inside its cells");
  visit.choice("span", cutting.span, kSpanNames, "how a bare number of GPUs is cut into nodes");
  locality_params(visit, cutting);
  mig_params(visit, cutting);
  walk_planning(visit, planning);
}

}  // namespace cells

namespace {

/// Virtual clusters made of cells, which are bound to the fleet's by buddy allocation when they are
/// used: a tenant's jobs start when they would in a private cluster of the same cells, whatever others
/// do, and what tenants leave idle is used by jobs that make room. HiveD (Zhao et al., OSDI'20,
/// section 3). In a cell with a job of its tenant nobody else starts unless nothing is free outside of
/// such cells.
class Cells final : public CorePolicy<cells::Core> {
 public:
  using Params = cells::Params;

  explicit Cells(const Params& p) : CorePolicy(p) { check(p.planning); }

  bool by_queue() const override { return true; }
};

const RegisterPolicy<Cells> registered{
    "cells", "virtual clusters of cells with buddy allocation, and jobs that make room: HiveD"};

}  // namespace
}  // namespace muster
