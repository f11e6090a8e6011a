// Jobs of several nodes share the links between these.
#include <map>
#include <random>

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "muster/metrics/books.hpp"
#include "muster/policy/contention.hpp"
#include "support/jobs.hpp"
#include "support/leaves.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

class Net {
 public:
  Net(const Fleet& fleet, CostOptions cost)
      : net_(make_contention(jobs_, fleet, {}, with_contention(cost))) {}
  void came(std::uint32_t job, std::vector<Slice> where) {
    where_[job] = where;
    net_->came(JobId{job}, where);
    for (const auto& f : net_->changes()) now_[f.job.value] = {f.millionths, f.split.communicating};
  }
  void went(std::uint32_t job) {
    net_->went(JobId{job}, where_[job]);
    now_.erase(job);
    for (const auto& f : net_->changes()) now_[f.job.value] = {f.millionths, f.split.communicating};
  }
  std::uint32_t speed(std::uint32_t job) {
    return now_.contains(job) ? now_[job].first : 1'000'000;
  }
  std::uint32_t communicating(std::uint32_t job) {
    return now_.contains(job) ? now_[job].second : 0;
  }

 private:
  static CostOptions with_contention(CostOptions cost) {
    cost.contention = true;
    return cost;
  }
  Workload jobs_;
  std::unique_ptr<Contention> net_;
  std::map<std::uint32_t, std::vector<Slice>> where_;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> now_;
};

CostOptions talks(double share, CostOptions::Demand demand = CostOptions::Demand::mean) {
  CostOptions cost;
  cost.communication = share;
  cost.demand = demand;
  return cost;
}

}  // namespace

