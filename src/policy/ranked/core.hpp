#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "free_counts.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/parts/packing.hpp"
#include "muster/policy/parts/patience.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/rank.hpp"
#include "roster.hpp"
#include "rungs.hpp"

namespace muster::ranked {

struct Params {
  std::string rank = "srtf";
  RankOptions rank_options;
  PreemptMode preemption = PreemptMode::suspend;
  bool backfill = true;
  std::string placer = "pack";
  Cutting cutting;
  Planning planning;
  Packing::Options packing;
  Patience::Options patience;
  bool migrate = false;
  Duration move_cost{};

  void walk(ParamVisitor& visit);
};

/// One decision by rank: all jobs in the system are gone through from the best rank to the worst and
/// have GPUs while there are some. Those that run keep theirs; a job that does not fit on what is
/// free takes the room of the worst-ranked ones behind it, if that is enough.
///
/// Only the first waiting job of each shape is ever looked at: where it can't start, the others of
/// its shape, which rank lower, can't either. So a pass costs O(shapes + what it starts and stops),
/// whatever waits and whatever runs. With delays, which are each job's own, the first that insists on
/// a leaf, the first that insists on a pod, and the first that insists on nothing are looked at.
class Core {
 public:
  explicit Core(const Params& params);

  void begin(const View& view, std::uint64_t seed);
  bool wants_domains(const Fleet& fleet) const {
    return patience_ || make_placer()->wants_domains(fleet);
  }
  Planning planning() const;
  const Params& params() const { return params_; }
  std::optional<Rejection> refuse(const View& view, JobId j);
  void decide(const View& view, Plan& plan);
  /// The words for Policy::explain().
  Explanation explain(const View& view, JobId job);

 private:
  enum class Room : std::uint8_t { none, now, coming };
  struct NoSum {
    void add(const std::pair<SimTime, JobId>&) {}
    bool remove(const std::pair<SimTime, JobId>&) { return true; }
  };
  struct Head {
    Rung rung;
    ShapeId shape;
    friend bool operator<(const Head& a, const Head& b) { return b.rung < a.rung; }
  };

  bool by_estimates() const { return rank_->by_estimates() || packing_.has_value(); }
  void absorb(const View& view);
  void note_ended(const View& view, JobId j);
  void note_joined(const View& view, JobId j);
  void rank_anew(const View& view, Roster::Entry& e);
  void enter(const View& view, Roster::Entry& e);
  void leave(Roster::Entry& e);

  void collect_heads(const View& view, bool all);
  void push_head(ShapeId shape);
  bool push_less_particular(const View& view, const Head& head);
  void walk(const View& view, Plan& plan);
  bool try_start(const View& view, Plan& plan, JobId j);
  bool find_place(const View& view, JobId j);
  /// On what a gang insists yet, and until when: see Patience.
  std::pair<Level, SimTime> stance(const View& view, JobId j) const {
    return patience_ ? patience_->stance(j, view.now) : std::pair{Level::fleet, kNever};
  }
  /// Whether it waits only for what it insists on: `fit` says yes, or by number there are enough GPUs with those of
  /// jobs that rank lower, whom it does not evict meanwhile.
  bool kept_by_delay(const View& view, JobId j, Fit fit);
  void note_run(const View& view, const Plan& plan, JobId j);
  bool try_pack(const View& view, Plan& plan, JobId j);
  void part_those_that_hurt(const View& view, Plan& plan);
  void spread_pairs(const View& view, Plan& plan);
  void bring_together(const View& view, Plan& plan);
  void move(const View& view, Plan& plan, Roster::Entry& e);
  bool spread(const View& view, JobId j) const;
  void note_spread(Roster::Entry& e, bool spread);
  Room make_room(const View& view, Plan& plan, JobId j);
  bool enough_by_number(const View& view, const Rung& rung, const Demand& d);
  bool choose_victims(const View& view, Plan& plan, const Rung& rung, const Demand& d);
  bool choose_by_number(const View& view, const Rung& rung, const Demand& d);
  template <class WhatIf>
  bool choose_from_last(const View& view, const Rung& rung, WhatIf what_if);
  Room evict(const View& view, Plan& plan, JobId by);
  void explain_shapes(const View& view, Plan& plan);
  void ask_for_the_next_pass(const View& view, Plan& plan);

  const Demand& demand(const View& view, JobId j) const { return view.demands[view.jobs.shape(j)]; }
  std::unique_ptr<Placer> make_placer(std::uint64_t seed = 1) const;

  Params params_;
  std::unique_ptr<Rank> rank_;
  std::unique_ptr<Placer> placer_;
  Roster roster_;
  WaitingRungs waiting_;
  Ladder ladder_;
  BlockList<std::pair<SimTime, JobId>, NoSum>
      looks_;                     // when a key is no longer good, or a quantum over
  SimTime asked_ = kStart;        // the last pass asked for
  std::optional<Cluster> empty_;  // the fleet with nobody on it
  std::optional<Packing> packing_;
  std::optional<Patience> patience_;
  std::set<ShapeId> hoped_;                       // shapes that patience_ knows
  std::set<std::pair<SimTime, JobId>> to_judge_;  // guests: when it is known how they get on
  std::set<JobId> spread_;  // jobs that run on more nodes than they need, with migrate
  std::uint64_t pass_ = 1;

  std::vector<Head> heads_;                // a heap, the best on top
  std::optional<FreeCounts> free_counts_;  // where numbers tell whether there is room
  struct InVain {
    std::uint64_t pass;
    Rung rung;
  };
  std::optional<InVain>
      in_vain_;  // no room without anybody below `rung`; what there was is remembered
  std::vector<JobId> victims_;
  std::vector<JobId> everyone_;
  std::vector<Slice> slices_;
};

}  // namespace muster::ranked
