#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "muster/cost/max_min.hpp"
#include "muster/policy/job_steps.hpp"
#include "muster/workload/workload.hpp"
#include "policy/contention/crossings.hpp"
#include "policy/contention/kinds.hpp"

namespace muster {
namespace {

constexpr double kMillion = 1e6;
constexpr double kStandsStill = 1e6;  // no work takes longer than so many times its time

std::uint32_t millionths(double share) {
  return static_cast<std::uint32_t>(std::llround(kMillion * std::max(share, 0.0)));
}

std::string gigabytes(double bytes_per_s) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g GB/s", bytes_per_s / 1e9);
  return text.data();
}

/// Jobs of several nodes share the links between these.
///
/// In a unit of time with all that its NICs have, B, a job computes for 1 - c and communicates for c; it sends
/// c B out of each node. Where its narrowest link leaves it r, alone, it takes 1 - c + c B / r: that is what
/// a placement over an oversubscribed link costs without any neighbour. All its rails go at one pace, so it
/// is one flow over all links that it crosses; links are shared by max-min fairness.
///
/// Where its step is known (JobSteps) that says how fast it is alone, which is part of its speed, and for how
/// much of its time something of it is on the network, at r.
///
/// demand = mean: it asks for what it sends over time, c B / (1 - c + c B / r). If it gets less it takes
/// as many times longer: neighbours take turns as well as they can. demand = steady: it asks for r all the
/// time, and communicates at what it gets.
class SharedLinks final : public Contention {
 public:
  SharedLinks(const Workload& w, const Fleet& fleet, const CostOptions& cost,
              std::shared_ptr<JobSteps> steps)
      : w_(w), cost_(cost), steps_(std::move(steps)), crossings_(fleet, cost, net_) {
    if (cost.models.empty()) return;
    for (std::uint32_t n = 0; n < w.names.size(); ++n)
      if (const auto known = cost.models.find(std::string{w.names[NameId{n}]});
          known != cost.models.end())
        share_of_[NameId{n}] = static_cast<double>(known->second) / 100;
  }

  void came(JobId job, std::span<const Slice> where) override {
    Running running;
    running.here = steps_ ? steps_->here(job, where) : nullptr;
    running.share = share(Workload::at_or(w_.model, job, NameId{}));
    if (!look(where, running)) return;
    running.where.assign(where.begin(), where.end());
    if (running.talks() && crossings_.split(running.crossing)) send_all();
    Running& kept = running_[job] = std::move(running);
    send(job, kept);
    if (!kept.sends) touched_.push_back(job);  // others are solved again
  }

  void went(JobId job, std::span<const Slice>) override {
    const auto at = running_.find(job);
    if (at == running_.end()) return;
    if (at->second.sends) net_.remove(at->second.flow);
    running_.erase(at);
  }

  void links(std::span<const std::uint32_t> links, double health) override {
    crossings_.set_health(links, health);
    for (auto& [job, running] : running_) {
      look(running.where, running);
      if (!running.sends || !running.talks()) touched_.push_back(job);
    }
    send_all();
  }

  std::span<const Factor> changes() override {
    changes_.clear();
    if (touched_.empty()) {
      for (const MaxMin::Flow flow : net_.solve())
        look_again(owner_[flow].job, *owner_[flow].running);
      return changes_;  // flows are keyed by job, so these are in order
    }
    note_solved();
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const JobId job : touched_)
      if (const auto at = running_.find(job); at != running_.end()) look_again(job, at->second);
    touched_.clear();
    return changes_;
  }

  std::vector<Term> terms(JobId job) const override {
    const auto at = running_.find(job);
    if (at == running_.end()) return {};
    const Running& r = at->second;
    return r.here ? step_terms(r) : share_terms(r);
  }

