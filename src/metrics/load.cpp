#include "muster/metrics/load.hpp"

#include <algorithm>
#include <bit>

#include "muster/cluster/cluster.hpp"
#include "muster/cluster/fit.hpp"
#include "muster/metrics/text.hpp"

namespace muster {
namespace {

struct Edge {
  SimTime at;
  std::int64_t milli;  // > 0: more in use from here on
};

struct Interval {
  SimTime from, to;
};

/// What all its attempts take together.
Duration work_of(const Workload& w, JobId j) {
  Duration work = w.truth.duration[j];
  if (const auto at = w.truth.failed_attempts.find(j); at != w.truth.failed_attempts.end())
    for (const Duration attempt : at->second) work += attempt;
  return work;
}

/// When the trace says the job ran; at its submit if it does not say.
Interval ran(const Workload& w, JobId j) {
  const Duration duration = work_of(w, j);
  const SimTime start = Workload::at_or(w.truth.recorded_start, j, kNever);
  const SimTime end = Workload::at_or(w.truth.recorded_end, j, kNever);
  if (start == kNever) return {w.submit[j], later(w.submit[j], duration)};
  return {start, end == kNever || end < start ? later(start, duration) : end};
}

std::optional<Load::Above> above(std::vector<Edge>& edges, std::int64_t capacity) {
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  Load::Above found;
  std::int64_t used = 0, peak = 0;
  SimTime since;
  for (std::size_t i = 0; i < edges.size();) {
    const bool over_before = used > capacity;
    const SimTime at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) used += edges[i].milli;
    if (used > capacity && !over_before) {
      since = at;
      peak = 0;
    }
    if (used > capacity) peak = std::max(peak, used);
    if (used <= capacity && over_before) {
      ++found.windows;
      found.in_all += at - since;
      if (peak > found.peak_milli) {
        found.from = since;
        found.to = at;
        found.peak_milli = peak;
      }
    }
  }
  if (found.windows == 0) return {};
  return found;
}

}  // namespace

double Load::ratio() const {
  const Int128 most = Int128{capacity_milli} * (to - from).count();
  return most <= 0 ? 0 : static_cast<double>(asked) / static_cast<double>(most);
}

Loads loads(const Workload& w, const Fleet& fleet, const IdVector<ShapeId, Demand>& demands,
            bool windows) {
  Loads found;
  const Cluster empty{fleet, /*track_domains=*/true};
  std::vector<bool> possible;  // by shape
  for (const Demand& demand : demands) possible.push_back(fits(empty, demand));

  found.fleet.capacity_milli = std::int64_t{fleet.gpus} * 1000;
  for (const Fleet::Pool& pool : fleet.pools) {
    found.pools.push_back({});
    found.pools.back().gpu_type = pool.gpu_type;
    found.pools.back().capacity_milli = std::int64_t{pool.gpus} * 1000;
  }

  SimTime first = kNever, last = kStart;
  Duration longest{};
  std::int64_t widest = -1;
  std::vector<Edge> all;
  std::vector<std::vector<Edge>> by_pool(found.pools.size());
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    const Demand& demand = demands[w.shape[j]];
    const std::int64_t milli = demand.total_milli();
    if (milli > widest) {
      widest = milli;
      found.widest = j;
      found.widest_fits = possible[w.shape[j].value];
    }
    if (!possible[w.shape[j].value]) {
      if (++found.impossible <= 5) found.impossible_first.push_back(j);
      continue;
    }
    found.recorded = found.recorded || Workload::at_or(w.truth.recorded_start, j, kNever) != kNever;
    first = std::min(first, w.submit[j]);
    last = std::max(last, w.submit[j]);
    const Duration work = work_of(w, j);
    longest = std::max(longest, work);
    const Int128 asked = Int128{work.count()} * milli;
    const auto count = [&](Load& load, std::vector<Edge>& edges) {
      ++load.jobs;
      load.asked += asked;
      if (!windows) return;
      const Interval run = ran(w, j);
      if (run.from == run.to) return;
      edges.push_back({run.from, milli});
      edges.push_back({run.to, -milli});
    };
    count(found.fleet, all);
    if (std::has_single_bit(demand.pools)) {
      const auto pool = static_cast<std::size_t>(std::countr_zero(demand.pools));
      count(found.pools[pool], by_pool[pool]);
    } else {
      ++found.flexible;
    }
  }
  if (first == kNever) first = last = kStart;
  last = std::max(last, later(first, longest));
  found.fleet.from = first;
  found.fleet.to = last;
  found.fleet.above = above(all, found.fleet.capacity_milli);
  for (std::size_t p = 0; p < found.pools.size(); ++p) {
    found.pools[p].from = first;
    found.pools[p].to = last;
    found.pools[p].above = above(by_pool[p], found.pools[p].capacity_milli);
  }
  return found;
}

std::vector<Load> Loads::above_1() const {
  std::vector<Load> found;
  for (const Load& pool : pools)
    if (pool.ratio() > 1) found.push_back(pool);
  if (pools.size() > 1 && fleet.ratio() > 1) found.push_back(fleet);
  return found;
}

std::string load_text(const Load& load) {
  if (load.jobs == 0) return "offered load: none, there are no jobs";
  if (load.from == load.to) return "offered load: none, no job runs for any time";
  return "offered load " + percent_text(load.ratio()) + " of " +
         to_decimal(load.capacity_milli, 3) + " " +
         (load.gpu_type.empty() ? "" : load.gpu_type + " ") + "GPUs over " +
         length_text(load.to - load.from) +
         (load.ratio() > 1 ? ": the queue will grow as long as jobs arrive" : "");
}

std::vector<std::string> load_warnings(const Loads& loads) {
  std::vector<std::string> warnings;
  for (const Load& load : loads.above_1())
    warnings.push_back("offered_load_above_1: " + load_text(load));
  return warnings;
}

void note_load(const Loads& loads, Summary& summary) {
  if (loads.fleet.from < loads.fleet.to) summary.offered_load = loads.fleet.ratio();
  const std::vector<std::string> warnings = load_warnings(loads);
  summary.warnings.insert(summary.warnings.begin(), warnings.begin(), warnings.end());
}

}  // namespace muster
