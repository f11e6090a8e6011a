// A fleet of 1,048,576 GPUs: built from a line of JSON, compiled, its links numbered, ways found in it.
//
//   ./dev bench fabric
//
// Bytes are those of the whole process beyond what it had before, at each step's end.

#include <malloc.h>

#include <cstdio>
#include <ctime>

#include "arguments.hpp"
#include "muster/core/random.hpp"
#include "muster/io/fleet.hpp"
#include "muster/topology/compile.hpp"
#include "muster/topology/links.hpp"

namespace {

constexpr const char* kFleet =
    R"({"groups": [{"count": 131072, "gpus": 8, "gpu_type": "H100", "nodes_per_leaf": 32,
        "leaves_per_pod": 16, "oversubscription": {"leaf": 1, "pod": 4}}]})";

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Step {
 public:
  void done(const char* what, double gpus) {
    const double taken = cpu_seconds() - since_;
    const auto bytes = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
    std::printf("%-28s %8.3f CPU s %8.1f bytes per GPU in use\n", what, taken,
                (bytes - at_first_) / gpus);
    since_ = cpu_seconds();
  }

 private:
  static double in_use() { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); }
  double at_first_ = in_use();
  double since_ = cpu_seconds();
};

}  // namespace

int main(int argc, char** argv) {
  muster::bench::Arguments("bench_fabric",
                           "A fleet of 1,048,576 GPUs built, compiled, and ways found in it.")
      .parse(argc, argv);
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
  const double since = cpu_seconds();
  for (int i = 0; i < kWays; ++i) {
    const NodeId from{static_cast<std::uint32_t>(random.below(fleet.nodes.size()))};
    const NodeId to{static_cast<std::uint32_t>(random.below(fleet.nodes.size()))};
    links.route(from, to, static_cast<std::uint32_t>(i % 8), path);
    hops += path.size();
  }
  std::size_t gpus = 0;
  for (const Fleet::Node& node : fleet.nodes) gpus += node.gpus;
  // Two NICs, and a rail up and down for the leaf and the pod that are left: nearly always both.
  const double each = static_cast<double>(hops) / kWays;
  if (gpus != static_cast<std::size_t>(kGpus) || each < 5.9 || each > 6) {
    std::fprintf(stderr, "bench: not the fleet that was asked for, or wrong ways\n");
    return 1;
  }
  std::printf("%.0f ways/s, %.2f links each\n", kWays / (cpu_seconds() - since), each);
}
