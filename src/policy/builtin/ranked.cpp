#include <array>

#include "../ranked/core.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/core_policy.hpp"
#include "muster/policy/parts/cutting_params.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace ranked {

void Params::walk(ParamVisitor& visit) {
  static constexpr std::array<std::string_view, 3> kPreemption{"suspend", "requeue", "checkpoint"};
  choose_part<Ranks>(visit, "rank", rank, "who goes first of all jobs in the system");
  visit.visit("quantum", rank_options.quantum,
              "a job runs at least this long before others may take its GPUs, and ranks that sink "
              "while jobs run are compared this often; 0: whenever something happens");
  visit.choice(
      "preemption", preemption, kPreemption,
      "jobs that make room keep their work (suspend), fall back to their last checkpoint and "
      "pay a restart (requeue), or keep it and pay one (checkpoint)");
  visit.visit("restart_cost", planning.restart_cost,
              "what a restart costs jobs whose trace does not say; not set: nothing");
  visit.visit("backfill", backfill,
              "lower ranks start where the best waiting job does not fit; false: they wait");
  visit.visit(
      "thresholds", rank_options.thresholds,
      "tiresias: attained GPU time at which jobs go to the next queue, ascending, as 1h/10h");
  visit.visit("promote", rank_options.promote, 0, 1e9,
              "tiresias: a job that has waited for this many times what it ran goes back to the "
              "first queue (PROMOTEKNOB); 0 = never");
  visit.visit(
      "hold", rank_options.hold,
      "tiresias: a job that runs keeps its GPUs from waiting ones of the same queue, whoever "
      "started first");
  visit.visit("history", rank_options.history,
              "gittins: how many earlier jobs used so many GPU-seconds, as {\"3600\": 12}");
  visit.visit("learn", rank_options.learn, "gittins: also learn from jobs that end in this run");
  choose_part<Placers>(visit, "placer", placer, "where a gang goes");
  visit.choice("span", cutting.span, kSpanNames, "how a bare number of GPUs is cut into nodes");
  mig_params(visit, cutting);
  visit.visit(
      "migrate", migrate,
      "span=any: a job starts on as few nodes as it takes if there is room, and one that is "
      "on more of them moves together when others have ended");
  visit.visit(
      "move_cost", move_cost,
      "what a job that is moved, by migrate or out of a pair, pays before its work goes on");
  visit.visit(
      "delay_leaf", patience.leaf,
      "so long a new gang starts inside one leaf only, if it fits one, and nobody makes room "
      "for it");
  visit.visit("delay_pod", patience.pod,
              "then so long inside one pod only, before it starts anywhere");
  packing.walk(visit);
  walk_planning(visit, planning);
}

}  // namespace ranked

namespace {

/// All jobs in the system by rank, at each event and quantum: the best have the GPUs, and those that
/// run make room for better ones. What Tiresias (Gu et al., NSDI'19, section 3), Gandiva's time
/// slicing (Xiao et al., OSDI'18, section 3) and the textbook policies SRTF, SRSF and LAS have in
/// common. The rank is a part of its own (src/policy/ranks).
class Ranked final : public CorePolicy<ranked::Core> {
 public:
  using Params = ranked::Params;

  explicit Ranked(const Params& p) : CorePolicy(p) { check(p.planning); }

  bool reshapes() const override { return core_.params().migrate || core_.params().packing.any(); }
};

const RegisterPolicy<Ranked> registered{
    "ranked", "preemptive by rank: SRTF, SRSF, LAS, Tiresias, Gittins, time slicing"};

}  // namespace
}  // namespace muster
