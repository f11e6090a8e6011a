// Contention solved again after one job has ended and another has started: solves a second, by how many
// flows hang together.
//
//   ./dev bench max_min
//
// A group of leaves with full NICs below and two thirds of that above; each job is a flow over the
// uplinks of two to four leaves. Groups don't touch each other, so a change concerns its own alone. The rates are
// held to what max-min fairness is.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "arguments.hpp"
#include "muster/core/random.hpp"
#include "muster/cost/max_min.hpp"

using muster::MaxMin;

namespace {

constexpr double kRounding = 1e-9;

struct Sent {
  MaxMin::Flow flow;
  std::vector<MaxMin::Use> uses;
  double limit;
};

/// No link carries more than it can, and each flow is at its limit or goes over a full link on which nobody has more.
bool fair(const MaxMin& net, const std::vector<Sent>& sent) {
  std::vector<double> most(net.links(), 0);
  for (const Sent& s : sent)
    for (const MaxMin::Use& use : s.uses)
      most[use.link] = std::max(most[use.link], net.rate(s.flow));
  for (MaxMin::Link l = 0; l < net.links(); ++l)
    if (net.load(l) > net.capacity(l) * (1 + kRounding)) return false;
  return std::all_of(sent.begin(), sent.end(), [&](const Sent& s) {
    const double rate = net.rate(s.flow) * (1 + kRounding);
    return rate >= s.limit || std::any_of(s.uses.begin(), s.uses.end(), [&](const auto& use) {
             return net.load(use.link) * (1 + kRounding) >= net.capacity(use.link) &&
                    rate >= most[use.link];
           });
  });
}

}  // namespace

int main(int argc, char** argv) {
  muster::bench::Arguments("bench_max_min",
                           "Contention solved again after a change: solves and flows a second.")
      .parse(argc, argv);
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
      const double limit = 5e10 * static_cast<double>(1 + random.below(8));
      const MaxMin::Flow flow = net.add(++key, uses, 1, limit);
      return Sent{flow, std::move(uses), limit};
    };
    std::vector<Sent> flows;
    for (std::uint32_t f = 0; f < kGroups * together; ++f) flows.push_back(add(f % kGroups));
    net.solve();
    std::uint64_t solves = 0, solved = 0;
    const std::clock_t start = std::clock();
    double taken = 0;  // CPU seconds
    while (taken < 1) {
      for (int i = 0; i < 256; ++i, ++solves) {
        const auto at = static_cast<std::uint32_t>(random.below(flows.size()));
        net.remove(flows[at].flow);
        flows[at] = add(at % kGroups);
        solved += net.solve().size();
      }
      taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }
    if (!fair(net, flows)) {
      std::fprintf(stderr, "bench: the rates are not max-min fair\n");
      return 1;
    }
    std::printf("%15u %10u %12.0f %16.0f\n", together, leaves, static_cast<double>(solves) / taken,
                static_cast<double>(solved) / taken);
  }
}
