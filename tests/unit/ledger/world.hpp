#pragma once
// A run told by hand: jobs, then what happens to them, as records and decisions. It keeps its own
// count of who holds which share of which GPU, one by one, and shares no code with the books.
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "muster/engine/record.hpp"
#include "muster/ledger/gpu_book.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster::test {

using namespace std::chrono_literals;

inline SimTime at(Duration d) { return kStart + d; }

/// A fleet and its jobs.
struct World {
  explicit World(Fleet f) : fleet(std::move(f)) {}

  /// `milli`: thousandths of a GPU in all; below 1000 it is a share of one GPU.
  JobId job(std::int64_t milli, Duration duration = 100s, PoolMask pools = ~PoolMask{0},
            std::string user = "", std::string queue = "") {
    const auto known = [&](std::size_t s) {
      return demands[s].milli == milli && demands[s].pools == pools;
    };
    std::uint32_t shape = 0;
    while (shape < demands.size() && !known(shape)) ++shape;
    if (shape == demands.size()) {
      Shape s;
      s.gpus = static_cast<std::uint32_t>((milli + 999) / 1000);
      s.milli = milli < 1000 ? static_cast<std::uint32_t>(milli) : 1000;
      jobs.shapes.push_back(s);
      demands.push_back({milli, pools});
    }
    jobs.submit.push_back(kStart);
    jobs.shape.push_back(ShapeId{shape});
    jobs.user.push_back(jobs.names.intern(user));
    jobs.queue.push_back(jobs.names.intern(queue));
    jobs.truth.duration.push_back(duration);
    jobs.job_name.push_back(std::string(1, static_cast<char>('a' + jobs.size() % 26 - 1)));
    return jobs.row.push_back(static_cast<std::uint32_t>(jobs.size() - 1)), last();
  }
  JobId gpus(std::int64_t n) { return job(1000 * n); }
  JobId last() const { return JobId{static_cast<std::uint32_t>(jobs.size() - 1)}; }
  ShapeId shape(JobId j) const { return jobs.shape[j]; }

  Fleet fleet;
  Workload jobs;
  std::vector<ShapeDemand> demands;
};

/// Two types of GPU: `first` nodes of pool 0, then `second` nodes of pool 1.
inline Fleet two_pools(std::uint32_t first, std::uint32_t second, std::uint8_t gpus) {
  Fleet fleet;
  fleet.nodes.assign(first + second, Fleet::Node{gpus, 0});
  for (std::uint32_t n = first; n < first + second; ++n) fleet.nodes[NodeId{n}].pool = 1;
  fleet.pools.resize(2);
  fleet.index();
  return fleet;
}

/// How a run divided; what is not said is kept.
struct Split {
  Duration lost{}, overhead{}, lost_earlier{};
};

/// Says what happens, to one observer.
class Feed {
 public:
  Feed(World& world, Observer& observer) : world_(world), observer_(observer) {
    for (const Fleet::Node& node : world.fleet.nodes)
      free_.push_back(std::vector<std::int64_t>(node.gpus, 1000));
    jobs_.resize(world.jobs.size());
  }

