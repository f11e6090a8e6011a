// Contention solved again after one job has ended and another has started: solves a second, by how many
// flows hang together.
//
//   build/release/bench/bench_max_min
//
// A group of leaves with full NICs below and two thirds of that above; each job is a flow over the
// uplinks of two to four leaves. Groups don't touch each other, so a change concerns its own alone.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "muster/core/random.hpp"
#include "muster/cost/max_min.hpp"

int main() {
  using muster::MaxMin;
  constexpr std::uint32_t kGroups = 64;
  std::printf("%15s %10s %12s %16s\n", "flows together", "links", "solves/s", "flows solved/s");
  for (const std::uint32_t together : {2u, 4u, 8u, 16u, 64u, 256u}) {
    muster::Stream random(1, "bench");
    MaxMin net;
    const std::uint32_t leaves = together + 2;
    for (std::uint32_t l = 0; l < kGroups * leaves; ++l) net.add_link(4e11 * 2 / 3);
    std::uint64_t key = 0;
    const auto add = [&](std::uint32_t group) {
      std::vector<MaxMin::Use> uses;
      const auto first = static_cast<std::uint32_t>(random.below(leaves));
      const auto wide = static_cast<std::uint32_t>(2 + random.below(std::min(3u, leaves - 1)));
      for (std::uint32_t i = 0; i < wide; ++i)
        uses.push_back({group * leaves + (first + i) % leaves, 1});
      return net.add(++key, uses, 1, 5e10 * static_cast<double>(1 + random.below(8)));
    };
    std::vector<MaxMin::Flow> flows;
    for (std::uint32_t f = 0; f < kGroups * together; ++f) flows.push_back(add(f % kGroups));
    net.solve();
    std::uint64_t solves = 0, solved = 0;
    const std::clock_t start = std::clock();
    double taken = 0;  // CPU seconds
    while (taken < 1) {
      for (int i = 0; i < 256; ++i, ++solves) {
        const auto at = static_cast<std::uint32_t>(random.below(flows.size()));
        net.remove(flows[at]);
        flows[at] = add(at % kGroups);
        solved += net.solve().size();
      }
      taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }
    std::printf("%15u %10u %12.0f %16.0f\n", together, leaves, static_cast<double>(solves) / taken,
                static_cast<double>(solved) / taken);
  }
}
