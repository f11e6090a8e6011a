#pragma once
#include <map>
#include <string>

#include "muster/core/random.hpp"
#include "muster/policy/parts/objective.hpp"
#include "muster/policy/parts/order.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/preemption.hpp"
#include "muster/policy/parts/rank.hpp"
#include "muster/policy/parts/size_rule.hpp"
#include "support/referee_placement.hpp"

namespace muster::test {

inline const char* one_of(Stream& r, std::initializer_list<const char*> choices) {
  return choices.begin()[r.below(choices.size())];
}

/// A part of some kind that is registered: a new one is drawn by existing.
template <class R>
std::string one_of(Stream& r) {
  const std::vector<std::string> names = R::names();
  return names[r.below(names.size())];
}

/// A policy, and what the referee must know of it.
struct DrawnPolicy {
  std::string spec;
  Rules rules;
  bool scales = true;    // no times of its own: twice the durations, twice the schedule
  std::string twice;     // if it has: the policy with these doubled, for which that is true
  bool types = false;    // jobs shall be faster on some types of GPUs than on others
  bool settles = true;   // asked again without any news it has nothing to add
  bool elastic = false;  // wants jobs that may change their size
  bool plans = false;    // ... where every node has one GPU, since it plans by number (adr/0003)
};

/// Every parameter is drawn; only combinations that batch refuses are left out.
inline DrawnPolicy draw_batch(Stream& r) {
  DrawnPolicy p;
  const std::string order = one_of<Orders>(r);
  const std::string backfill = one_of(r, {"none", "easy", "easy", "conservative"});
  const std::string span =
      one_of(r, {"whole_nodes", "whole_nodes", "idle_nodes", "most_free", "any"});
  p.scales = order == "fifo" || order == "priority" || order == "sjf" || order == "ljf";
  p.spec = "batch:order=" + order + ",backfill=" + backfill + ",span=" + span;
  p.rules.span = span == "any"          ? Span::any
                 : span == "idle_nodes" ? Span::idle_nodes
                 : span == "most_free"  ? Span::most_free
                                        : Span::whole_nodes;
  const bool counted = backfill == "easy" && r.chance(0.1);
  const std::string promise = counted ? "count" : one_of(r, {"time", "time", "pinned"});
  if (backfill != "none") p.spec += ",promise=" + promise;
  const bool skip = backfill == "none" && r.chance(0.5);
  if (skip) p.spec += ",skip=true";
  if (backfill == "easy") p.spec += std::string{",candidates="} + one_of(r, {"order", "shortest"});
  const bool several = backfill == "easy" && !counted && r.chance(0.4);
  if (several) p.spec += ",reservations=" + std::to_string(1 + r.below(4));
  p.plans = backfill == "conservative" || several;
  // A promise by count does not know of those who start in the same pass; pins are set anew in each.
  if (promise != "time") p.settles = false;
  if (backfill == "easy" && r.chance(0.2)) p.spec += ",spare=false";
  if (backfill == "conservative")
    p.spec += std::string{",conservative="} + one_of(r, {"compress", "replan"});
  if (p.plans && promise == "time" && p.spec.find("compress") == std::string::npos &&
      p.spec.find("reservations=1") == std::string::npos && r.chance(0.3)) {
    p.scales = false;  // the window is not twice as long
    p.spec += ",backfill_window=" + std::to_string(r.below(60)) + "s";
  }
  if (r.chance(0.2) && (skip || backfill == "easy" || p.spec.find("replan") != std::string::npos)) {
    p.settles = false;  // a second pass tries as many again
    p.spec += ",depth=" + std::to_string(1 + r.below(5));
  }
  const std::string placer = one_of<Placers>(r);
  p.spec += ",placer=" + placer;
  if (p.plans && !p.scales) p.settles = false;  // keeps slots that were found in another order
  if (!counted && r.chance(0.5)) {
    // A pass evicts for one job at the head; the next one behind it evicts in the next pass.
    p.settles = p.settles && !p.plans && !skip;
    p.spec += std::string{",preemption="} + one_of(r, {"suspend", "requeue"}) +
              ",victims=" + one_of<VictimRules>(r);
  }
  if ((backfill == "none" || (backfill == "easy" && !several && promise == "time")) &&
      r.chance(0.3)) {
    p.scales = false;
    p.settles = p.settles && p.spec.find("preemption=") == std::string::npos;
    p.rules.reshape_cost = std::chrono::seconds{r.below(4)};
    p.spec += ",defrag=" + std::to_string(1 + r.below(3)) +
              ",move_cost=" + std::to_string(p.rules.reshape_cost / std::chrono::seconds{1});
  }
  if (r.chance(0.25)) {
    p.settles = false;  // those behind the head may fill its queue's cap, and another is first then
    p.rules.caps["q0"] = 1 + static_cast<std::int64_t>(r.below(8));
    p.spec += ",caps={\"q0\": " + std::to_string(p.rules.caps["q0"]) + "}";
  }
  if (r.chance(0.15)) {
    p.spec += ",locality=leaf";
    p.rules.required = Level::leaf;
  }
  if (r.chance(0.2)) p.spec += ",prefer=leaf";
  if (skip && r.chance(0.4)) {
    p.scales = false;  // its times are not twice as long
    p.spec +=
        ",delay_leaf=" + std::to_string(r.below(40)) + ",delay_pod=" + std::to_string(r.below(40));
  }
  if (r.chance(0.3)) p.spec += ",default_estimate=60";
  if (r.chance(0.2)) p.spec += ",kill_at_limit=false";
  if (r.chance(0.25)) p.spec += std::string{",estimates="} + one_of(r, {"perfect", "predicted"});
  if (r.chance(0.15)) {
    p.rules.powers_of_two = true;
    p.spec += ",rounding=power_of_two";
  }
  if (skip && p.spec.find("defrag=") == std::string::npos &&
      p.spec.find("preemption=requeue") == std::string::npos && r.chance(0.5)) {
    p.spec += ",pack_capacity=100,pack_default=50";
    p.rules.interference = r.chance(0.5) ? 0.4 : 0;
    p.scales = p.settles = false;
  }
  return p;
}

/// Where nobody goes by estimates, default_estimate can only say when jobs are stopped.
inline std::string draw_limits(Stream& r, bool by_estimates) {
  const bool given = r.chance(0.3), stops = !r.chance(0.2);
  return std::string{given && (stops || by_estimates) ? ",default_estimate=60" : ""} +
         (stops ? "" : ",kill_at_limit=false");
}

inline DrawnPolicy draw_independent(Stream& r) {
  using std::chrono::seconds;
  DrawnPolicy p;
  p.rules.gangs_whole = false;
  p.spec = "independent:placer=" + one_of<Placers>(r);
  if (r.chance(0.3)) p.spec += ",interleave=false";
  if (r.chance(0.4)) {
    p.rules.worker_gpus = 1 + static_cast<std::int64_t>(r.below(8));
    p.spec += ",worker_gpus=" + std::to_string(p.rules.worker_gpus);
  }
  if (r.chance(0.6)) {
    p.scales = false;
    p.rules.timeout = seconds{1 + static_cast<std::int64_t>(r.below(60))};
    p.spec += ",timeout=" + std::to_string(p.rules.timeout / seconds{1}) +
              ",backoff=" + std::to_string(1 + r.below(20));
  }
  p.spec += draw_limits(r, false);
  return p;
}

inline DrawnPolicy draw_ranked(Stream& r) {
  using std::chrono::seconds;
  DrawnPolicy p;
  const std::string rank = one_of<Ranks>(r);
  p.rules.lower_priority_victims = false;
  p.spec = "ranked:rank=" + rank + ",placer=" + one_of<Placers>(r);
  const bool slices = rank == "round_robin" || r.chance(0.4);
  if (slices) p.spec += ",quantum=" + std::to_string(12 + r.below(30));
  const std::string span = one_of(r, {"whole_nodes", "idle_nodes", "most_free", "any"});
  p.spec += ",span=" + span;
  if (span == "any") p.rules.span = Span::any;
  if (span == "idle_nodes") p.rules.span = Span::idle_nodes;
  if (span == "most_free") p.rules.span = Span::most_free;
  const bool promotes = rank == "tiresias" && r.chance(0.5);
  if (promotes) p.spec += ",promote=" + std::to_string(1 + r.below(4));
  if (rank == "tiresias" && r.chance(0.4)) p.spec += ",hold=true";
  // Those that take turns and lose all they did in each of them do so for ever.
  const bool turns = promotes || slices;
  p.spec += std::string{",preemption="} +
            one_of(r, {"suspend", "checkpoint", turns ? "suspend" : "requeue"});
  const bool costs = r.chance(0.3);
  if (costs) {
    p.rules.restart_cost = seconds{1 + static_cast<std::int64_t>(r.below(10))};
    p.spec += ",restart_cost=" + std::to_string(p.rules.restart_cost / seconds{1});
  }
  const bool backfill = !r.chance(0.3);
  if (!backfill) p.spec += ",backfill=false";
  const bool delays = backfill && r.chance(0.4);
  if (delays)
    p.spec +=
        ",delay_leaf=" + std::to_string(r.below(40)) + ",delay_pod=" + std::to_string(r.below(40));
  if (r.chance(0.5)) p.spec += ",thresholds=20s/2min/7min";
  if (r.chance(0.3)) p.spec += ",history={\"30\": 5, \"200\": 2}";
  if (r.chance(0.2)) p.spec += ",learn=false";
  p.spec += draw_limits(r, rank == "srtf" || rank == "srsf");
  if (r.chance(0.4)) p.spec += std::string{",estimates="} + one_of(r, {"perfect", "predicted"});
  const bool packs = p.spec.find("preemption=requeue") == std::string::npos && r.chance(0.3);
  const bool migrates = span == "any" && r.chance(0.6);
  if (packs) {
    p.spec += ",pack_capacity=100,pack_default=50";
    p.rules.interference = r.chance(0.5) ? 1.2 : 0;
  }
  if (migrates) p.spec += ",migrate=true";
  if (packs || migrates) {
    p.settles = false;  // a second pass finds hosts for others
    p.rules.reshape_cost = seconds{r.below(4)};
    p.spec += ",move_cost=" + std::to_string(p.rules.reshape_cost / seconds{1});
  }
  // Queues, buckets and quanta are amounts of time.
  p.scales = !slices && !costs && !packs && !migrates && !delays && rank != "tiresias" &&
             rank != "gittins";
  return p;
}

inline DrawnPolicy draw_rounds(Stream& r) {
  using std::chrono::seconds;
  DrawnPolicy p;
  p.rules.lower_priority_victims = false;
  p.types = true;
  const std::string objective = one_of<Objectives>(r);
  p.spec = "rounds:objective=" + objective + ",placer=" + one_of<Placers>(r);
  const std::string span = one_of(r, {"whole_nodes", "idle_nodes", "most_free", "any"});
  p.spec += ",span=" + span;
  if (span == "any") p.rules.span = Span::any;
  if (span == "idle_nodes") p.rules.span = Span::idle_nodes;
  if (span == "most_free") p.rules.span = Span::most_free;
  if (r.chance(0.3)) p.spec += ",aware=false";
  if (r.chance(0.3)) p.spec += ",fill=false";
  if (r.chance(0.3)) p.spec += ",every_round=true";
  if (r.chance(0.2)) p.spec += ",prices={\"A\": 3, \"B\": 2}";
  if (r.chance(0.2)) p.spec += ",weights={\"q0\": 4}";
  p.spec += draw_limits(r, objective != "las" && objective != "fifo");
  if (r.chance(0.4)) {
    p.scales =
        false;  // of a job that outlives what it is planned with a second is taken to be left
    p.spec += std::string{",estimates="} + one_of(r, {"perfect", "predicted"});
  }
  const std::int64_t round = 5 + static_cast<std::int64_t>(r.below(60));
  const std::int64_t cost = r.chance(0.5) ? 1 + static_cast<std::int64_t>(r.below(10)) : 0;
  p.rules.restart_cost = seconds{cost};
  const auto times = [](std::int64_t s, std::int64_t c) {
    return ",round=" + std::to_string(s) + (c > 0 ? ",restart_cost=" + std::to_string(c) : "");
  };
  p.twice = p.spec + times(2 * round, 2 * cost);
  p.spec += times(round, cost);
  return p;
}

/// How policies of each family are drawn. A family that is registered and stands not here makes the
/// property tests fail.
using DrawPolicy = DrawnPolicy (*)(Stream&);
inline DrawnPolicy draw_elastic(Stream& r) {
  using std::chrono::seconds;
  DrawnPolicy p;
  p.elastic = true;
  p.rules.lower_priority_victims = false;
  const std::string sizes = one_of<SizeRules>(r);
  const std::string span =
      one_of(r, {"any", "any", "any", "whole_nodes", "idle_nodes", "most_free"});
  p.spec = "elastic:sizes=" + sizes + ",placer=" + one_of<Placers>(r) + ",span=" + span;
  p.rules.span = span == "any"          ? Span::any
                 : span == "idle_nodes" ? Span::idle_nodes
                 : span == "most_free"  ? Span::most_free
                                        : Span::whole_nodes;
  // What is left of the work is rounded, and so are comparisons of it. Where GPUs differ, what one job
  // got where changes what is left for others.
  p.settles = p.plans = sizes == "edl" || sizes == "user";
  p.scales = p.settles;
  if (r.chance(0.4)) p.spec += ",skip=true";
  if (r.chance(0.5)) {
    p.scales = false;
    p.rules.reshape_cost = p.rules.restart_cost =
        seconds{1 + static_cast<std::int64_t>(r.below(4))};
    p.spec += ",resize_cost=" + std::to_string(p.rules.reshape_cost / seconds{1});
  }
  // Costs without any pause between two changes may eat up all there is to win.
  if (p.rules.reshape_cost > Duration{} || r.chance(0.3)) {
    p.scales = false;
    p.spec += (r.chance(0.5) ? ",cooldown=" : ",interval=") + std::to_string(20 + r.below(40));
  }
  if (r.chance(0.25)) {
    p.rules.caps["q0"] = 1 + static_cast<std::int64_t>(r.below(8));
    p.spec += ",caps={\"q0\": " + std::to_string(p.rules.caps["q0"]) + "}";
  }
  if (r.chance(0.15)) {
    p.spec += ",locality=leaf";
    p.rules.required = Level::leaf;
  }
  if (r.chance(0.3)) p.spec += ",default_estimate=60";
  if (r.chance(0.2)) p.spec += ",kill_at_limit=false";
  if (r.chance(0.25)) p.spec += ",estimates=perfect";
  return p;
}

/// One virtual cluster for all, since no cells of a drawn fleet are known here: tests/property/cells.cpp
/// draws more of them.
inline DrawnPolicy draw_cells(Stream& r) {
  using std::chrono::seconds;
  DrawnPolicy p;
  p.rules.lower_priority_victims = false;
  p.spec = "cells:placer=" + one_of<Placers>(r);
  const std::string span = one_of(r, {"whole_nodes", "idle_nodes", "most_free", "any"});
  p.spec += ",span=" + span;
  if (span == "any") p.rules.span = Span::any;
  if (span == "idle_nodes") p.rules.span = Span::idle_nodes;
  if (span == "most_free") p.rules.span = Span::most_free;
  if (r.chance(0.5)) p.spec += ",skip=true";
  p.spec += std::string{",preemption="} + one_of(r, {"suspend", "requeue", "checkpoint"});
  if (r.chance(0.3)) {
    p.scales = false;
    p.rules.restart_cost = seconds{1 + static_cast<std::int64_t>(r.below(10))};
    p.spec += ",restart_cost=" + std::to_string(p.rules.restart_cost / seconds{1});
  }
  if (r.chance(0.15)) {
    p.spec += ",locality=leaf";
    p.rules.required = Level::leaf;
  }
  if (r.chance(0.3)) p.spec += ",default_estimate=60";
  if (r.chance(0.2)) p.spec += ",kill_at_limit=false";
  return p;
}

inline const std::map<std::string, DrawPolicy>& drawn_families() {
  static const std::map<std::string, DrawPolicy> all{
      {"batch", draw_batch},     {"cells", draw_cells},
      {"elastic", draw_elastic}, {"independent", draw_independent},
      {"ranked", draw_ranked},   {"rounds", draw_rounds}};
  return all;
}

}  // namespace muster::test
