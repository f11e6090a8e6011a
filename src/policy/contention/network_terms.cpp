// What a unit of a job's work takes on the network, as a number, as a sum and as a price.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

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

/// What its input takes longer than the rest of its step since others read, too, or the storage is worn, where a
/// unit takes `net` beside that. With mean demand it reads all the time; with steady demand only until it waits
/// for stragglers.
double SharedLinks::stall(const Running& running, double net, double fed) const {
  if (!running.reading || fed >= running.reading->asks) return 0;
  const JobSteps::Here& here = *running.here;
  if (fed <= 0) return kStandsStill;
  double reads_us = running.reading->bytes / fed * 1e6;
  if (cost_.demand == CostOptions::Demand::steady) reads_us += here.step[StepPart::straggler];
  return std::clamp(reads_us / here.us - net, 0.0, kStandsStill);
}

TimeSplit SharedLinks::split(const Running& running, const Pace& pace) const {
  if (!running.here)
    return {running.talks() || running.alone > 1 ? millionths(1 - (1 - running.share) / pace.net)
                                                 : 0};
  const StepTime& step = running.here->step;
  const double us = running.here->us * pace.takes();
  const double beside_input = running.here->us * pace.net;
  const double waits = step[StepPart::tp] + step[StepPart::cp] + step[StepPart::ep] +
                       step[StepPart::pp] + step[StepPart::dp];
  return {millionths((waits + beside_input - running.here->us) / us),
          millionths((step[StepPart::input] + running.here->us * pace.stall) / us),
          millionths(step[StepPart::straggler] / us)};
}

std::vector<Contention::Term> SharedLinks::terms(JobId job) const {
  const auto at = running_.find(job);
  if (at == running_.end()) return {};
  const Running& r = at->second;
  return r.here ? step_terms(job, r) : share_terms(r);
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

std::vector<Contention::Term> SharedLinks::step_terms(JobId job, const Running& r) const {
  std::vector<Term> out;
  for (CostTerm& term : steps_->terms(*r.here))
    out.push_back(
        {std::move(term.name), term.us / r.here->reference_us, term.inputs + "; " + term.source});
  const double units = r.here->units();
  if (r.alone > 1)
    out.push_back(
        {"worn links", units * (r.alone - 1),
         crossings_.name(r.crossing.narrow) + " " + gigabytes(r.crossing.narrowest) + " through"});
  const Pace now = pace(r, rate(r), fed(job, r));
  out.push_back({"neighbours", units * (now.net - r.alone), shares_text(r)});
  if (!r.reading) return out;
  const double worn = stall(r, now.net, reads_.alone(*r.reading));
  if (worn > 0) out.push_back({"worn storage", units * worn, worn_storage_text(*r.reading)});
  out.push_back({"readers", units * (now.stall - worn), readers_text(job, r)});
  return out;
}

std::string SharedLinks::worn_storage_text(const Reading& reading) const {
  return "the storage of " + fleet_.domain_name(Level::fabric, reading.fabric) + " gives " +
         gigabytes(reads_.gives(reading.fabric)) + " of the " +
         gigabytes(reads_.built_for(reading.fabric)) + " that it was built for";
}

std::string SharedLinks::readers_text(JobId job, const Running& r) const {
  if (!r.reads) return "not asked for: /cost/contention is false";
  const Reading& reading = *r.reading;
  const std::size_t readers = reads_.readers(reading.fabric);
  const double gets = fed(job, r);
  return "the storage of " + fleet_.domain_name(Level::fabric, reading.fabric) + " gives its " +
         (readers == 1 ? "only reader " : std::to_string(readers) + " readers ") +
         gigabytes(reads_.gives(reading.fabric)) + " in all, this job " +
         (gets < reading.asks ? gigabytes(gets) + " of the " + gigabytes(reading.asks)
                              : "the " + gigabytes(reading.asks)) +
         " that it asks for";
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

/// GPUs' worth of work that those get done less who would get less of the network (met_), of the storage
/// (starved_), or of both.
double SharedLinks::lost_by_others() {
  double lost = 0;
  const auto loses = [&lost](const Running& other, const Pace& before, const Pace& after) {
    lost += other.gpus / before.takes() - other.gpus / after.takes();
  };
  const auto earlier = [](const StorageReads::Change& c, JobId job) { return c.job < job; };
  std::sort(starved_.begin(), starved_.end(),
            [](const auto& a, const auto& b) { return a.job < b.job; });
  for (const MaxMin::Change& c : met_) {
    const auto& [job, other] = owner_[c.flow];
    double fed_before = fed(job, *other), fed_after = fed_before;
    const auto too = std::lower_bound(starved_.begin(), starved_.end(), job, earlier);
    if (too != starved_.end() && too->job == job)
      fed_after = std::exchange(too->after, too->before);  // it is counted here, whole
    loses(*other, pace(*other, c.before, fed_before), pace(*other, c.after, fed_after));
  }
  for (const StorageReads::Change& c : starved_) {
    if (c.after == c.before) continue;
    const Running& other = running_.at(c.job);
    const double got = rate(other);
    loses(other, pace(other, got, c.before), pace(other, got, c.after));
  }
  return lost;
}

PlacementCost::Price SharedLinks::price(const Demand& d, std::span<const Slice> where) {
  Running there;
  there.here = steps_ ? steps_->here(d.model, d, where) : nullptr;
  there.share = share(d.model);
  if (d.milli < 1000 || !look(where, there)) return {};
  const double times = there.here ? there.here->units() : 1;
  const double alone =
      times * pace(there, there.asks, there.reading ? reads_.alone(*there.reading) : 0).takes();
  Price price{alone, alone, 0, there.here ? 0.0 : 1.0};
  if (!cost_.contention) return price;
  const bool sends = there.talks() && !crossings_.uses(there.crossing).empty();
  if (!sends && !there.reading) return price;
  note_solved();
  const std::uint64_t last = w_.size();  // by key
  const double gets =
      sends ? net_.probe(last, crossings_.uses(there.crossing), 1, there.asks, met_) : there.asks;
  const double reads = there.reading ? reads_.probe(last, *there.reading, starved_) : 0;
  if (!sends) met_.clear();
  if (!there.reading) starved_.clear();
  price.others = lost_by_others();
  price.own = times * pace(there, gets, reads).takes();
  return price;
}

}  // namespace muster
