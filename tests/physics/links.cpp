// Links that carry less for a while, or nothing.

#include "muster/topology/links.hpp"

#include <cmath>

#include "catch.hpp"
#include "fabric.hpp"
#include "muster/engine/disturbances.hpp"
#include "muster/engine/why.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

Disturbances::LinkEvent event(Duration from, Duration to, double capacity,
                              std::vector<std::uint32_t> links) {
  return {kStart + from, to == kUnlimited ? kNever : kStart + to, capacity, std::move(links)};
}

EngineOptions options(std::vector<Disturbances::LinkEvent> links, bool contention = true) {
  EngineOptions out;
  out.cost.contention = contention;
  out.cost.communication = 0.5;
  auto plan = std::make_shared<Disturbances>();
  plan->links = std::move(links);
  out.disturbances = std::move(plan);
  return out;
}

/// All rails of a leaf.
std::vector<std::uint32_t> rails(const Links& links, std::uint32_t leaf) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t r = 0; r < links.rails(Level::leaf, leaf); ++r)
    out.push_back(links.up(Level::leaf, leaf, r));
  return out;
}

/// a keeps node 0; b, of 100 s, half of which it communicates, is on nodes 1 and 2.
Workload crossing() { return workload({job(0s, 8, 1000s), job(0s, 16, 100s)}); }

}  // namespace

TEST_CASE("a degraded uplink: jobs over it slow down when it does, and are well again with it") {
  // Without oversubscription b takes 100 s. From 40 to 100 s half of what it sends passes: a unit takes
  // 0.5 + 0.5 x 2 = 1.5, so that these 60 s do 40; the last 20 s of work end at 120.
  const Fleet fleet = leaves(8, 800);
  const Links links(fleet);
  for (const bool contention : {true, false}) {
    const Ran run =
        ran(fleet, crossing(), options({event(40s, 100s, 0.25, rails(links, 0))}, contention));
    CHECK(run.ends[1] == Approx(120).epsilon(1e-5));
    CHECK(run.ends[0] == Approx(1000));
    // Half of the 60 s at speed 1 it communicates, and two thirds of the 60 s at 1.5.
    CHECK(run.gpu_s(GpuClass::run_comm) == Approx(16 * (30 + 40)).epsilon(1e-5));
  }
}

TEST_CASE("of two events of one link the worse counts; jobs elsewhere notice nothing") {
  const Fleet fleet = leaves(8, 800);
  const Links links(fleet);
  const auto spoilt =
      options({event(0s, 200s, 0.5, rails(links, 0)), event(40s, 100s, 0.25, rails(links, 0)),
               event(0s, kUnlimited, 0.1, rails(links, 3))});
  CHECK(ran(fleet, crossing(), spoilt).ends[1] == Approx(120).epsilon(1e-5));
}

TEST_CASE("a rail that fails: the other seven carry what it did") {
  // The leaf lets exactly 400 GB/s through. Seven of eight rails: a unit takes 0.5 + 0.5 x 8 / 7.
  const Fleet fleet = leaves(8, 400);
  const Links links(fleet);
  const Ran run =
      ran(fleet, crossing(), options({event(0s, kUnlimited, 0, {links.up(Level::leaf, 0, 3)})}));
  CHECK(run.ends[1] == Approx(100 * (0.5 + 0.5 * 8 / 7)).epsilon(1e-5));
  CHECK(std::count_if(run.warnings.begin(), run.warnings.end(), [](const std::string& w) {
          return w.starts_with("links_never_back: from 0 s on 1 link of /links carry nothing");
        }) == 1);
}

TEST_CASE("a NIC that fails: its node sends over the others; one that is slow sets the pace") {
  const Fleet fleet = leaves(8, 800);
  const Links links(fleet);
  const Ran dead =
      ran(fleet, crossing(), options({event(0s, kUnlimited, 0, {links.nic(NodeId{1}, 5)})}));
  CHECK(dead.ends[1] == Approx(100 * (0.5 + 0.5 * 8 / 7)).epsilon(1e-5));
  const Ran slow =
      ran(fleet, crossing(), options({event(0s, kUnlimited, 0.5, {links.nic(NodeId{1}, 5)})}));
  CHECK(slow.ends[1] == Approx(150).epsilon(1e-5));
}

TEST_CASE("an uplink that is gone: its jobs wait until it is back") {
  const Fleet fleet = leaves(8, 800);
  const Links links(fleet);
  const Ran run = ran(fleet, crossing(), options({event(40s, 500s, 0, rails(links, 0))}));
  CHECK(run.ends[1] == Approx(560).epsilon(1e-4));
}

