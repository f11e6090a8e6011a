// Virtual clusters in drawn runs. What HiveD promises, worked out without it: a tenant's jobs start when
// they would in a private cluster of the same cells, whatever the other tenants do, and whatever runs
// where nobody's cells are in use.

#include "catch.hpp"
#include "muster/metrics/books.hpp"
#include "support/random_runs.hpp"
#include "support/referee.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Tenants by their number of whole nodes and halves of nodes, on so many nodes of 8 GPUs.
struct Tenants {
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> cells;
  std::uint32_t nodes = 0;
};

Tenants draw_tenants(Stream& r) {
  Tenants t;
  std::uint32_t halves = 0;
  for (const char* name : {"q0", "q1", "q2"}) {
    const auto nodes = static_cast<std::uint32_t>(r.below(3));
    const auto half = static_cast<std::uint32_t>(nodes == 0 ? 1 + r.below(3) : r.below(3));
    t.cells[name] = {nodes, half};
    t.nodes += nodes;
    halves += half;
  }
  t.nodes += (halves + 1) / 2 + static_cast<std::uint32_t>(r.below(2));
  return t;
}

std::string spec_of(const Tenants& t) {
  std::string text;
  for (const auto& [name, cells] : t.cells) {
    std::string own = cells.first > 0 ? std::to_string(cells.first) + "xnode" : "";
    if (cells.second > 0)
      own += (own.empty() ? "" : " + ") + std::to_string(cells.second) + "x4gpu";
    text += (text.empty() ? "\"" : ", \"") + name + "\": \"" + own + "\"";
  }
  return "cells:virtual_clusters={" + text + "}";
}

/// Jobs of the tenants, where there are no nodes of at most a half, which is a node for them; and jobs of nobody.
using QueuedJobs = std::vector<std::pair<std::string, TestJob>>;  // with their queues
QueuedJobs draw_jobs_of(Stream& r, const Tenants& t, std::size_t n) {
  QueuedJobs jobs;
  Duration clock{};
  for (std::size_t i = 0; i < n; ++i) {
    if (r.chance(0.6)) clock += 1s * static_cast<std::int64_t>(5 * r.below(8));
    const std::string queue = one_of(r, {"q0", "q1", "q2", "nobody"});
    std::uint32_t gpus = 1 + static_cast<std::uint32_t>(r.below(4));
    if (queue == "nobody") {
      gpus = 1 + static_cast<std::uint32_t>(r.below(t.nodes * 8));
    } else {
      const std::uint32_t nodes = t.cells.at(queue).first;
      if (nodes > 0) gpus = 1 + static_cast<std::uint32_t>(r.below(8 * nodes));
    }
    TestJob j(clock, gpus, 1s * static_cast<std::int64_t>(5 * (1 + r.below(30))));
    j.queue(queue).priority(static_cast<std::int32_t>(r.below(3))).named("j" + std::to_string(i));
    if (queue == "nobody" && r.chance(0.5))
      j.checkpoints(1s * static_cast<std::int64_t>(1 + r.below(20)), 3s);
    jobs.emplace_back(queue, j);
  }
  return jobs;
}

std::map<std::string, SimTime> starts(const Fleet& fleet, const std::vector<TestJob>& jobs,
                                      const std::string& spec, std::string* verdict = nullptr) {
  const auto p = policy(spec);
  const Workload w = prepared(workload(jobs), *p);
  Rules rules;
  rules.lower_priority_victims = false;
  Referee referee(fleet, w, rules);
  Timetable times(w.size());
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(w, fleet, p->cutting()))
    demands.push_back({d.total_milli(), d.pools});
  Books books(fleet, w, demands);
  Listeners all({&referee, &books, &times});
  const RunSummary run = simulate(fleet, w, *p, {}, all);
  books.close(run);
  referee.close(run);
  if (verdict) *verdict = referee.verdict();
  std::map<std::string, SimTime> start;
  for (std::uint32_t i = 0; i < w.size(); ++i)
    start[std::string{w.id_text(JobId{i})}] = times.start[JobId{i}];
  return start;
}

}  // namespace

TEST_CASE("1,000 drawn runs: a tenant's jobs start as in a private cluster of its own") {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Stream r(seed, "tenants of cells");
    const Tenants tenants = draw_tenants(r);
    const QueuedJobs jobs = draw_jobs_of(r, tenants, 10 + r.below(40));
    const std::string more = r.chance(0.5) ? ",skip=true" : "";
    const Fleet fleet = Fleet::uniform(tenants.nodes, 8);
    INFO("seed " << seed << ": " << spec_of(tenants) << more << " on " << tenants.nodes << "x8");
    std::string verdict;
    std::vector<TestJob> all;
    for (const auto& [queue, j] : jobs) all.push_back(j);
    const auto shared = starts(fleet, all, spec_of(tenants) + more, &verdict);
    CHECK(verdict == "");
    for (const auto& [queue, cells] : tenants.cells) {
      // Each half is a node of four here: its cells, and nothing else.
      std::string own = cells.first > 0 ? std::to_string(cells.first) + "x8" : "";
      if (cells.second > 0) own += (own.empty() ? "" : "+") + std::to_string(cells.second) + "x4";
      std::vector<TestJob> mine;
      for (const auto& [of, j] : jobs)
        if (of == queue) mine.push_back(j);
      if (mine.empty()) continue;
      const auto alone = starts(load_fleet(own), mine,
                                "batch:backfill=none,order=priority,skip=" +
                                    std::string{more.empty() ? "false" : "true"});
      for (const auto& [name, at] : alone) {
        INFO("job " << name << " of " << queue);
        CHECK(shared.at(name) == at);
        ++compared;
      }
    }
  }
  CHECK(compared > 15'000);
}
