#include <array>

#include "../batch/core.hpp"
#include "muster/core/error.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/cutting_params.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/parts/price.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace batch {
void Params::walk(ParamVisitor& visit) {
  static constexpr std::array<std::string_view, 3> kBackfill{"none", "easy", "conservative"};
  static constexpr std::array<std::string_view, 2> kCandidates{"order", "shortest"};
  static constexpr std::array<std::string_view, 3> kPromise{"time", "pinned", "count"};
  static constexpr std::array<std::string_view, 2> kConservative{"compress", "replan"};
  static constexpr std::array<std::string_view, 3> kPreemption{"none", "suspend", "requeue"};
  static constexpr std::array<std::string_view, 3> kCorrection{"now", "incremental", "user"};
  static constexpr std::array<std::string_view, 2> kScope{"fleet", "queue"};
  static constexpr std::array<std::string_view, 3> kReclaim{"none", "from_borrowers", "fair_share"};
  static constexpr std::array<std::string_view, 2> kGangs{"whole", "never_below_min"};
  choose_part<Orders>(visit, "order", order, "who goes first; ties go to the earlier submission");
  order_options.walk(visit);
  visit.choice("backfill", backfill, kBackfill,
               "who may pass a job that does not fit: none, easy (one promise), conservative (a "
               "promise to all)");
  visit.visit("skip", skip, "with backfill=none: whoever fits goes, nothing is promised");
  visit.visit("depth", depth, 0, 1'000'000'000, "waiting jobs tried behind the promise; 0 = all");
  visit.visit("reservations", reservations, 1, 1'000'000, "easy: how many jobs get a promise");
  visit.choice("candidates", candidates, kCandidates,
               "easy: who is tried first, by queue order or the shortest");
  visit.visit("spare", spare,
              "easy: a later job may outlast the promise on GPUs the promised job leaves over; "
              "false: it must end by then");
  visit.visit("backfill_interval", backfill_interval,
              "easy, or conservative=replan: jobs behind the first that can't start are tried at "
              "multiples of this only (Slurm's bf_interval); 0: in each pass");
  visit.visit("backfill_window", backfill_window,
              "reservations above 1, or conservative=replan: who could start only later than this "
              "from now is promised nothing (Slurm's bf_window); 0: everybody is");
  visit.choice("promise", promise, kPromise,
               "what is promised: a time, identified nodes (pinned), or a number of GPUs whatever "
               "the nodes (count)");
  visit.choice("conservative", conservative, kConservative,
               "plan anew at each pass, in queue order (replan), or keep promises and only move "
               "jobs forward "
               "(compress)");
  choose_part<Placers>(visit, "placer", placer, "where a gang goes");
  visit.choice("span", cutting.span, kSpanNames, "how a bare number of GPUs is cut into nodes");
  visit.choice("rounding", cutting.rounding, kRoundingNames,
               "to what a bare number of GPUs is rounded up, unless the fleet has fewer; what is "
               "added does no work");
  locality_params(visit, cutting);
  mig_params(visit, cutting);
  visit.choice("preemption", preemption, kPreemption,
               "jobs of strictly lower priority make room: suspend keeps their work, requeue falls "
               "back to a checkpoint");
  choose_part<VictimRules>(
      visit, "victims", victims,
      "who is evicted first of those with equal priority; ties: the later in trace order");
  walk_planning(visit, planning);
  visit.choice("correction", planning.correction, kCorrection,
               "estimates=predicted: a job that outlives its prediction is taken to end a second "
               "from now at each pass (now), 1 min, 5 min, ... 100 h later (incremental), or when "
               "its user said (user)");
  visit.choice("preemption_scope", preemption_options.scope, kScope,
               "whose lower-priority jobs make room: anybody's, or those of the same queue");
  visit.choice("reclaim", preemption_options.reclaim, kReclaim,
               "who else makes room: jobs of queues beyond their guarantee (from_borrowers), or of "
               "queues that keep at least the share the claimant will have (fair_share)");
  visit.choice("gang_victims", preemption_options.gangs, kGangs,
               "reclaim: a gang is evicted whole, or never taken below its minimum size");
  visit.visit(
      "defrag", defrag, 0, 8,
      "backfill=none or easy: most running jobs moved at once to make room for the job at the "
      "head, if there are GPUs enough for it that lie apart; 0: none is moved");
  visit.visit("move_cost", move_cost, "what a job that is moved pays before its work goes on");
  visit.visit("delay_leaf", patience.leaf,
              "skip=true: so long a waiting gang starts inside one leaf only, if it fits one");
  visit.visit("delay_pod", patience.pod,
              "skip=true: then so long inside one pod only, before it starts anywhere");
  packing.walk(visit);
  quota.walk(visit);
}

}  // namespace batch

namespace {

/// Queue order, gangs whole or not at all, backfill behind promises, caps, priority preemption: what
/// Slurm, PBS, LSF and the batch layers of Kubernetes have in common. Lifka, JSSPP 1995; Mu'alem &
/// Feitelson, TPDS 2001; rules at one instant and ties by CONVENTIONS C1..C17.
class Batch final : public Policy {
 public:
  using Params = batch::Params;

