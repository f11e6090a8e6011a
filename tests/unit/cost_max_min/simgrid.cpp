// Against SimGrid 3.32 (CM02, all factors 1): what tests/simgrid/max_min_answers.cpp recorded.
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "muster/cost/max_min.hpp"
#include "support/drawn_network.hpp"

using namespace muster;
using muster::test::DrawnNetwork;

TEST_CASE("1,000 drawn networks: each flow gets what SimGrid gives it, to 1e-9") {
  std::ifstream answers(MUSTER_SOURCE_DIR "/tests/unit/cost_max_min/simgrid_answers.csv");
  REQUIRE(answers);
  std::uint64_t networks = 0, limited = 0, weighted = 0;
  for (std::string line; std::getline(answers, line); ++networks) {
    INFO("network " << networks);
    const DrawnNetwork drawn(networks);
    MaxMin net;
    for (const double capacity : drawn.capacity) net.add_link(capacity);
    for (std::size_t f = 0; f < drawn.flows.size(); ++f) {
      const DrawnNetwork::Flow& flow = drawn.flows[f];
      std::vector<MaxMin::Use> uses;
      for (const std::uint32_t link : flow.links) uses.push_back({link, 1});
      net.add(f, uses, flow.weight, flow.limit > 0 ? flow.limit : MaxMin::kNoLimit);
      limited += flow.limit > 0;
      weighted += flow.weight > 1;
    }
    net.solve();
    std::istringstream cells(line);
    std::size_t f = 0;
    for (std::string cell; std::getline(cells, cell, ','); ++f) {
      const double expected = std::stod(cell);
      INFO("flow " << f << ": " << net.rate(static_cast<MaxMin::Flow>(f)) << ", SimGrid " << cell);
      REQUIRE(std::abs(net.rate(static_cast<MaxMin::Flow>(f)) - expected) <= 1e-9 * expected);
    }
    REQUIRE(f == drawn.flows.size());
  }
  CHECK(networks == 1000);
  CHECK(limited > 1000);
  CHECK(weighted > 1000);
}
