#include "muster/policy/parts/packing.hpp"

#include <algorithm>

namespace muster {
namespace {

/// How long a job is expected to run, as its order in the queue has it.
Duration expected(const View& view, JobId j) {
  const Duration predicted = view.jobs.predicted(j);
  return predicted == kUnknown ? view.jobs.planned(j) : predicted;
}

}  // namespace

void Packing::Options::walk(ParamVisitor& visit) {
  visit.visit("pack_capacity", capacity, 0, 1'000'000,
              "a job for which there is no place runs on the GPUs of another one, beside it, if "
              "their loads are at most this together; 0: nobody does");
  visit.visit("pack_loads", loads,
              "the load of jobs of a model of the trace, as {\"resnet50\": 60}");
  visit.visit("pack_default", otherwise, -1, 1'000'000,
              "the load of jobs of all other models; -1: they are never packed");
  visit.visit("pack_ratio", ratio, 0.0, 1e9,
              "who comes is expected to run at most so many times as long as who is there; 0: "
              "however long");
}

void Packing::begin(const View& view) {
  const Names& names = view.jobs.names();
  loads_.assign(names.size(), options_.otherwise);
  if (options_.loads.empty()) return;
  std::vector<bool> trained(names.size());
  for (std::uint32_t j = 0; j < view.jobs.size(); ++j)
    trained[view.jobs.model(JobId{j}).value] = true;
  auto unknown = options_.loads;
  for (std::uint32_t n = 1; n < names.size(); ++n) {
    const auto load = options_.loads.find(std::string{names[NameId{n}]});
    if (load == options_.loads.end() || !trained[n]) continue;
    loads_[n] = load->second;
    unknown.erase(load->first);
  }
  for (const auto& [model, load] : unknown)
    unknown_ += (unknown_.empty() ? "" : ", ") + ("\"" + model + "\"");
}

void Packing::warn(Plan& plan) {
  if (unknown_.empty()) return;
  plan.warn("pack_loads: no job of the trace is of model " + unknown_);
  unknown_.clear();
}

/// Whole GPUs of one node; nobody who takes its time to go, or runs in a reservation.
bool Packing::packable(const View& view, JobId j) const {
  const Demand& d = view.demands[view.jobs.shape(j)];
  return load(view, j) >= 0 && load(view, j) <= options_.capacity && d.milli == 1000 &&
         d.mig == 0 && d.tasks.empty() && d.nodes <= 1 && view.jobs.grace(j) == Duration{} &&
         view.jobs.reservation(j) == NameId{};
}

void Packing::started(const View& view, JobId j) {
  const auto where = view.placements.of(j);
  if (!packable(view, j) || where.size() != 1 || where[0].count != 1) return;
  const Host host{load(view, j), ++began_, j};
  const std::uint32_t gpus = gpus_in(where);
  places_[j] = {gpus, host, where[0].first, expected(view, j)};
  alone_[gpus].insert(host);
}

void Packing::stopped(const View& view, JobId j) {
  const auto place = places_.find(j);
  if (place == places_.end()) return;
  if (const auto pair = pairs_.find(j); pair != pairs_.end()) {
    const JobId host = pair->second.host;
    guest_of_.erase(host);
    pairs_.erase(pair);
    left_alone(view, host);
  } else if (const auto mine = guest_of_.find(j); mine != guest_of_.end()) {
    const JobId guest = mine->second;
    pairs_.erase(guest);
    guest_of_.erase(mine);
    left_alone(view, guest);
  } else {
    const auto hosts = alone_.find(place->second.gpus);
    hosts->second.erase(place->second.host);
    if (hosts->second.empty()) alone_.erase(hosts);
  }
  places_.erase(j);
}

/// Unless it has gone as well, in the same instant.
void Packing::left_alone(const View& view, JobId j) {
  places_.erase(j);
  started(view, j);
}

bool Packing::go_together(const View& view, const Cluster& room, JobId j, const Host& host) const {
  const Place& there = places_.at(host.job);
  // On a node that is about to leave, who is there may stay for a while, but nobody comes.
  if (view.cluster.fenced(there.node) || room.fenced(there.node)) return false;
  const std::uint32_t pool = view.fleet.nodes[there.node].pool;
  if (((view.demands[view.jobs.shape(j)].pools >> pool) & 1) == 0) return false;
  if (options_.ratio > 0 && static_cast<double>(expected(view, j).count()) >
                                options_.ratio * static_cast<double>(there.expected.count()))
    return false;
  return !apart_.contains(std::minmax(view.jobs.model(j), view.jobs.model(host.job)));
}

JobId Packing::host_for(const View& view, const Cluster& room, JobId j) const {
  if (!packable(view, j)) return kNoJob;
  const auto hosts = alone_.find(view.demands[view.jobs.shape(j)].gpus);
  if (hosts == alone_.end()) return kNoJob;
  constexpr int kMostLookedAt = 100;
  int looked_at = 0;
  for (const Host& host : hosts->second) {
    if (host.load + load(view, j) > options_.capacity || ++looked_at > kMostLookedAt) break;
    if (go_together(view, room, j, host)) return host.job;
  }
  return kNoJob;
}

void Packing::packed(const View& view, JobId guest, JobId host) {
  const Place& there = places_.at(host);
  const auto hosts = alone_.find(there.gpus);
  hosts->second.erase(there.host);
  if (hosts->second.empty()) alone_.erase(hosts);
  places_[guest] = {there.gpus, {load(view, guest), 0, guest}, there.node, expected(view, guest)};
  pairs_[guest] = {guest, host, view.now};
  guest_of_[host] = guest;
}

void Packing::part_for_good(const View& view, const Pair& pair) {
  apart_.insert(std::minmax(view.jobs.model(pair.guest), view.jobs.model(pair.host)));
}

}  // namespace muster
