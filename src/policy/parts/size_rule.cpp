#include "muster/policy/parts/size_rule.hpp"

#include <algorithm>

#include "muster/core/check.hpp"

namespace muster {
namespace {

constexpr std::size_t kMostParts = 4096;

/// All unions of the sets of pools that anybody may use: what jobs take is feasible if no union is asked
/// for more than it has by those who may use nothing else (Hall 1935).
std::vector<PoolMask> unions(const View& view) {
  std::vector<PoolMask> all;
  const auto add = [&](PoolMask mask) {
    if (mask == 0 || std::find(all.begin(), all.end(), mask) != all.end()) return;
    const std::size_t known = all.size();
    all.push_back(mask);
    for (std::size_t i = 0; i < known && all.size() < kMostParts; ++i)
      if (std::find(all.begin(), all.end(), all[i] | mask) == all.end())
        all.push_back(all[i] | mask);
  };
  for (std::size_t p = 0; p < view.fleet.pools.size(); ++p) add(PoolMask{1} << p);
  for (const Demand& d : view.demands) add(d.pools);
  return all;
}

}  // namespace

void SizeOptions::walk(ParamVisitor& visit) {
  visit.visit("skip", skip,
              "jobs may start before one that can't have its least size; false: they wait for it");
  visit.visit("power", power, -10.0, -0.1,
              "pollux, sia: exponent of the mean over jobs; the smaller, the fairer");
}

void Room::begin(const View& view, const std::map<std::string, std::int64_t>& caps) {
  parts_.clear();
  for (const PoolMask mask : unions(view)) parts_.push_back({mask});
  cap_.clear();
  if (caps.empty()) return;
  cap_.assign(view.jobs.names().size(), kUnlimited);
  for (std::uint32_t n = 0; n < cap_.size(); ++n)
    if (const auto cap = caps.find(std::string{view.jobs.names()[NameId{n}]}); cap != caps.end())
      cap_[n] = cap->second * 1000;
}

void Room::reset(const View& view, std::span<const JobId> leaving, std::size_t jobs) {
  jobs_ = jobs;
  for (Part& part : parts_) {
    part.milli = part.used = 0;
    for (std::size_t p = 0; p < view.fleet.pools.size(); ++p)
      if ((part.pools >> p) & 1) part.milli += std::int64_t{view.fleet.pools[p].gpus} * 1000;
    if (!view.calendar) continue;
    for (std::uint32_t n = 0; n < view.fleet.nodes.size(); ++n)  // nodes out of service
      if (view.cluster.fenced(NodeId{n}) && ((part.pools >> view.fleet.nodes[NodeId{n}].pool) & 1))
        part.milli -= std::int64_t{view.fleet.gpus_of(NodeId{n})} * 1000;
  }
  if (view.calendar && !view.calendar->empty()) keep_what_is_held(view);
  queue_used_.assign(cap_.size(), 0);
  for (const JobId j : leaving) {
    const auto where = view.placements.of(j);
    const std::uint32_t milli = view.demands[view.jobs.shape(j)].milli;
    for (Part& part : parts_)
      part.milli -= std::int64_t{gpus_in_pools(view.fleet, where, part.pools)} * milli;
    if (!cap_.empty())
      queue_used_[view.jobs.queue(j).value] += std::int64_t{gpus_in(where)} * milli;
  }
}

/// What jobs hold of nodes out of service is theirs until they end.
void Room::keep_what_is_held(const View& view) {
  view.running.each([&](const RunningJob& r) {
    for (const Slice& s : view.placements.of(r.job))
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        for (Part& part : parts_)
          if (view.cluster.fenced(NodeId{n}) &&
              ((part.pools >> view.fleet.nodes[NodeId{n}].pool) & 1))
            part.milli += std::int64_t{count(s.gpus)} * view.demands[view.jobs.shape(r.job)].milli;
    return true;
  });
}

void Room::keep(const Held& held) {
  MUSTER_CHECK(held.milli == 0 || parts_.size() == 1);
  for (Part& part : parts_) part.used += held.milli;
  if (cap_.empty()) return;
  for (std::size_t q = 0; q < held.of_queue.size(); ++q) queue_used_[q] += held.of_queue[q];
}

bool Room::take(Claim& c, std::uint32_t gpus) {
  const std::int64_t milli = gpus * c.milli;
  if (capped(c, gpus)) return false;
  for (const Part& part : parts_)
    if ((c.pools & ~part.pools) == 0 && part.used + milli > part.milli) return false;
  add(c, milli);
  c.size += gpus;
  return true;
}

void Room::give_back(Claim& c, std::uint32_t gpus) {
  MUSTER_CHECK(gpus <= c.size);
  add(c, -(gpus * c.milli));
  c.size -= gpus;
}

void Room::add(const Claim& c, std::int64_t milli) {
  for (Part& part : parts_)
    if ((c.pools & ~part.pools) == 0) part.used += milli;
  if (!cap_.empty()) queue_used_[c.queue.value] += milli;
}

bool Room::capped(const Claim& c, std::uint32_t gpus) const {
  return !cap_.empty() && queue_used_[c.queue.value] + gpus * c.milli > cap_[c.queue.value];
}

std::int64_t Room::cap(NameId queue) const {
  return cap_.empty() || cap_[queue.value] == kUnlimited ? kUnlimited : cap_[queue.value] / 1000;
}

std::int64_t Room::left() const {
  std::int64_t most = 0;
  for (const Part& part : parts_) most = std::max(most, part.milli - part.used);
  return most / 1000;
}

void keep_sizes(std::span<Claim> claims, Room& room) {
  for (Claim& c : claims)
    if (!c.waits()) room.take(c, c.held);
}

}  // namespace muster
