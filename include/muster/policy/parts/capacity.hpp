#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "muster/cluster/profile.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// Free capacity over time by number, one profile per set of pools that jobs ask for. A job whose
/// pools overlap several sets counts in each of them: never too little is kept free.
class Capacity {
 public:
  void begin(const View& view) {
    for (const Demand& d : view.demands) {
      if (profile_of_.count(d.pools)) continue;
      std::int64_t gpus = 0;
      for (std::size_t p = 0; p < view.fleet.pools.size(); ++p)
        if ((d.pools >> p) & 1) gpus += view.fleet.pools[p].gpus;
      profile_of_[d.pools] = profiles_.size();
      profiles_.push_back({d.pools, Profile(gpus * 1000), {}});
    }
  }
  /// What runs, up to its predicted end, and what outages and reservations take. (Jobs that are tied to
  /// a reservation run on what it takes.)
  void lay_out(const View& view) {
    for (Part& p : profiles_) p.holds.clear();
    view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
      if (view.jobs.reservation(r.job) == NameId{})
        for (Part& p : profiles_) p.holds.push_back({end, held_milli(view, r, p.pools)});
      return true;
    });
    for (Part& p : profiles_) p.profile.reset(view.now, p.holds);
    if (!view.calendar || view.calendar->empty()) return;
    for (const Calendar::Loss& loss : view.calendar->losses(view.fleet))
      for (Part& p : profiles_)
        if ((p.pools >> loss.pool) & 1) p.profile.add(loss.from, loss.to, -loss.milli);
    count_once_where_drained(view);
  }
  void advance(SimTime now) {
    for (Part& p : profiles_) p.profile.advance(now);
  }
  void plan(const Demand& d, SimTime from, Duration length, int sign) {
    for (Part& p : profiles_)
      if (p.pools & d.pools) p.profile.add(from, later(from, length), -sign * d.total_milli());
  }
  void run(const View& view, const RunningJob& r, SimTime from, SimTime to, int sign) {
    for (Part& p : profiles_) p.profile.add(from, to, -sign * held_milli(view, r, p.pools));
  }
  /// A planned job has started: from now on only the pools it really is in count.
  void settle(const View& view, const Demand& d, const RunningJob& r) {
    if (profiles_.size() == 1) return;
    plan(d, r.start, r.end - r.start, -1);
    run(view, r, r.start, r.end, +1);
  }
  const Profile& of(const Demand& d) const { return profiles_[profile_of_.at(d.pools)].profile; }

 private:
  struct Part {
    PoolMask pools;
    Profile profile;
    std::vector<Profile::Hold> holds;  // what runs, while it is laid out
  };
  /// What jobs hold of nodes that are out of service by now was taken twice: as theirs, and as lost.
  void count_once_where_drained(const View& view) {
    std::map<NodeId, SimTime> gone_until;
    for (const Window& w : view.calendar->windows())
      for (const NodeId n : w.nodes)
        if (w.from <= view.now && view.cluster.fenced(n))
          gone_until[n] = std::max(gone_until[n], w.to);
    if (gone_until.empty()) return;
    view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
      const std::uint32_t milli = view.demands[view.jobs.shape(r.job)].milli;
      for (const Slice& s : view.placements.of(r.job))
        for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
          if (const auto at = gone_until.find(NodeId{n}); at != gone_until.end())
            for (Part& p : profiles_)
              if ((p.pools >> view.fleet.nodes[NodeId{n}].pool) & 1)
                p.profile.add(view.now, std::min(end, at->second),
                              std::int64_t{count(s.gpus)} * milli);
      return true;
    });
  }

  std::map<PoolMask, std::size_t> profile_of_;
  std::vector<Part> profiles_;
};

}  // namespace muster
