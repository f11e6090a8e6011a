#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "muster/cluster/block_list.hpp"
#include "muster/core/job_slots.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/size_rule.hpp"
#include "sized_demands.hpp"

namespace muster::elastic {

struct Params {
  std::string sizes = "edl";
  SizeOptions size_options;
  Duration resize_cost{};
  Duration cooldown{};
  Duration interval{};
  std::map<std::string, std::int64_t> caps;
  std::string placer = "pack";
  Cutting cutting{.span = Span::any};
  Planning planning;

  void walk(ParamVisitor& visit);
};

/// How long `r` is planned to go on from `from`; a little longer for one that should have ended.
inline Duration left_of(const RunningJob& r, SimTime from) {
  return r.end == kNever ? kLongest : std::max<Duration>(r.end - from, kOverrunStep);
}

/// One decision: the rule says how many GPUs each job shall have, by number; then places are looked for
/// on a copy of the cluster, and where a job that shall start finds none the rule is asked again without
/// it. Only then is anybody told anything, so that nobody shrinks in vain. A pass costs what the rule
/// costs, and O(jobs that are shown to the rule). On a fleet of one type without outages these are of jobs that run those
/// about which something may be decided (not those of one size, under most rules; nobody between multiples of
/// `interval`), and of jobs that wait as many as could run on what the others leave, in queue order or of each kind.
class Core {
 public:
  explicit Core(const Params& params);

  void begin(const View& view, std::uint64_t seed);
  bool wants_domains(const Fleet& fleet) const { return make_placer()->wants_domains(fleet); }
  Planning planning() const;
  const Params& params() const { return params_; }
  std::optional<Rejection> refuse(const View& view, JobId j);
  void decide(const View& view, Plan& plan);
  /// The words for Policy::explain().
  Explanation explain(const View& view, JobId j);

 private:
  enum class State : std::uint8_t { gone, waiting, running, leaving };
  /// Queue order: urgent ones first, then by submit time (CONVENTIONS C3).
  using Key = std::pair<std::int64_t, JobId>;
  static Key key(const View& view, JobId j) { return {-std::int64_t{view.jobs.priority(j)}, j}; }
  /// What waiting jobs that are alike have in common, see SizeRule::turn().
  struct Kind {
    ShapeId shape;
    NameId queue, model;
    std::uint32_t least, most, most_held;
    auto operator<=>(const Kind&) const = default;
  };
  using Turns = std::set<std::pair<std::int64_t, Key>>;
  struct Member {
    State state = State::gone;
    bool elastic = false;
    bool odd = false;             // see note_odd()
    bool has_turn = false;        // while it waits
    std::int64_t milli = 0;       // thousandths of GPUs, while it runs
    SimTime changed = kStart;     // its size or place, last
    std::uint32_t changes = 0;    // of these, while it ran or since it did
    std::uint32_t most_held = 0;  // GPUs at once
    RunningJob entry;             // while it has GPUs
    Kind kind{};                  // while it has a turn
    std::int64_t turn = 0;
  };
  struct NoSum {
    void add(const Key&) {}
    bool remove(const Key&) { return true; }
  };
  using Keys = BlockList<Key, NoSum>;
  struct NextTurn {
    Turns::const_iterator at, end;
  };
  /// What is to happen to a job. No slices: it is stopped.
  struct Change {
    Claim* claim;
    std::vector<Slice> slices;
  };

  void absorb(const View& view);
  void set_state(const View& view, JobId j, State s);
  void take_out(const View& view, const Key& k);
  void forget(const View& view, JobId j);
  void note_odd(Member& m);
  void note_held(const View& view, Member& m, JobId j, std::uint32_t gpus);
  void make_claims(const View& view);
  bool serve_by_turn(const View& view);
  void add_running(const View& view);
  std::int64_t milli_to_deal(const View& view) const;
  void choose(const View& view);
  void begin_to_wait(const View& view, const Key& k);
  void end_to_wait(const View& view, const Key& k);
  void choose_by_turn(const View& view);
  bool blocked(const View& view, const Key& k, const Demand& least) const;
  Claim claim_of(const View& view, JobId j, const Member& m);
  /// Those that could hold its least size alone.
  PoolMask types_of(const View& view, JobId j);
  bool may_change(SimTime now, const Member& m) const;
  bool place_all(const View& view);
  bool shrink_all(const View& view);
  bool changes_type(const View& view, const Claim& c) const;
  bool find_place(const Demand& d);
  bool find_place(const View& view, const Claim& c, std::uint32_t gpus);
  bool start_all(const View& view, bool some_leave);
  void grow_all(const View& view);
  bool waits_for_leavers(const Claim& c) const {
    return room_.cap(c.queue) != Room::kUnlimited && queues_of_leavers_.contains(c.queue);
  }
  bool grow(const View& view, const Claim& c, std::uint32_t gpus);
  static void note_change(const View& view, Member& m, std::uint32_t gpus);
  void carry_out(const View& view, Plan& plan);
  void explain_shapes(const View& view, Plan& plan);
  void ask_for_the_next_pass(const View& view, Plan& plan);

  /// What `c` must have at least to run.
  const Demand& least(const View& view, const Claim& c);
  Cause cause_of(const View& view, const Claim& c);
  std::unique_ptr<Placer> make_placer(std::uint64_t seed = 1) const;

  Params params_;
  std::unique_ptr<SizeRule> rule_;
  std::unique_ptr<Placer> placer_;
  SizedDemands demands_;
  Room room_;
  std::optional<Cluster> empty_, trial_;
  JobSlots<Member> members_;
  std::size_t in_the_system_ = 0, elastic_in_the_system_ = 0, odd_in_the_system_ = 0;
  Keys waiting_, rigid_, elastic_, leaving_jobs_;     // the middle ones run
  SimTime all_work_from_ = kStart;                    // whoever runs has paid its overhead by then
  std::int64_t held_by_shown_ = 0;                    // of jobs of one size, although hides_rigid_
  Room::Held held_by_rigid_, held_by_elastic_;        // while they run
  bool hides_ = false;                                // jobs that nothing is decided about
  bool hides_rigid_ = false, hides_elastic_ = false;  // in this pass
  std::map<ShapeId, std::set<Key>> waiting_of_;
  std::map<Kind, Turns> turns_;  // with turns only
  std::vector<NextTurn> next_;   // of each kind
  std::vector<Key> shown_;
  std::vector<Claim> claims_;
  std::vector<JobId> leaving_;
  /// By shape and the size they want: from which job on there is no place.
  std::map<std::pair<ShapeId, std::uint32_t>, Key> blocked_;
  std::map<std::pair<ShapeId, std::uint32_t>, PoolMask> types_;  // by shape and least size
  std::vector<Change> shrinks_, starts_, grows_;
  std::set<NameId>
      queues_of_leavers_;  // jobs told to go in this pass, which still count in their caps
  std::vector<Slice> slices_;
};

}  // namespace muster::elastic