TEST_CASE("two jobs share what a degraded uplink still carries") {
  // b and c cross leaf 1's uplink and always send: alone at 800 GB/s each has its 400. With half of it, 200.
  const Fleet fleet = leaves(8, 800);
  const Links links(fleet);
  auto o = options({event(0s, kUnlimited, 0.5, rails(links, 1))});
  o.cost.demand = CostOptions::Demand::steady;
  const Workload w = workload({job(0s, 8, 1000s), job(0s, 16, 100s), job(0s, 16, 100s)});
  const Ran run = ran(fleet, w, o);
  CHECK(run.ends[1] == Approx(150).epsilon(1e-5));
  CHECK(run.ends[2] == Approx(150).epsilon(1e-5));
}

TEST_CASE("a job whose step is known has the term of its worn links") {
  const Fleet fleet = leaves(8, 400);
  const Links links(fleet);
  EngineOptions o;
  o.cost.trainings = trains("llama3-8b", "zero=3,global_batch=16");
  auto plan = std::make_shared<Disturbances>();
  plan->links = {event(0s, kUnlimited, 0.25, rails(links, 0))};
  o.disturbances = plan;
  const Workload w = workload({job(0s, 8, 1000s), job(0s, 16, 100s).model("gpt")});
  const auto p = policy("batch:placer=first");
  const CostReport report = why_cost(fleet, w, *p, o, JobId{1}, SimTime{10s});
  double units = 0, worn = 0;
  for (const Contention::Term& t : report.terms) {
    units += t.units;
    if (t.name == "worn links") worn = t.units;
  }
  CHECK(worn > 0.05);
  CHECK(ran(fleet, w, o).ends[1] == Approx(100 * units).epsilon(1e-5));
}

TEST_CASE("drawn: links carry less as often and for as long as was said") {
  // One link, hit every 1000 s on average, each time for 2000 s: it is worn for 1 - exp(-2) of the time, in
  // which a unit takes 1.5.
  const Fleet fleet = leaves(8, 800);
  const Links links(fleet);
  auto plan = std::make_shared<Disturbances>();
  plan->link_processes.push_back(
      {{links.nic(NodeId{1}, 5)}, 86'400, 0.5, {Disturbances::Law::fixed, 2000s, 1}});
  EngineOptions o;
  o.cost.communication = 0.5;
  o.disturbances = plan;
  const Workload w = workload({job(0s, 8, 1000s), job(0s, 16, 1'000'000s)});
  const Ran run = ran(fleet, w, o);
  CHECK(run.ends[0] == Approx(1000));
  CHECK(run.ends[1] == Approx(1e6 / (1 - (1 - std::exp(-2)) / 3)).epsilon(0.02));
  CHECK(static_cast<double>(run.summary.stragglers.worn_links) ==
        Approx(run.ends[1] / 1000).epsilon(0.1));
  CHECK(ran(fleet, w, o).ends == run.ends);
  auto other = std::make_shared<Disturbances>(*plan);
  other->seed = 2;
  o.disturbances = other;
  CHECK(ran(fleet, w, o).ends[1] != run.ends[1]);
}

TEST_CASE(
    "drawn: links that never come back are hit once each, and then nothing is drawn any more") {
  const Fleet fleet = leaves(8, 800);
  const Links links(fleet);
  auto plan = std::make_shared<Disturbances>();
  const Disturbances::Length ever{Disturbances::Law::fixed, kUnlimited, 1};
  plan->link_processes.push_back({rails(links, 0), 8.64e7, 0, ever});  // 8 a second
  plan->link_processes.push_back(
      {rails(links, 0), 8.64e7, 0.5, ever});  // and these carry half before
  EngineOptions o;
  o.cost.communication = 0.5;
  o.disturbances = plan;
  const Ran run = ran(fleet, crossing(), o);
  // It goes on at a millionth of its speed once the last of the eight rails is gone.
  CHECK(run.ends[1] > 9e7);
  CHECK(run.summary.stragglers.worn_links >= 8);
  CHECK(run.summary.stragglers.worn_links <= 16);
  CHECK(std::count_if(run.warnings.begin(), run.warnings.end(), [](const std::string& w) {
          return w.starts_with("links_never_back: ") &&
                 w.find("on some links that are drawn of /links carry nothing") !=
                     std::string::npos;
        }) == 1);
}

TEST_CASE("a drawn link and a given one: the worse counts") {
  const Fleet fleet = leaves(8, 800);
  const Links links(fleet);
  auto plan = std::make_shared<Disturbances>();
  plan->link_processes.push_back(
      {rails(links, 0), 8.64e7, 0.25, {Disturbances::Law::fixed, 100s, 1}});  // 8 a second
  plan->links = {event(0s, 60s, 0.1, rails(links, 0))};
  EngineOptions o;
  o.cost.communication = 0.5;
  o.disturbances = plan;
  // A tenth of 800 GB/s: what a node sends takes 5 times as long, a unit 3; then a quarter: a unit takes 1.5.
  CHECK(ran(fleet, crossing(), o).ends[1] == Approx(60 + (100 - 60 / 3) * 1.5).epsilon(1e-3));
}
