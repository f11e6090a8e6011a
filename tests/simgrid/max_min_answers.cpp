// Asks SimGrid what the flows of drawn networks get, and prints a line per network: the rates in bytes/s.
//
//   max_min_answers 1000 > tests/unit/cost_max_min/simgrid_answers.csv
//
// A flow of weight w is w flows of weight 1 on the same route, which share alike; the line has their sum.
// A limit is a link of its own (SimGrid's set_rate does nothing for a Comm from host to host).
#include <sys/wait.h>
#include <unistd.h>
#include <simgrid/s4u.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/drawn_network.hpp"

namespace sg = simgrid::s4u;
using muster::test::DrawnNetwork;

namespace {

constexpr double kBytes = 4e9;  // enough for none to end within the second in which we look

void answer(std::uint64_t seed, char* name) {
  const DrawnNetwork drawn(seed);
  int argc = 1;
  char* argv[] = {name, nullptr};
  sg::Engine engine(&argc, argv);
  for (const char* option : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
                             "network/latency-factor:1", "network/bandwidth-factor:1",
                             "network/weight-S:0", "maxmin/precision:1e-13"})
    sg::Engine::set_config(option);
  sg::NetZone* zone = sg::create_full_zone("zone");
  std::vector<sg::Link*> links;
  for (std::size_t l = 0; l < drawn.capacity.size(); ++l)
    links.push_back(
        zone->create_link("l" + std::to_string(l), drawn.capacity[l])->set_latency(0)->seal());
  std::vector<std::pair<sg::Host*, sg::Host*>> ends;
  for (std::size_t f = 0; f < drawn.flows.size(); ++f) {
    const std::string number = std::to_string(f);
    ends.emplace_back(zone->create_host("a" + number, 1e9)->seal(),
                      zone->create_host("b" + number, 1e9)->seal());
    std::vector<sg::LinkInRoute> route;
    for (const std::uint32_t l : drawn.flows[f].links) route.emplace_back(links[l]);
    if (drawn.flows[f].limit > 0)
      route.emplace_back(
          zone->create_link("limit" + number, drawn.flows[f].limit)->set_latency(0)->seal());
    zone->add_route(ends[f].first->get_netpoint(), ends[f].second->get_netpoint(), nullptr, nullptr,
                    route, false);
  }
  zone->seal();
  sg::Actor::create("observer", ends[0].first, [&] {
    std::vector<std::vector<sg::CommPtr>> comms(drawn.flows.size());
    for (std::size_t f = 0; f < drawn.flows.size(); ++f)
      for (std::uint32_t i = 0; i < drawn.flows[f].weight; ++i) {
        sg::CommPtr comm = sg::Comm::sendto_init();
        comm->set_payload_size(kBytes);
        comm->set_source(ends[f].first);
        comm->set_destination(ends[f].second);  // with both ends, it starts
        comms[f].push_back(comm);
      }
    sg::this_actor::sleep_for(1);
    for (std::size_t f = 0; f < comms.size(); ++f) {
      double rate = 0;
      for (const sg::CommPtr& comm : comms[f]) rate += kBytes - comm->get_remaining();
      std::printf("%s%.13g", f ? "," : "", rate);
    }
    std::printf("\n");
    std::fflush(stdout);
    _exit(0);
  });
  engine.run();
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::uint64_t networks = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  for (std::uint64_t seed = 0; seed < networks; ++seed) {
    std::fflush(stdout);
    const pid_t child = fork();  // there is one SimGrid to a process
    if (child == 0) answer(seed, argv[0]);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
}
