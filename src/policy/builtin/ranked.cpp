#include <array>
#include <optional>

#include "../ranked/core.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/cutting_params.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/parts/words.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace ranked {

void Params::walk(ParamVisitor& visit) {
  static constexpr std::array<std::string_view, 3> kPreemption{"suspend", "checkpoint", "requeue"};
  choose_part<Ranks>(visit, "rank", rank, "who goes first of all jobs in the system");
  visit.visit("quantum", rank_options.quantum,
              "a job runs at least this long before others may take its GPUs, and ranks that sink "
              "while jobs run are compared this often; 0: whenever something happens");
  visit.choice("preemption", preemption, kPreemption,
               "jobs that make room keep their work (suspend), keep it and pay a restart "
               "(checkpoint), or fall back to their last checkpoint and pay one (requeue)");
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
  visit.visit("history", rank_options.history,
              "gittins: how many earlier jobs used so many GPU-seconds, as {\"3600\": 12}");
  visit.visit("learn", rank_options.learn, "gittins: also learn from jobs that end in this run");
  choose_part<Placers>(visit, "placer", placer, "where a gang goes");
  visit.choice("span", cutting.span, kSpanNames, "how a bare number of GPUs is cut into nodes");
  mig_params(visit, cutting);
  walk_planning(visit, planning);
}

}  // namespace ranked

namespace {

/// All jobs in the system by rank, at each event and quantum: the best have the GPUs, and those that
/// run make room for better ones. What Tiresias (Gu et al., NSDI'19, section 3), Gandiva's time
/// slicing (Xiao et al., OSDI'18, section 3) and the textbook policies SRTF, SRSF and LAS have in
/// common. The rank is a part of its own (src/policy/ranks).
class Ranked final : public Policy {
 public:
  using Params = ranked::Params;

  explicit Ranked(const Params& p) : core_(p) { check(p.planning); }

  Planning planning() const override { return core_.planning(); }
  Cutting cutting() const override { return core_.params().cutting; }
  bool wants_domains(const Fleet& fleet) const override { return core_.wants_domains(fleet); }
  void begin(const View& view, std::uint64_t seed) override {
    core_.begin(view, seed);
    empty_.emplace(view.cluster);
  }
  std::optional<Rejection> refuse(const View& view, JobId j) override {
    if (auto rejection = never_fits(view, *empty_, j)) return rejection;
    core_.submitted(view, j);
    return std::nullopt;
  }
  void decide(const View& view, Plan& plan) override { core_.decide(view, plan); }
  Explanation explain(const View& view, JobId j) override { return core_.explain(view, j); }

 private:
  ranked::Core core_;
  std::optional<Cluster> empty_;  // the fleet with nobody on it
};

const RegisterPolicy<Ranked> registered{
    "ranked", "preemptive by rank: SRTF, SRSF, LAS, Tiresias, Gittins, time slicing"};

}  // namespace
}  // namespace muster
