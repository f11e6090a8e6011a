// What a unit of a job's work takes on the network, as a number, as a sum and as a price.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "policy/contention/millionths.hpp"
#include "policy/contention/shared_links.hpp"

namespace muster {
namespace {

std::string gigabytes(double bytes_per_s) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g GB/s", bytes_per_s / 1e9);
  return text.data();
}

}  // namespace

/// Of a job whose step is known: how much longer it takes since links carry less than they were built for.
double SharedLinks::worn(const Running& running) const {
  const double left = running.crossing.left();
  if (left >= 1) return 1;
  if (left <= 0) return kStandsStill;
  return steps_->us_at(*running.here, left) / running.here->us;
}

/// What a unit of its work takes at what it gets, beyond its speed.
double SharedLinks::unit(const Running& running, double got) const {
  if (!running.talks() || got >= running.asks) return running.alone;
  if (got <= 0) return kStandsStill;
  if (cost_.demand == CostOptions::Demand::mean) return running.alone * running.asks / got;
  if (!running.here) return 1 - running.share + running.share * running.crossing.sends / got;
  const double left = running.crossing.left() * got / running.asks;
  return steps_->us_at(*running.here, left) / running.here->us;
}

TimeSplit SharedLinks::split(const Running& running, double takes) const {
  if (!running.here)
    return {running.talks() || running.alone > 1 ? millionths(1 - (1 - running.share) / takes) : 0};
  const StepTime& step = running.here->step;
  const double us = running.here->us * takes;
  const double waits = step[StepPart::tp] + step[StepPart::cp] + step[StepPart::ep] +
                       step[StepPart::pp] + step[StepPart::dp];
  return {millionths((waits + us - running.here->us) / us), millionths(step[StepPart::input] / us),
          millionths(step[StepPart::straggler] / us)};
}

std::vector<Contention::Term> SharedLinks::terms(JobId job) const {
  const auto at = running_.find(job);
  if (at == running_.end()) return {};
  const Running& r = at->second;
  return r.here ? step_terms(r) : share_terms(r);
}

std::vector<Contention::Term> SharedLinks::share_terms(const Running& r) const {
  const std::string narrow =
      r.crossing.narrow == Links::kNone
          ? "no link on its way carries less"
          : crossings_.name(r.crossing.narrow) + " " + gigabytes(r.crossing.narrowest) + " through";
  return {{"computing", 1 - r.share, "what is left of 1 without communication"},
          {"communicating", r.share, "at " + gigabytes(r.crossing.sends) + " out of each node"},
          {"narrow links", r.alone - 1, narrow},
          {"neighbours", unit(r, rate(r)) - r.alone, shares_text(r)}};
}

std::vector<Contention::Term> SharedLinks::step_terms(const Running& r) const {
  std::vector<Term> out;
  for (CostTerm& term : steps_->terms(*r.here))
    out.push_back(
        {std::move(term.name), term.us / r.here->reference_us, term.inputs + "; " + term.source});
  const double units = r.here->units();
  if (r.alone > 1)
    out.push_back(
        {"worn links", units * (r.alone - 1),
         crossings_.name(r.crossing.narrow) + " " + gigabytes(r.crossing.narrowest) + " through"});
  out.push_back({"neighbours", units * (unit(r, rate(r)) - r.alone), shares_text(r)});
  return out;
}

std::string SharedLinks::shares_text(const Running& r) const {
  if (!cost_.contention) return "not asked for: /cost/contention is false";
  if (!r.talks()) return "it is not on the network";
  const double got = rate(r);
  return got < r.asks ? "it asks for " + gigabytes(r.asks) + " and gets " + gigabytes(got)
                      : "it gets the " + gigabytes(r.asks) + " that it asks for";
}

/// It is on one node, and all nodes are alike as far as anything is known of its step.
bool SharedLinks::same_everywhere(const Demand& d) const {
  if (d.milli < 1000) return true;
  const bool one_node =
      d.tasks.empty() && d.span != Span::any && d.nodes <= 1 && d.gpus <= d.widest;
  return (one_node || share(d.model) <= 0) && !(steps_ && steps_->trains(d.model));
}

PlacementCost::Price SharedLinks::price(const Demand& d, std::span<const Slice> where) {
  Running there;
  there.here = steps_ ? steps_->here(d.model, d, where) : nullptr;
  there.share = share(d.model);
  if (d.milli < 1000 || !look(where, there)) return {};
  const double times = there.here ? there.here->units() : 1;
  Price price{times * there.alone, times * there.alone, 0, there.here ? 0.0 : 1.0};
  if (!there.talks() || !cost_.contention || crossings_.uses(there.crossing).empty()) return price;
  note_solved();
  const double gets = net_.probe(w_.size(), crossings_.uses(there.crossing), 1, there.asks,
                                 met_);  // the last by key
  price.own = times * unit(there, gets);
  for (const MaxMin::Change& c : met_) {
    const Running& other = *owner_[c.flow].running;
    price.others += other.gpus / unit(other, c.before) - other.gpus / unit(other, c.after);
  }
  return price;
}

}  // namespace muster