  explicit Batch(const Params& p) : core_(p) {
    check(p.planning);
    if (p.skip && p.backfill != batch::BackfillKind::none)
      throw InputError("/policy/skip",
                       "true goes with backfill=none only: skipping promises nothing to anybody",
                       "leave one of the two out");
    const bool time = p.promise == batch::PromiseKind::time;
    const bool strict = p.backfill == batch::BackfillKind::none ||
                        (p.backfill == batch::BackfillKind::easy && time && p.reservations == 1);
    if (p.defrag > 0 && !strict)
      throw InputError("/policy/defrag",
                       "goes with backfill=none, or easy with one promise of a time",
                       "other promises are plans, in which running jobs stay where they are");
    check_price("move_cost", p.move_cost);
    if (p.patience.any() && !p.skip)
      throw InputError(p.patience.leaf > Duration{} ? "/policy/delay_leaf" : "/policy/delay_pod",
                       "goes with skip=true: others start while a job waits for a better place",
                       "backfill=none,skip=true,delay_leaf=10min");
    if (p.packing.any() && (!p.skip || p.defrag > 0))
      throw InputError("/policy/pack_capacity",
                       "goes with skip=true and without defrag: jobs side by side end later than "
                       "anybody planned, and stay where they are",
                       "backfill=none,skip=true,pack_capacity=100");
    if (p.packing.any() && p.preemption == batch::PreemptionKind::requeue)
      throw InputError("/policy/preemption", "requeue does not go with pack_capacity",
                       "who comes beside a job finds it at a checkpoint: preemption=suspend");
    const bool replans = p.backfill == batch::BackfillKind::easy ||
                         (p.backfill == batch::BackfillKind::conservative &&
                          p.conservative == batch::ConservativeKind::replan);
    if (p.backfill_interval < Duration{})
      throw InputError("/policy/backfill_interval", "expected a time of 0 or more",
                       "Slurm's bf_interval is 30 s: backfill_interval=30s");
    if (p.backfill_interval > Duration{} && !(replans && time))
      throw InputError("/policy/backfill_interval",
                       "goes with backfill=easy or conservative=replan, and promise=time: others "
                       "have nothing to wait for, or keep plans up to date",
                       "backfill=easy,backfill_interval=30s");
    if (p.depth > 0 && !p.skip && !replans)
      throw InputError(
          "/policy/depth",
          p.backfill == batch::BackfillKind::none
              ? "goes with skip=true or a backfill: else nobody is tried behind the first one"
              : "does not go with conservative=compress, which promises everybody a time when it "
                "comes",
          p.backfill == batch::BackfillKind::none ? "backfill=easy,depth=50"
                                                  : "depth=0, or conservative=replan");
    const bool plans = replans && time && !strict;
    if (p.backfill_window < Duration{} || (p.backfill_window > Duration{} && !plans))
      throw InputError(
          "/policy/backfill_window",
          "expected a time of 0 or more, with several promises of times that are planned "
          "anew: reservations above 1, or conservative=replan",
          "backfill=conservative,backfill_window=1d");
    if (p.promise == batch::PromiseKind::count &&
        (p.backfill != batch::BackfillKind::easy || p.reservations != 1 ||
         p.preemption != batch::PreemptionKind::none))
      throw InputError("/policy/promise",
                       "count goes with backfill=easy, one reservation and no preemption",
                       "promise=time protects the promised job on nodes too");
    if (strict)
      backfill_ = batch::make_strict();
    else if (p.promise == batch::PromiseKind::count)
      backfill_ = batch::make_counted();
    else if (!time)
      backfill_ = batch::make_pinned();
    else
      backfill_ = replans ? batch::make_planned() : batch::make_kept();
  }

  Planning planning() const override { return core_.planning(); }
  Cutting cutting() const override { return core_.params().cutting; }
  bool by_queue() const override { return core_.quota() != nullptr || core_.orders_by_queue(); }
  bool keeps_reservations() const override {
    return core_.params().promise != batch::PromiseKind::count && !reshapes();
  }
  bool reshapes() const override {
    return core_.params().defrag > 0 || core_.params().packing.any();
  }
  bool wants_domains(const Fleet& fleet) const override { return core_.wants_domains(fleet); }

  void begin(const View& view, std::uint64_t seed) override {
    core_.begin(view, seed);
    backfill_->begin(view);
    empty_.emplace(view.cluster);
  }

  std::optional<Rejection> refuse(const View& view, JobId j) override {
    return core_.refuse(view, *empty_, j);
  }

  void decide(const View& view, Plan& plan) override {
    core_.absorb(view, plan);
    core_.start_tied(view, plan);
    backfill_->decide(core_, view, plan);
    core_.end_pass();
    if (core_.order().refresh_after_start()) decide_again(view, plan);
    core_.look_again(view, plan);
  }

  Explanation explain(const View& view, JobId j) override {
    return batch::explain(view, core_, *backfill_, j);
  }

 private:
  /// Where each start changes whose turn it is, whoever was passed over may be next by now.
  void decide_again(const View& view, Plan& plan) {
    View again = view;
    again.joined = again.left = {};
    again.ended = {};
    again.revised = false;
    for (std::size_t before = 0; before < plan.steps().size();) {
      before = plan.steps().size();
      backfill_->decide(core_, again, plan);
      core_.end_pass();
    }
  }

  batch::Core core_;
  std::unique_ptr<batch::Backfill> backfill_;
  std::optional<Cluster> empty_;  // the fleet with nobody on it
};

const RegisterPolicy<Batch> registered{
    "batch",
    "a queue in some order, whole gangs, backfill behind promises, caps, priority preemption"};

}  // namespace
}  // namespace muster
