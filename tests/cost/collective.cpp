// Collectives on hand-made groups: each expected time is worked out in the comment above it.

#include "muster/cost/collective.hpp"

#include <cmath>

#include "catch.hpp"
#include "muster/cost/rounding.hpp"
#include "muster/io/calibration.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// Round numbers, so that times can be worked out by head.
Calibration round_numbers() {
  Calibration c;
  GpuLinks links;
  links.name = "switch";
  links.latency_us = 10;
  links.step_us = 2;
  links.ring_efficiency = 0.8;
  links.nvls_latency_us = 20;
  links.nvls_efficiency = 0.5;
  links.nvls_least_gpus = 5;
  links.alltoall_efficiency = 0.7;
  links.p2p_efficiency = 0.9;
  links.p2p_latency_us = 5;
  c.links.push_back(links);
  c.network.hop_us = 30;
  c.network.efficiency = 0.95;
  c.network.alltoall_efficiency = 0.8;
  c.network.p2p_latency_us = 8;
  return c;
}

GpuGroup node_of(std::uint32_t gpus) {
  GpuGroup g;
  g.gpus = g.least = g.most = gpus;
  g.link_rate = 100;
  g.in_switch = true;
  return g;
}

GpuGroup nodes_of(std::uint32_t nodes, std::uint32_t gpus, double rails) {
  GpuGroup g = node_of(gpus);
  g.gpus = nodes * gpus;
  g.nodes = g.domains = nodes;
  g.rails_rate = rails;
  g.nic_rate = rails / gpus;
  return g;
}

constexpr double kMB = 1e6;  // 1000 kB

double us(const GpuGroup& group, Collective op, double bytes) {
  return collective_time(round_numbers(), group, op, bytes).us();
}

}  // namespace

TEST_CASE("one GPU has nothing to wait for") {
  const CollectiveTime time =
      collective_time(round_numbers(), node_of(1), Collective::all_reduce, kMB);
  CHECK(time.algorithm == Algorithm::none);
  CHECK(time.us() == 0);
}

TEST_CASE("few GPUs use the ring, more the switch") {
  // Ring of 4: 10 + 2 x 3, and 2 x 3/4 x 1000 kB at 80 GB/s.
  const CollectiveTime ring =
      collective_time(round_numbers(), node_of(4), Collective::all_reduce, kMB);
  CHECK(ring.algorithm == Algorithm::ring);
  CHECK(ring.us() == Approx(16 + 1500.0 / 80));
  // Switch: 20 + 1000 kB at 50 GB/s, against 24 + 1750 / 80 = 45.9 of the ring. At 8 MB it is faster.
  const CollectiveTime nvls =
      collective_time(round_numbers(), node_of(8), Collective::all_reduce, kMB);
  CHECK(nvls.algorithm == Algorithm::nvls);
  CHECK(nvls.us() == Approx(20 + 1000.0 / 50));
  // All-gather has half the steps and sends half; it has no reduction.
  const CollectiveTime gather =
      collective_time(round_numbers(), node_of(8), Collective::all_gather, kMB);
  CHECK(gather.algorithm == Algorithm::ring);
  CHECK(gather.us() == Approx((10 + 14) * 0.5 + 875.0 / 80));
  CHECK(us(node_of(8), Collective::reduce_scatter, kMB) == Approx(gather.us()));
  CHECK(us(node_of(8), Collective::broadcast, kMB) == Approx(12 + 1000.0 / 80));
}

TEST_CASE("rail law: the node with the fewest rails sets the pace, two nodes exchange") {
  // Four nodes: log2 4 = 2 hops; 2 x 31/32 x 1000 kB at 0.95 x min(inside, 40).
  CHECK(us(nodes_of(4, 8, 40), Collective::all_reduce, kMB) ==
        Approx(60 + 2 * 31.0 / 32 * 1000 / (0.95 * 40)));
  // Two nodes use each rail in both directions: 80, still less than 87.5 of the switch.
  CHECK(us(nodes_of(2, 8, 40), Collective::all_reduce, kMB) ==
        Approx(30 + 2 * 15.0 / 16 * 1000 / (0.95 * 80)));
  // With more rails than the switch can fill, the switch: 2 x 7/8 x 50 GB/s of bus.
  CHECK(us(nodes_of(2, 8, 200), Collective::all_reduce, kMB) ==
        Approx(30 + 2 * 15.0 / 16 * 1000 / (0.95 * 87.5)));
  // Not an all-reduce: no exchange, half of the hops.
  CHECK(us(nodes_of(2, 8, 40), Collective::all_gather, kMB) ==
        Approx(15 + 15.0 / 16 * 1000 / (0.95 * 40)));
}