  Feed& submit(Duration t, JobId j, JobState state = JobState::pending) {
    world_.jobs.submit[j] = at(t);
    return say({at(t), j, Record::What::submit, state, {}});
  }
  Feed& release(Duration t, JobId j) {
    return say({at(t), j, Record::What::release, JobState::pending, {}});
  }
  Feed& reject(Duration t, JobId j) {
    return say({at(t), j, Record::What::reject, JobState::rejected, {}});
  }
  bool fits(JobId j, std::int64_t milli = -1) { return !place(j, milli).empty(); }
  Feed& start(Duration t, JobId j) {
    Held& held = jobs_[j.value];
    give_back(held);
    held.placement = place(j, -1);
    take(held, j);
    held.since = at(t);
    held.running = true;
    return say({at(t), j, Record::What::start, JobState::running, held.placement});
  }
  /// Elsewhere, among what is free or its own, and with `milli` in place of what it held.
  Feed& reshape(Duration t, JobId j, std::int64_t milli, Split split = {}) {
    Held& held = jobs_[j.value];
    Record r{at(t), j, Record::What::reshape, JobState::running, {}};
    const std::vector<Slice> before = held.placement;
    r.before = before;
    r.kept = r.at - held.since - split.overhead;
    r.overhead = split.overhead;
    give_back(held);
    held.placement = place(j, milli);
    take(held, j);
    held.since = at(t);
    r.placement = held.placement;
    return say(r);
  }
  /// Part of a gang; the record lists all that it holds by now.
  Feed& acquire(Duration t, JobId j, std::int64_t milli) {
    Held& held = jobs_[j.value];
    const std::vector<Slice> more = place(j, milli);
    Held part;
    part.placement = more;
    take(part, j);
    held.placement.insert(held.placement.end(), more.begin(), more.end());
    held.each = part.each;
    return say({at(t), j, Record::What::acquire, JobState::pending, held.placement});
  }
  Feed& drop(Duration t, JobId j) { return over(t, j, Record::What::drop, JobState::pending, {}); }
  Feed& stop(Duration t, JobId j, Split split = {}) {
    return over(t, j, Record::What::stop, JobState::pending, split);
  }
  Feed& end(Duration t, JobId j, JobState state = JobState::completed, Split split = {}) {
    return over(t, j, Record::What::end, state, split);
  }
  Feed& decide(Duration t, std::vector<std::pair<JobId, Cause>> causes = {}) {
    std::vector<Decision::ShapeCause> shapes;
    for (const auto& [job, cause] : causes) shapes.push_back({world_.shape(job), cause});
    return decide_shapes(t, shapes);
  }
  Feed& decide_shapes(Duration t, const std::vector<Decision::ShapeCause>& causes) {
    std::vector<PoolFree> pools(world_.fleet.pools.size());
    for (std::size_t n = 0; n < free_.size(); ++n)
      for (const std::int64_t milli : free_[n])
        pools[world_.fleet.nodes.items()[n].pool].free_milli += milli;
    Decision d;
    d.at = at(t);
    d.pools = pools;
    d.causes = causes;
    observer_.decided(d);
    return *this;
  }
  std::vector<std::int64_t> free_by_pool() const {
    std::vector<std::int64_t> pools(world_.fleet.pools.size());
    for (std::size_t n = 0; n < free_.size(); ++n)
      for (const std::int64_t milli : free_[n]) pools[world_.fleet.nodes.items()[n].pool] += milli;
    return pools;
  }

 private:
  struct Held {
    std::vector<Slice> placement;
    std::int64_t each = 0;
    SimTime since{};
    bool running = false;
  };

  Feed& say(const Record& r) {
    observer_.on(r);
    return *this;
  }
  std::int64_t each(JobId j) const { return std::min<std::int64_t>(1000, demand(j).milli); }
  const ShapeDemand& demand(JobId j) const { return world_.demands[world_.shape(j).value]; }

  /// First fit over the GPUs of the pools it may use; empty if there are too few.
  std::vector<Slice> place(JobId j, std::int64_t milli) const {
    std::int64_t open = milli < 0 ? demand(j).milli : milli;
    std::vector<Slice> slices;
    for (std::uint32_t n = 0; n < free_.size() && open > 0; ++n) {
      if ((demand(j).pools >> world_.fleet.nodes[NodeId{n}].pool & 1) == 0) continue;
      GpuMask mask = 0;
      for (std::size_t g = 0; g < free_[n].size() && open > 0; ++g) {
        if (free_[n][g] < each(j)) continue;
        mask |= GpuMask{1} << g;
        open -= each(j);
      }
      if (mask == 0) continue;
      const bool goes_on = !slices.empty() && slices.back().gpus == mask &&
                           slices.back().first.value + slices.back().count == n;
      if (goes_on)
        ++slices.back().count;
      else
        slices.push_back({NodeId{n}, 1, mask});
    }
    return open > 0 ? std::vector<Slice>{} : slices;
  }
  void add(const Held& held, std::int64_t sign) {
    for (const Slice& s : held.placement)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        for (std::size_t g = 0; g < free_[n].size(); ++g)
          if ((s.gpus >> g & 1) != 0) free_[n][g] += sign * held.each;
  }
  void take(Held& held, JobId j) {
    held.each = each(j);
    add(held, -1);
  }
  void give_back(Held& held) {
    add(held, +1);
    held.placement.clear();
  }
  Feed& over(Duration t, JobId j, Record::What what, JobState state, const Split& split) {
    Held& held = jobs_[j.value];
    Record r{at(t), j, what, state, held.placement};
    if (held.running) r.kept = r.at - held.since - split.lost - split.overhead;
    r.lost = split.lost;
    r.overhead = split.overhead;
    r.lost_earlier = split.lost_earlier;
    say(r);
    give_back(held);
    held.running = false;
    return *this;
  }

  World& world_;
  Observer& observer_;
  std::vector<std::vector<std::int64_t>> free_;
  std::vector<Held> jobs_;
};

/// GPU-seconds of a class, exact where it is a whole number.
inline double gpu_s(const GpuTimes& times, GpuClass c) {
  return static_cast<double>(times[static_cast<std::size_t>(c)]) / 1e12;
}

}  // namespace muster::test
