#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "layout.hpp"
#include "members.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/parts/objective.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/shape_lines.hpp"

namespace muster::rounds {

struct Params {
  std::string objective = "las";
  bool aware = true;
  Duration round = std::chrono::seconds{360};
  bool every_round = false;
  bool fill = true;
  std::map<std::string, std::int64_t> prices, weights;
  std::string placer = "pack";
  Cutting cutting;
  Planning planning;

  void walk(ParamVisitor& visit);
};

/// Time in rounds. An objective says which part of the time each job shall have GPUs of each type; in each
/// round those have them who are furthest behind that (Narayanan et al., OSDI'20, section 5): jobs and
/// types in order of the time that the job should have had there over the time that it has had, each job
/// once, as long as there are GPUs of the type. Who has the same type as in the round before keeps its GPUs
/// and notices nothing; everybody else writes a checkpoint and pays for a restart. Nobody starts inside a
/// round, but for those who wait for GPUs of a job in its grace time.
///
/// A pass inside a round costs by what has happened and by the shapes that wait; a round, by the jobs that run
/// or that the objective has given a part of the time.
class Core {
 public:
  explicit Core(const Params& params);

  void begin(const View& view, std::uint64_t seed);
  bool wants_domains(const Fleet& fleet) const { return make_placer(1)->wants_domains(fleet); }
  Planning planning() const;
  const Params& params() const { return params_; }
  std::optional<Rejection> refuse(const View& view, JobId j);
  void decide(const View& view, Plan& plan);
  Explanation explain(const View& view, JobId job);

 private:
  // core.cpp: who is there, and the clock
  void absorb(const View& view);
  void count(const View& view, Member& m);
  void start_late(const View& view, Plan& plan);
  void start(const View& view, Plan& plan, Member& m, std::span<const Slice> where);
  void explain_shapes(const View& view, Plan& plan);
  std::unique_ptr<Placer> make_placer(std::uint64_t seed) const;
  /// What a shape asks for if it has GPUs of one type only, and whether that fits the empty fleet.
  struct Place {
    Demand demand;
    bool possible;
  };
  const std::vector<Place>& places_of(const View& view, JobId j);
  const Place& place(const Member& m, std::size_t type) const { return places_[m.shape][type]; }
  const Demand& demand_on(const Member& m, std::size_t type) const { return place(m, type).demand; }

  // allocate.cpp: the allocation
  void allocate(const View& view);
  void sketch(const View& view, const Member& m, Contender& c) const;
  bool first_come(const View& view) const;
  double speed(const View& view, const Member& m, std::size_t type) const;
  double known_speed(const View& view, const Member& m, std::size_t type) const;

  // round.cpp: one round
  struct Claim {
    Member* member;
    std::size_t type;
    double ahead;  // the time that it should have had over the time that it has had
    Int128 due;
    std::size_t place;  // in order of submission, then of type
  };
  void collect_active();
  std::vector<Claim> claims() const;
  void choose(const View& view);
  void hold_round(const View& view, Plan& plan);
  std::vector<bool> awaited(const View& view, std::vector<Seat>& seats) const;
  void fill(const View& view, Layout& layout, std::vector<Seat>& seats,
            const std::vector<bool>& awaited);
  std::vector<std::size_t> types_for(const View& view, const Member& m,
                                     const std::vector<bool>& awaited) const;
  void carry_out(const View& view, Plan& plan, std::vector<Seat>& seats);
  void stop(const View& view, Plan& plan, Member& m, JobId by);

  // explain.cpp
  Cause cause(const View& view, ShapeId shape) const;
  std::string standing(const View& view, const Member& m) const;

  Params params_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<Placer> placer_;
  std::optional<Cluster> empty_;  // the fleet with nobody on it
  Members members_;
  ShapeLines<ShapeLine<std::set<JobId>>> waiting_;
  std::set<JobId> holding_;      // who runs, or is in its grace time
  std::vector<JobId> entitled_;  // who was given a part of the time when it was divided last
  std::vector<Member*> active_;  // of a round: those two, in order of submission
  std::set<JobId> late_;         // chosen for this round, without GPUs yet
  std::size_t deadlines_ = 0;    // how many have one
  Contest contest_;
  IdVector<ShapeId, std::vector<Place>> places_;  // by type, of shapes that were submitted
  std::vector<double> prices_;                    // by type
  bool changed_ = false;                          // somebody came or went since the last allocation
  SimTime next_ = kStart;                         // the next round
  SimTime began_ = kStart;                        // the last one
  SimTime asked_ = kStart;                        // the last pass asked for
  std::vector<Slice> slices_;
};

}  // namespace muster::rounds