  Price price(const Demand& d, std::span<const Slice> where) override {
    Running there;
    there.here = steps_ ? steps_->here(d.model, d, where) : nullptr;
    there.share = share(d.model);
    if (d.milli < 1000 || !look(where, there)) return {};
    const double times = there.here ? there.here->units() : 1;
    Price price{times * there.alone, times * there.alone, 0};
    if (!there.talks() || !cost_.contention || crossings_.uses(there.crossing).empty())
      return price;
    note_solved();
    const MaxMin::Flow flow =
        net_.add(w_.size(), crossings_.uses(there.crossing), 1, there.asks);  // the last by key
    std::vector<JobId> met;
    for (const MaxMin::Flow f : net_.solve())
      if (f != flow) met.push_back(owner_[f].job);
    price.own = times * unit(there, net_.rate(flow));
    for (const JobId j : met) {
      const Running& other = running_.at(j);
      price.others += other.gpus / unit(other, rate(other));
    }
    net_.remove(flow);
    net_.solve();
    double before = 0;
    for (const JobId j : met) {
      const Running& other = running_.at(j);
      before += other.gpus / unit(other, rate(other));
    }
    price.others = before - price.others;
    return price;
  }

 private:
  struct Running {
    MaxMin::Flow flow = 0;
    bool sends = false;  // there is a flow
    std::vector<Slice> where;
    Crossing crossing;
    JobSteps::HerePtr here;  // of a job whose step is known
    double share = 0;  // otherwise: of its time that it communicates where nothing is in the way
    double asks = 0;   // bytes/s out of each node; 0: it is not on the network
    double alone = 1;  // what a unit of work takes without neighbours, beyond its speed
    double gpus = 0;
    double got = -1;  // by its flow when it was looked at last
    std::uint32_t factor = static_cast<std::uint32_t>(kMillion);
    TimeSplit split;
    bool talks() const { return asks > 0; }
  };

  struct Owner {
    JobId job = kNoJob;
    Running* running = nullptr;
  };

  /// It is one of the changes if it gets on in another way than was said last.
  void look_again(JobId job, Running& running) {
    const double gets = rate(running);
    if (running.sends && gets == running.got) return;
    running.got = gets;
    const double takes = unit(running, gets);
    const Factor now{job, std::max(1u, millionths(1 / takes)), split(running, takes)};
    if (now.millionths == running.factor && now.split == running.split) return;
    running.factor = now.millionths;
    running.split = now.split;
    changes_.push_back(now);
  }

  double share(NameId model) const {
    const auto known = share_of_.find(model);
    return known == share_of_.end() ? cost_.communication : known->second;
  }

  /// What its place has to do with the network. False if it neither communicates nor has a step.
  bool look(std::span<const Slice> where, Running& running) {
    const double c = running.here ? running.here->on_wires : running.share;
    running.asks = 0;
    running.alone = 1;
    running.gpus = gpus_in(where);
    if (c <= 0 || !crossings_.on_network(where)) return running.here != nullptr;
    running.crossing = crossings_.of(where);
    const double sends = running.crossing.sends, narrowest = running.crossing.narrowest;
    // Nodes without NICs: nothing is known of its network.
    if (sends <= 0) return running.here != nullptr;
    const bool steady = cost_.demand == CostOptions::Demand::steady;
    if (running.here) {
      running.alone = worn(running);
      running.asks = steady ? narrowest : c * narrowest / running.alone;
    } else {
      running.alone = std::min(1 - c + c * sends / narrowest, kStandsStill);
      running.asks = steady ? narrowest : c * sends / running.alone;
    }
    if (narrowest <= 0) running.asks = 0;  // it waits, and is in nobody's way
    return true;
  }

  /// Of a job whose step is known: how much longer it takes since links carry less than they were built for.
  double worn(const Running& running) const {
    const double left = running.crossing.left();
    if (left >= 1) return 1;
    if (left <= 0) return kStandsStill;
    return steps_->us_at(*running.here, left) / running.here->us;
  }

  /// What a unit of its work takes at what it gets, beyond its speed.
  double unit(const Running& running, double got) const {
    if (!running.talks() || got >= running.asks) return running.alone;
    if (got <= 0) return kStandsStill;
    if (cost_.demand == CostOptions::Demand::mean) return running.alone * running.asks / got;
    if (!running.here) return 1 - running.share + running.share * running.crossing.sends / got;
    const double left = running.crossing.left() * got / running.asks;
    return steps_->us_at(*running.here, left) / running.here->us;
  }