TEST_CASE("a job of one node or of one leaf is as fast as ever") {
  const Fleet fleet = leaves(8, 200);
  Net net(fleet, talks(0.5));
  net.came(1, {nodes(0, 1)});
  CHECK(net.speed(1) == 1'000'000);
  CHECK(net.communicating(1) == 0);  // not on the network
  net.came(2, {nodes(2, 2)});
  CHECK(net.speed(2) == 1'000'000);
  CHECK(net.communicating(2) == 500'000);
}

TEST_CASE("an oversubscribed link costs time without any neighbour") {
  // Half of a node's 400 GB/s passes: what took a half takes a whole, 1.5 in all.
  const Fleet fleet = leaves(8, 200);
  Net net(fleet, talks(0.5));
  net.came(1, {nodes(0, 1), nodes(2, 1)});
  CHECK(net.speed(1) == 666'667);
  CHECK(net.communicating(1) == 666'667);
}

TEST_CASE("two jobs on one uplink: each gets half of it if both always send") {
  const Fleet fleet = leaves(8, 400);
  Net net(fleet, talks(0.5, CostOptions::Demand::steady));
  net.came(1, {nodes(0, 1), nodes(2, 1)});
  CHECK(net.speed(1) == 1'000'000);
  net.came(2, {nodes(1, 1), nodes(4, 1)});
  CHECK(net.speed(1) == 666'667);
  CHECK(net.speed(2) == 666'667);
  net.went(1);
  CHECK(net.speed(2) == 1'000'000);
  CHECK(net.communicating(2) == 500'000);
}

TEST_CASE(
    "jobs that send half of the time take turns; at more than that they wait for each other") {
  const Fleet fleet = leaves(12, 400);
  Net net(fleet, talks(0.5));
  net.came(1, {nodes(0, 1), nodes(2, 1)});
  net.came(2, {nodes(1, 1), nodes(4, 1)});
  CHECK(net.speed(1) == 1'000'000);
  CHECK(net.speed(2) == 1'000'000);
  Net tight(fleet, talks(0.6));
  tight.came(1, {nodes(0, 1), nodes(2, 1)});
  tight.came(2, {nodes(1, 1), nodes(4, 1)});
  CHECK(tight.speed(1) == 833'333);          // both want 0.6 of the uplink
  CHECK(tight.communicating(1) == 666'667);  // of 1.2, 0.4 is computing
}

TEST_CASE("all to all crosses as often as nodes have peers beyond the border") {
  // Two of its four nodes in each of two leaves: 2 x 2 / 3 of 400 GB/s want out, and 200 pass.
  const Fleet fleet = leaves(8, 200);
  CostOptions cost = talks(0.5);
  cost.pattern = CostOptions::Pattern::all_to_all;
  Net net(fleet, cost);
  net.came(1, {nodes(0, 4)});
  CHECK(net.speed(1) == 545'455);  // 0.5 + 0.5 x 8 / 3
  Net ring(fleet, talks(0.5));
  ring.came(1, {nodes(0, 4)});
  CHECK(ring.speed(1) == 666'667);
}

TEST_CASE("rails are links of their own; without rails all share the uplink") {
  NodeGroup group;
  group.count = 8;
  group.gpus = 8;
  group.gpu_type = "H100";
  group.nodes_per_leaf = 2;
  group.links.leaf.bytes_per_s = 200e9;
  const bool rails = GENERATE(true, false);
  group.wiring.rails = rails;
  group.wiring.pxn = false;
  GraphBuilder builder;
  builder.add(group, "test");
  const Fleet fleet = compile(builder.take(), "test", "test");
  Net net(fleet, talks(0.5, CostOptions::Demand::steady));
  // Four GPUs of two nodes each, on rails 0 to 3 and on rails 4 to 7: 200 GB/s out of each node.
  net.came(1, {nodes(0, 1, 0x0F), nodes(2, 1, 0x0F)});
  // Alone, rails 0 to 3 carry half of what the NICs send; one uplink carries all of it.
  CHECK(net.speed(1) == (rails ? 666'667 : 1'000'000));
  net.came(2, {nodes(1, 1, 0xF0), nodes(3, 1, 0xF0)});
  CHECK(net.speed(1) == 666'667);
  CHECK(net.speed(2) == 666'667);
}

TEST_CASE("jobs that share a NIC share what it carries") {
  NodeGroup group;
  group.count = 2;
  group.gpus = 8;
  group.gpu_type = "V100";  // a NIC to two GPUs
  GraphBuilder builder;
  builder.add(group, "test");
  const Fleet fleet = compile(builder.take(), "test", "test");
  Net net(fleet, talks(0.5, CostOptions::Demand::steady));
  net.came(1, {nodes(0, 2, 0b01)});
  net.came(2, {nodes(0, 2, 0b100)});
  CHECK(net.speed(1) == 1'000'000);
  net.came(3, {nodes(0, 2, 0b10)});
  CHECK(net.speed(1) == 666'667);
  CHECK(net.speed(3) == 666'667);
  CHECK(net.speed(2) == 1'000'000);
}

TEST_CASE("drawn: who has come and gone leaves nothing behind") {
  const Fleet fleet = leaves(32, 300);
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Net net(fleet, talks(0.4));
    std::map<std::uint32_t, std::vector<Slice>> running;
    std::vector<bool> used(32, false);
    for (std::uint32_t job = 0; job < 60; ++job) {
      if (running.size() > 4 && random() % 2) {
        const auto gone = std::next(running.begin(), static_cast<long>(random() % running.size()));
        net.went(gone->first);
        for (const Slice& s : gone->second) used[s.first.value] = false;
        running.erase(gone);
      } else {
        std::vector<Slice> where;
        for (std::uint32_t n = 0; n < 32 && where.size() < 3; ++n)
          if (!used[n] && random() % 4 == 0) where.push_back(nodes(n, 1));
        if (where.empty()) continue;
        for (const Slice& s : where) used[s.first.value] = true;
        net.came(job, where);
        running[job] = where;
      }
      Net fresh(fleet, talks(0.4));
      for (const auto& [j, where] : running) fresh.came(j, where);
      for (const auto& [j, where] : running) {
        REQUIRE(net.speed(j) == fresh.speed(j));
        REQUIRE(net.communicating(j) == fresh.communicating(j));
      }
    }
  }
}

namespace {

/// The last end in seconds of each job, and the GPU-seconds that were communication.
struct Ran {
  std::vector<double> ends;
  double communicated = 0, ran = 0;
};

Ran run(const Fleet& fleet, const std::vector<TestJob>& jobs, double share,
        const std::string& spec = "batch:placer=first") {
  const auto p = policy(spec);
  const Workload w = workload(jobs);
  EngineOptions options;
  options.cost.contention = share > 0;
  options.cost.communication = share;
  std::vector<ShapeDemand> demands;
  for (const Shape& shape : w.shapes) demands.push_back({std::int64_t{shape.gpus} * 1000});
  Books books(fleet, w, demands);
  Timetable times(w.size());
  Listeners both({&books, &times});
  books.close(simulate(fleet, w, *p, options, both));
  Ran ran;
  for (std::uint32_t j = 0; j < w.size(); ++j) ran.ends.push_back(seconds(times.end[JobId{j}]));
  const GpuTimes& gpu = books.gpu_book().times();
  const auto gpu_seconds = [](Int128 t) { return static_cast<double>(t) / 1e12; };
  ran.communicated = gpu_seconds(gpu[static_cast<std::size_t>(GpuClass::run_comm)]);
  ran.ran = gpu_seconds(muster::ran(gpu));
  return ran;
}

}  // namespace

TEST_CASE(
    "in a run: neighbours stretch each other's run, and the books say what was communication") {
  const Fleet fleet = leaves(8, 200);
  // a keeps node 0. b has nodes 1 and 2, c 3 and 4: each crosses from leaf to leaf, both use leaf 1's uplink.
  // b alone takes 1.5 times as long, so it has done 50 of its 100 s when c comes at 75 s. Together each asks for
  // 133 GB/s of 200 and gets 100: twice as long as computing and communicating without limits would take.
  const std::vector<TestJob> jobs{job(0s, 8, 1000s), job(0s, 16, 100s), job(75s, 16, 100s)};
  const Ran with = run(fleet, jobs, 0.5);
  CHECK(with.ends[0] == Approx(1000));
  CHECK(with.ends[1] == Approx(175).epsilon(1e-5));
  CHECK(with.ends[2] == Approx(250).epsilon(1e-5));
  // Of the node-seconds of b and c, their work computes for a half of 100 s on two nodes each.
  CHECK(with.communicated == Approx(16 * (175 + 175 - 100)).epsilon(1e-5));
  CHECK(with.ran == Approx(8 * 1000 + 16 * (175 + 175)).epsilon(1e-5));
  const Ran without = run(fleet, jobs, 0);
  CHECK(without.ends[1] == Approx(100));
  CHECK(without.ends[2] == Approx(175));
  CHECK(without.communicated == 0);
}

TEST_CASE("work that is thrown away takes its communication with it") {
  const Fleet fleet = leaves(4, 200);
  // a keeps node 0; b, on nodes 1 and 2, is stopped without a checkpoint and starts again.
  const std::vector<TestJob> jobs{job(0s, 8, 1000s).priority(2), job(0s, 16, 100s),
                                  job(60s, 16, 30s).priority(1)};
  const Ran with = run(fleet, jobs, 0.5, "batch:order=priority,preemption=requeue,placer=first");
  CHECK(with.ends[2] == Approx(60 + 45).epsilon(1e-5));
  CHECK(with.ends[1] == Approx(105 + 150).epsilon(1e-5));
  CHECK(with.communicated == Approx(16 * (100 + 30)).epsilon(1e-5));
  CHECK(with.ran == Approx(8 * 1000 + 16 * (150 + 45)).epsilon(1e-5));
}

TEST_CASE("why --cost: what a unit of work takes, as a sum with its reasons") {
  const Fleet fleet = leaves(8, 200);
  const auto p = policy("batch:placer=first");
  const Workload w = workload({job(0s, 8, 1000s), job(0s, 16, 100s), job(75s, 16, 100s)});
  EngineOptions options;
  options.cost = talks(0.5);
  options.cost.contention = true;
  const auto text = [&](std::uint32_t j, std::optional<SimTime> at) {
    const CostReport report = why_cost(fleet, w, *p, options, JobId{j}, at);
    std::string all = report.ran ? std::to_string(report.where.size()) + " slices" : "not running";
    for (const Contention::Term& term : report.terms)
      all += "\n" + std::to_string(term.units).substr(0, 5) + " " + term.name + ": " + term.because;
    return all;
  };
  CHECK(text(1, {}) ==
        "1 slices\n"
        "0.500 computing: what is left of 1 without communication\n"
        "0.500 communicating: at 400 GB/s out of each node\n"
        "0.500 narrow links: the rails of leaf 0 let 200 GB/s through\n"
        "0.000 neighbours: it gets the 133.3 GB/s that it asks for");
  CHECK(text(1, SimTime{80s})
            .ends_with("0.500 neighbours: it asks for 133.3 GB/s and gets 100 GB/s"));
  CHECK(text(1, SimTime{500s}) == "not running");
  CHECK(text(0, {}) == "1 slices");
}

TEST_CASE(
    "jobs of a listed model communicate as it does; the report says for how many it is a guess") {
  const Fleet fleet = leaves(8, 200);
  const auto p = policy("batch:placer=first");
  const Workload w = workload({job(0s, 8, 1000s), job(0s, 16, 100s).model("quiet"),
                               job(0s, 16, 100s).model("loud"), job(0s, 16, 100s)});
  EngineOptions options;
  options.cost = talks(0.5);
  options.cost.contention = true;
  options.cost.models = {{"quiet", 0}, {"loud", 80}, {"nobody's", 3}};
  Timetable times(w.size());
  const RunSummary run = simulate(fleet, w, *p, options, times);
  CHECK(seconds(times.end[JobId{1}]) == Approx(100));
  // 0.2 + 0.8 x 2, and beside the last one, which asks for 133 GB/s, 178 of 200 GB/s shared by two.
  const CostReport loud = why_cost(fleet, w, *p, options, JobId{2}, {});
  REQUIRE(loud.terms.size() == 4);
  CHECK(loud.terms[1].units == Approx(0.8));
  CHECK(loud.terms[2].units == Approx(0.8));
  CHECK(loud.terms[3].units == Approx(1.8 * (320 / 1.8 / 100 - 1)));
  CHECK(run.warnings ==
        std::vector<std::string>{
            "network_guessed: 2 of 4 jobs have no model that /cost/models lists: where they have "
            "several nodes they are taken to communicate for 50 % of their time "
            "(/cost/communication); list their models in /cost/models, with per cents, or in "
            "/cost/steps, with what they train"});
}
