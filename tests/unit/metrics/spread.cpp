#include "muster/metrics/spread.hpp"

#include "catch.hpp"
#include "muster/io/fleet.hpp"
#include "muster/metrics/books.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

Level spread(const Fleet& fleet, std::uint32_t first, std::uint32_t last) {
  const std::vector<Slice> slices{{NodeId{last}, 1, 1}, {NodeId{first}, 1, 1}};
  return spread_of(fleet, slices);
}

/// "node 20 leaf 40": GPU-seconds, of the levels that have any.
std::string drawn(const Summary& s) {
  std::string text;
  for (std::size_t l = 0; l < kLevels; ++l)
    if (s.spread[l] != 0)
      text += (text.empty() ? "" : " ") + std::string{name(static_cast<Level>(l))} + " " +
              to_decimal(s.spread[l], 12);
  return text;
}

Summary run(const Fleet& fleet, const std::string& spec, const std::vector<TestJob>& jobs) {
  const auto p = policy(spec);
  const Workload w = prepared(workload(jobs), *p);
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(w, fleet, p->cutting()))
    demands.push_back({d.total_milli(), d.pools});
  Books books(fleet, w, demands);
  books.close(simulate(fleet, w, *p, {}, books));
  return books.summary();
}

}  // namespace

TEST_CASE("the tightest level of which one domain holds the gang") {
  // Two fabrics of two pods of two leaves of two nodes, NVLink domains of a node.
  const Fleet fleet = parse_fleet(
      R"({"groups": [{"count": 8, "gpus": 1, "nodes_per_leaf": 2, "leaves_per_pod": 2, "fabric": "F1"},
                     {"count": 8, "gpus": 1, "nodes_per_leaf": 2, "leaves_per_pod": 2, "fabric": "F2"}]})",
      "f.json");
  CHECK(spread(fleet, 3, 3) == Level::node);
  CHECK(spread(fleet, 2, 3) == Level::leaf);
  CHECK(spread(fleet, 1, 2) == Level::pod);
  CHECK(spread(fleet, 3, 4) == Level::fabric);
  CHECK(spread(fleet, 7, 8) == Level::fleet);
  const Fleet racks = parse_fleet(
      R"({"groups": [{"count": 8, "gpus": 1, "nvlink_nodes": 2, "nodes_per_leaf": 4}]})", "f.json");
  CHECK(spread(racks, 2, 3) == Level::nvlink);
  CHECK(spread(racks, 1, 2) == Level::leaf);
}

TEST_CASE("GPU time by level, and what crosses leaves and pods") {
  const Fleet fleet = load_fleet("8x2:g/2/2");
  const Summary s = run(
      fleet, "batch:placer=first",
      {job(0s, 1, 10s), job(0s, 1, 10s).share(500), job(0s, 2, 10s).nodes(1),
       job(20s, 0, 10s).nodes(2, 1), job(40s, 0, 10s).nodes(3, 1), job(60s, 0, 10s).nodes(5, 1)});
  CHECK(drawn(s) == "node 35 leaf 20 pod 30 fabric 50");
  CHECK(s.across(Level::leaf).value() == Approx(0.8));
  CHECK(s.across(Level::pod).value() == Approx(0.5));
}

TEST_CASE("a MIG slot is an eighth of a GPU, and nothing crosses where no gang does") {
  const Summary s =
      run(parse_fleet(R"({"groups": [{"count": 2, "gpus": 1, "mig": true}]})", "f.json"),
          "batch:placer=first", {job(0s, 1, 10s).mig("3g")});
  CHECK(drawn(s) == "node 5");
  CHECK(!s.across(Level::leaf));
}

TEST_CASE("runs that were stopped count, hoards that never started do not") {
  // The evicted run had both nodes for 5 s.
  const Fleet fleet = load_fleet("2x1");
  CHECK(drawn(run(fleet, "batch:preemption=requeue",
                  {job(0s, 0, 10s).nodes(2), job(5s, 1, 10s).priority(1)})) == "node 10 leaf 30");
  // Each worker of the gang waits for the others, until it gives up.
  CHECK(drawn(run(fleet, "independent", {job(0s, 1, 20s), job(0s, 0, 10s).nodes(2).cancel(10s)})) ==
        "node 20");
}