TEST_CASE("what is left beyond the leaf slows all that crosses it") {
  GpuGroup g = nodes_of(4, 8, 40);
  g.spine_share = 0.5;
  CHECK(us(g, Collective::all_reduce, kMB) == Approx(60 + 2 * 31.0 / 32 * 1000 / (0.95 * 20)));
  // All-to-all has a share of its own: with PXN it stays on its rail.
  CHECK(us(g, Collective::all_to_all, kMB) == Approx(30 + 1000 * 24.0 / 32 / (0.8 * 5)));
  g.alltoall_share = 0.5;
  CHECK(us(g, Collective::all_to_all, kMB) == Approx(30 + 1000 * 24.0 / 32 / (0.8 * 2.5)));
}

TEST_CASE("all-to-all goes inside and outside at the same time") {
  // Inside one node: 12 + 7/8 of it at 70 GB/s.
  CHECK(us(node_of(8), Collective::all_to_all, kMB) == Approx(12 + 875.0 / 70));
  // NICs so fast that the links inside are what it waits for: 7/16 of it at 70 GB/s.
  CHECK(us(nodes_of(2, 8, 8000), Collective::all_to_all, 100 * kMB) ==
        Approx(12 + 100000 * 7.0 / 16 / 70));
}

TEST_CASE("a copy takes the links, or the NIC") {
  GpuGroup near = node_of(2);
  CHECK(us(near, Collective::send_recv, kMB) == Approx(5 + 1000 / 90.0));
  CHECK(us(nodes_of(2, 1, 20), Collective::send_recv, kMB) == Approx(8 + 1000 / 19.0));
}

TEST_CASE("a mesh without a ring has one tree, which carries all of it") {
  GpuGroup g = node_of(5);
  g.in_switch = false;
  g.tree_rate = 25;
  const CollectiveTime time = collective_time(round_numbers(), g, Collective::all_reduce, kMB);
  CHECK(time.algorithm == Algorithm::tree);
  CHECK(time.us() == Approx(18 + 1000 / (0.8 * 25)));
}

TEST_CASE("a pipeline fills with the root of the size, up to its buffer") {
  Calibration c = round_numbers();
  c.links[0].ring.fill_us = 8;
  const auto fill = [&](double bytes) {
    return collective_time(c, node_of(4), Collective::all_reduce, bytes).fill_us;
  };
  // sqrt(8 x 1500 / 80) us
  CHECK(fill(kMB) == Approx(std::sqrt(150.0)));
  CHECK(fill(100 * kMB) == Approx(10 * std::sqrt(150.0)));
  c.links[0].ring.fill_kbytes = 1500;
  CHECK(fill(kMB) == Approx(std::sqrt(150.0) / 2));
  CHECK(fill(1e12) == Approx(std::sqrt(150.0)).epsilon(0.01));
}

TEST_CASE("small messages have a way of their own") {
  Calibration c = round_numbers();
  c.links[0].small_latency_us = 4;
  c.links[0].small_gbytes_per_s = 10;
  const auto taken = [&](double bytes) {
    return collective_time(c, node_of(4), Collective::all_reduce, bytes).algorithm;
  };
  CHECK(taken(8) == Algorithm::small);
  CHECK(taken(kMB) == Algorithm::ring);
}

TEST_CASE("terms sum to the time, and say where they are from") {
  const Calibration c = load_calibration("published");
  GpuGroup g = nodes_of(4, 8, 400);
  g.links = static_cast<std::uint32_t>(c.links_of("hopper"));
  g.link_rate = 450;
  for (std::size_t i = 0; i < kCollectives; ++i) {
    const auto op = static_cast<Collective>(i);
    CAPTURE(name(op));
    const CollectiveTime time = collective_time(c, g, op, 1e8);
    double sum = 0;
    for (const CostTerm& term : terms(c, g, op, time)) {
      CHECK_FALSE(term.source.empty());
      CHECK_FALSE(term.inputs.empty());
      sum += term.us;
    }
    CHECK(sum == time.us());
  }
}

TEST_CASE("times leave the model as whole nanoseconds") {
  CHECK(rounded(0) == Duration{0});
  CHECK(rounded(1.2344) == Duration{1234});
  CHECK(rounded(1.2345001) == Duration{1235});
  CHECK(rounded(1e30) == kLongest);
}