  double rate(const Running& running) const {
    return running.sends ? net_.rate(running.flow) : running.asks;
  }

  TimeSplit split(const Running& running, double takes) const {
    if (!running.here)
      return {running.talks() || running.alone > 1 ? millionths(1 - (1 - running.share) / takes)
                                                   : 0};
    const StepTime& step = running.here->step;
    const double us = running.here->us * takes;
    const double waits = step[StepPart::tp] + step[StepPart::cp] + step[StepPart::ep] +
                         step[StepPart::pp] + step[StepPart::dp];
    return {millionths((waits + us - running.here->us) / us),
            millionths(step[StepPart::input] / us), millionths(step[StepPart::straggler] / us)};
  }

  std::vector<Term> share_terms(const Running& r) const {
    const std::string narrow = r.crossing.narrow == Links::kNone
                                   ? "no link on its way carries less"
                                   : crossings_.name(r.crossing.narrow) + " " +
                                         gigabytes(r.crossing.narrowest) + " through";
    return {{"computing", 1 - r.share, "what is left of 1 without communication"},
            {"communicating", r.share, "at " + gigabytes(r.crossing.sends) + " out of each node"},
            {"narrow links", r.alone - 1, narrow},
            {"neighbours", unit(r, rate(r)) - r.alone, shares_text(r)}};
  }

  std::vector<Term> step_terms(const Running& r) const {
    std::vector<Term> out;
    for (CostTerm& term : steps_->terms(*r.here))
      out.push_back(
          {std::move(term.name), term.us / r.here->reference_us, term.inputs + "; " + term.source});
    const double units = r.here->units();
    if (r.alone > 1)
      out.push_back({"worn links", units * (r.alone - 1),
                     crossings_.name(r.crossing.narrow) + " " + gigabytes(r.crossing.narrowest) +
                         " through"});
    out.push_back({"neighbours", units * (unit(r, rate(r)) - r.alone), shares_text(r)});
    return out;
  }

  std::string shares_text(const Running& r) const {
    if (!cost_.contention) return "not asked for: /cost/contention is false";
    if (!r.talks()) return "it is not on the network";
    const double got = rate(r);
    return got < r.asks ? "it asks for " + gigabytes(r.asks) + " and gets " + gigabytes(got)
                        : "it gets the " + gigabytes(r.asks) + " that it asks for";
  }

  /// Whose flows were solved again is looked at in changes().
  void note_solved() {
    for (const MaxMin::Flow flow : net_.solve()) touched_.push_back(owner_[flow].job);
  }

  void send(JobId job, Running& running) {
    running.sends = running.talks() && cost_.contention;
    if (!running.sends) return;
    running.got = -1;
    running.flow = net_.add(job.value, crossings_.uses(running.crossing), 1, running.asks);
    if (owner_.size() <= running.flow) owner_.resize(running.flow + 1);
    owner_[running.flow] = {job, &running};
  }

  /// All flows anew: some domain's rails are apart from now on, or links have changed.
  void send_all() {
    for (auto& [job, running] : running_) {
      if (running.sends) net_.remove(running.flow);
      send(job, running);
    }
  }

  const Workload& w_;
  CostOptions cost_;
  std::shared_ptr<JobSteps> steps_;
  std::map<NameId, double> share_of_;  // by model
  MaxMin net_;
  Crossings crossings_;
  std::map<JobId, Running> running_;
  std::vector<Owner> owner_;    // by flow
  std::vector<JobId> touched_;  // may get on at another speed than was said last
  std::vector<Factor> changes_;
};

}  // namespace

std::unique_ptr<Contention> network_contention(const Workload& w, const Fleet& fleet,
                                               const CostOptions& cost,
                                               std::shared_ptr<JobSteps> steps) {
  return std::make_unique<SharedLinks>(w, fleet, cost, std::move(steps));
}

}  // namespace muster
