// A fleet of 1,048,576 GPUs: built from a line of JSON, compiled, its links numbered, ways found in it.
//
//   build/release/bench/bench_fabric
//
// Bytes are those of the whole process beyond what it had before, at each step's end.

#include <malloc.h>

#include <chrono>
#include <cstdio>

#include "muster/core/random.hpp"
#include "muster/io/fleet.hpp"
#include "muster/topology/compile.hpp"
#include "muster/topology/links.hpp"

namespace {

constexpr const char* kFleet =
    R"({"groups": [{"count": 131072, "gpus": 8, "gpu_type": "H100", "nodes_per_leaf": 32,
        "leaves_per_pod": 16, "oversubscription": {"leaf": 1, "pod": 4}}]})";

class Step {
 public:
  void done(const char* what, double gpus) {
    const auto now = std::chrono::steady_clock::now();
    const auto bytes = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
    std::printf("%-28s %8.3f s %8.1f bytes per GPU in use\n", what,
                std::chrono::duration<double>(now - since_).count(), (bytes - at_first_) / gpus);
    since_ = std::chrono::steady_clock::now();
  }

 private:
  static double in_use() { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); }
  double at_first_ = in_use();
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace

int main() {
  using namespace muster;
  constexpr double kGpus = 1048576;
  Step step;
  Fleet fleet;
  {
    const FleetDescription description = parse_fleet_description(kFleet, "bench");
    step.done("graph from JSON", kGpus);
    fleet = compile(description.graph, "bench", "bench");
    step.done("compiled beside the graph", kGpus);
  }
  step.done("compiled alone", kGpus);
  const Links links(fleet);
  step.done("links numbered", kGpus);
  std::printf("%zu links\n", links.size());

  Stream random(1, "bench");
  std::vector<Links::Id> path;
  constexpr int kWays = 1'000'000;
  std::size_t hops = 0;
  const auto since = std::chrono::steady_clock::now();
  for (int i = 0; i < kWays; ++i) {
    const NodeId from{static_cast<std::uint32_t>(random.below(fleet.nodes.size()))};
    const NodeId to{static_cast<std::uint32_t>(random.below(fleet.nodes.size()))};
    links.route(from, to, static_cast<std::uint32_t>(i % 8), path);
    hops += path.size();
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - since;
  std::printf("%.0f ways/s, %.2f links each\n", kWays / taken.count(),
              static_cast<double>(hops) / kWays);
}
