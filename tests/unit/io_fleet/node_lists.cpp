// Node lists in CSV: made-up ones for what can be wrong, and the real ones where they are at hand.
#include <cstdlib>
#include <filesystem>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"

using namespace muster;

namespace {

/// A file of the public data sets, which are not part of the repository: MUSTER_TRACES says where
/// they are. Empty, after a warning, if it is not there.
std::string real(const std::string& name) {
  const char* given = std::getenv("MUSTER_TRACES");
  const std::string file = given ? std::string{given} + "/" + name : "";
  if (given && std::filesystem::exists(file)) return file;
  WARN("skipped: needs " + name + " in the directory that MUSTER_TRACES names");
  return "";
}

std::size_t domains(const Fleet& fleet, Level level) {
  return fleet.domains[static_cast<std::size_t>(level)].size();
}

std::string message(std::string_view text, std::string_view name = "nodes.csv") {
  try {
    parse_fleet(text, name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kOpenb = "sn,cpu_milli,memory_mib,gpu,model\n";
const std::string kLingjun = "ip,DSW,PSW,ASW\n";

}  // namespace

TEST_CASE("openb: nodes without GPUs are left out and counted") {
  const Fleet fleet = parse_fleet(kOpenb +
                                      "n-0,32000,262144,0,\r\nn-1,96000,786432,8,G2\r\n\r\n"
                                      "n-2,96000,786432,0,\nn-3,64000,262144,2,T4",
                                  "nodes.csv");
  CHECK(fleet.node_names == std::vector<std::string>{"n-1", "n-3"});
  CHECK(fleet.pools.at(0).gpu_type == "G2");
  CHECK(fleet.pools.at(1).gpus == 2);
  CHECK(fleet.notes == std::vector<std::string>{"2 nodes without GPUs are left out"});
}

TEST_CASE("openb: rows that are wrong") {
  CHECK(message(kOpenb + "a,1,1,8,G2\nb,1,1,many,G2\n") ==
        "nodes.csv:3: gpu: expected a whole number from 0 to 64, got \"many\"");
  CHECK(message(kOpenb + "a,1,1,65,G2\n") ==
        "nodes.csv:2: gpu: expected a whole number from 0 to 64, got \"65\"");
  CHECK(message(kOpenb + "a,1,1,8\n") == "nodes.csv:2: expected 5 cells, got 4");
  CHECK(message(kOpenb + ",1,1,8,G2\n") == "nodes.csv:2: sn is empty");
  CHECK(message(kOpenb + "a,1,1,8,\n") == "nodes.csv:2: model is empty");
  CHECK(message(kOpenb + "a,1,1,0,\n") == "nodes.csv: the list has no nodes with GPUs");
  CHECK(message(kOpenb + "a,1,1,8,G2\na,1,1,8,G2\n") ==
        "nodes.csv: there are two of node \"a\"\n    names are unique among those of a kind");
}

TEST_CASE("lingjun: a rack is the pair of PSW and ASW") {
  const Fleet fleet = parse_fleet(
      kLingjun + "h0,G6,P10,S14\nh1,G6,P12,S14\nh2,G6,P10,S14\nh3,G6,P10,S2\n", "topo.csv");
  CHECK(fleet.node_names == std::vector<std::string>{"h0", "h2", "h3", "h1"});
  CHECK(domains(fleet, Level::leaf) == 3);
  CHECK(domains(fleet, Level::pod) == 2);
  CHECK(fleet.domain_name(Level::leaf, 2) == "P12/S14");
  CHECK(fleet.domain_name(Level::pod, 1) == "P12");
  CHECK(fleet.domain_name(Level::fabric, 0) == "G6");
  CHECK(fleet.gpus == 32);
  CHECK(fleet.notes ==
        std::vector<std::string>{"8 GPUs per host are assumed: the file does not say"});
}

TEST_CASE("lingjun: rows that are wrong") {
  CHECK(message(kLingjun) == "nodes.csv: the list has no hosts");
  CHECK(message(kLingjun + "a,G6,,S1\n") == "nodes.csv:2: PSW is empty");
  CHECK(message(kLingjun + "a,G6,P1,S1\nb,G7,P1,S2\n") ==
        "nodes.csv:3: pod \"P1\" is in one fabric for node \"b\" and in another for node \"a\"\n"
        "    a domain is in one place: correct one of the nodes, or give two names");
}

TEST_CASE("a node list of no known kind") {
  CHECK(message("host,gpus\na,8\n") ==
        "nodes.csv:1: the header is of no node list that muster knows\n"
        "    it reads sn,cpu_milli,memory_mib,gpu,model\n"
        "    and      ip,DSW,PSW,ASW");
}

TEST_CASE("the real openb node list") {
  const std::string file = real("alibaba_openb2023/openb_node_list_all_node.csv");
  if (file.empty()) return;
  const Fleet fleet = load_fleet(file);
  CHECK(fleet.name == "openb_node_list_all_node");
  CHECK(fleet.nodes.size() == 1213);
  CHECK(fleet.gpus == 6212);
  CHECK(fleet.pools.size() == 7);
  CHECK(fleet.notes == std::vector<std::string>{"310 nodes without GPUs are left out"});
}

TEST_CASE("the real lingjun topology") {
  const std::string file = real("alibaba_lingjun2023/topo.csv");
  if (file.empty()) return;
  const Fleet fleet = load_fleet(file);
  CHECK(fleet.nodes.size() == 847);
  CHECK(domains(fleet, Level::leaf) == 119);
  CHECK(domains(fleet, Level::pod) == 3);
  CHECK(domains(fleet, Level::fabric) == 1);
  std::size_t of_eight = 0;
  for (const NodeRange& leaf : fleet.domains[static_cast<std::size_t>(Level::leaf)])
    of_eight += leaf.size() == 8 ? 1 : 0;
  CHECK(of_eight == 68);
}
