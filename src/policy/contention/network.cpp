#include "policy/contention/shared_links.hpp"

#include <algorithm>
#include <cmath>

#include "policy/contention/kinds.hpp"
#include "policy/contention/millionths.hpp"

namespace muster {
SharedLinks::SharedLinks(const Workload& w, const Fleet& fleet, const CostOptions& cost,
                         std::shared_ptr<JobSteps> steps)
    : w_(w),
      fleet_(fleet),
      cost_(cost),
      steps_(std::move(steps)),
      crossings_(fleet, cost, net_),
      reads_(fleet) {
  if (cost.models.empty()) return;
  for (std::uint32_t n = 0; n < w.names.size(); ++n)
    if (const auto known = cost.models.find(std::string{w.names[NameId{n}]});
        known != cost.models.end())
      share_of_[NameId{n}] = static_cast<double>(known->second) / 100;
}

void SharedLinks::came(JobId job, std::span<const Slice> where) {
  Running running;
  running.here = steps_ ? steps_->here(job, where) : nullptr;
  running.share = share(Workload::at_or(w_.model, job, NameId{}));
  if (!look(where, running)) return;
  running.where.assign(where.begin(), where.end());
  if (running.talks() && crossings_.split(running.crossing)) send_all();
  Running& kept = running_[job] = std::move(running);
  send(job, kept);
  kept.reads = kept.reading && cost_.contention;
  if (kept.reads) reads_.begin(job, *kept.reading);
  if (!kept.sends) touched_.push_back(job);  // others are solved again
}

void SharedLinks::went(JobId job, std::span<const Slice>) {
  const auto at = running_.find(job);
  if (at == running_.end()) return;
  if (at->second.sends) net_.remove(at->second.flow);
  if (at->second.reads) reads_.end(job);
  running_.erase(at);
}

void SharedLinks::links(std::span<const std::uint32_t> links, double health) {
  std::vector<Links::Id> wires;
  for (const Links::Id link : links)
    if (const auto fabric = crossings_.links().fabric_of_storage(link))
      reads_.set_health(*fabric, health);
    else
      wires.push_back(link);
  for (const auto& [job, running] : running_)
    if (running.reading) touched_.push_back(job);
  if (wires.empty()) return;
  crossings_.set_health(wires, health);
  for (auto& [job, running] : running_) {
    look(running.where, running);
    if (running.reads) reads_.ask(job, running.reading->asks);
    if (!running.sends || !running.talks()) touched_.push_back(job);
  }
  send_all();
}

std::span<const Contention::Factor> SharedLinks::changes() {
  changes_.clear();
  note_readers();
  if (touched_.empty()) {
    for (const MaxMin::Flow flow : net_.solve())
      look_again(owner_[flow].job, *owner_[flow].running);
    std::sort(changes_.begin(), changes_.end(),
              [](const Factor& a, const Factor& b) { return a.job < b.job; });
    return changes_;
  }
  note_solved();
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const JobId job : touched_)
    if (const auto at = running_.find(job); at != running_.end()) look_again(job, at->second);
  touched_.clear();
  return changes_;
}

/// It is one of the changes if it gets on in another way than was said last.
void SharedLinks::look_again(JobId job, Running& running) {
  const double gets = rate(running);
  const double reads = fed(job, running);
  if (running.sends && gets == running.got && reads == running.fed) return;
  running.got = gets;
  running.fed = reads;
  const Pace takes = pace(running, gets, reads);
  const Factor now{job, std::max(1u, millionths(1 / takes.takes())), split(running, takes)};
  if (now.millionths == running.factor && now.split == running.split) return;
  running.factor = now.millionths;
  running.split = now.split;
  changes_.push_back(now);
}

double SharedLinks::share(NameId model) const {
  const auto known = share_of_.find(model);
  return known == share_of_.end() ? cost_.communication : known->second;
}

/// What its place has to do with network and storage. False if it neither communicates nor has a step.
bool SharedLinks::look(std::span<const Slice> where, Running& running) {
  if (!look_at_network(where, running)) return false;
  if (running.here) look_at_storage(where, running);
  return true;
}

bool SharedLinks::look_at_network(std::span<const Slice> where, Running& running) {
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

void SharedLinks::look_at_storage(std::span<const Slice> where, Running& running) {
  running.reading = reads_.of(*running.here, where);
  if (!running.reading) return;
  Reading& reading = *running.reading;
  const double takes_s = running.here->us * running.alone * 1e-6;
  reading.asks = cost_.demand == CostOptions::Demand::steady
                     ? reading.alone
                     : std::min(reading.alone, reading.bytes / takes_s);
}

void SharedLinks::note_readers() {
  for (const JobId job : reads_.solve()) touched_.push_back(job);
}

/// Whose flows were solved again is looked at in changes().
void SharedLinks::note_solved() {
  for (const MaxMin::Flow flow : net_.solve()) touched_.push_back(owner_[flow].job);
  note_readers();
}

void SharedLinks::send(JobId job, Running& running) {
  running.sends = running.talks() && cost_.contention;
  if (!running.sends) return;
  running.got = -1;
  running.flow = net_.add(job.value, crossings_.uses(running.crossing), 1, running.asks);
  if (owner_.size() <= running.flow) owner_.resize(running.flow + 1);
  owner_[running.flow] = {job, &running};
}

/// All flows anew: some domain's rails are apart from now on, or links have changed.
void SharedLinks::send_all() {
  for (auto& [job, running] : running_) {
    if (running.sends) net_.remove(running.flow);
    send(job, running);
  }
}

std::unique_ptr<Contention> network_contention(const Workload& w, const Fleet& fleet,
                                               const CostOptions& cost,
                                               std::shared_ptr<JobSteps> steps) {
  return std::make_unique<SharedLinks>(w, fleet, cost, std::move(steps));
}

}  // namespace muster
