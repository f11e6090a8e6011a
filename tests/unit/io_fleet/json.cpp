#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"
#include "muster/topology/fabric.hpp"
#include "muster/topology/wiring.hpp"

using namespace muster;

namespace {

std::string names(const Fleet& fleet) {
  std::string text;
  for (std::uint32_t i = 0; i < fleet.nodes.size(); ++i)
    text += (i ? " " : "") + fleet.node_name(NodeId{i});
  return text;
}

const std::vector<NodeRange>& domains(const Fleet& fleet, Level level) {
  return fleet.domains[static_cast<std::size_t>(level)];
}

}  // namespace

TEST_CASE("groups of nodes") {
  const Fleet fleet = parse_fleet(R"({
    "name": "two halls",
    "source": "inventory of 2026-01",
    "groups": [
      {"count": 36, "gpus": 4, "gpu_type": "GB200", "nvlink_nodes": 18, "nodes_per_leaf": 18,
       "leaves_per_pod": 1, "fabric": "hall 1"},
      {"count": 3, "gpus": 8, "gpu_type": "H100", "prefix": "h", "fabric": "hall 2"}
    ]
  })",
                                  "fleet.json");
  CHECK(fleet.name == "two halls");
  CHECK(fleet.source == "inventory of 2026-01");
  CHECK(fleet.gpus == 168);
  CHECK(domains(fleet, Level::nvlink).size() == 5);
  CHECK(domains(fleet, Level::leaf) == std::vector<NodeRange>{{0, 18}, {18, 36}, {36, 39}});
  CHECK(domains(fleet, Level::pod).size() == 3);
  CHECK(domains(fleet, Level::fabric) == std::vector<NodeRange>{{0, 36}, {36, 39}});
  CHECK(fleet.domain_name(Level::fabric, 1) == "hall 2");
  CHECK(fleet.node_name(NodeId{38}) == "h2");
}

TEST_CASE("nodes that name their racks, which stand apart in the list") {
  const Fleet fleet = parse_fleet(R"({"nodes": [
    {"id": "a0", "gpus": 8, "rack": "A"}, {"id": "b0", "gpus": 8, "rack": "B"},
    {"id": "a1", "gpus": 4, "rack": "A", "gpu_type": "A10"}]})",
                                  "fleet.json");
  CHECK(fleet.name == "fleet.json");
  CHECK(names(fleet) == "a0 a1 b0");
  CHECK(domains(fleet, Level::leaf) == std::vector<NodeRange>{{0, 2}, {2, 3}});
  CHECK(fleet.pools.at(1).gpu_type == "A10");
}

TEST_CASE("nodes that name their fabrics") {
  const Fleet fleet = parse_fleet(R"({"nodes": [
    {"id": "f1a", "gpus": 8, "fabric": "F1"}, {"id": "f1b", "gpus": 8, "fabric": "F1"},
    {"id": "f2a", "gpus": 8, "fabric": "F2"}, {"id": "f2b", "gpus": 8, "fabric": "F2"}]})",
                                  "fleet.json");
  CHECK(domains(fleet, Level::fabric) == std::vector<NodeRange>{{0, 2}, {2, 4}});
}

TEST_CASE("leaf is another word for rack, and all domains can be named") {
  const Fleet fleet = parse_fleet(R"({"nodes": [
    {"id": "a", "gpus": 8, "leaf": "A", "pod": "P", "fabric": "F", "nvlink": "V"},
    {"id": "b", "gpus": 8, "leaf": "A", "pod": "P", "fabric": "F", "nvlink": "V"}]})",
                                  "fleet.json");
  CHECK(fleet.domain_name(Level::nvlink, 0) == "V");
  CHECK(fleet.domain_name(Level::leaf, 0) == "A");
  CHECK(fleet.domain_name(Level::pod, 0) == "P");
  CHECK(fleet.domain_name(Level::fabric, 0) == "F");
}

TEST_CASE("a group of listed nodes says what its nodes do not") {
  const Fleet fleet = parse_fleet(R"({"groups": [
    {"gpus": 8, "gpu_type": "H100", "fabric": "F", "nodes": [{"id": "a"}, {"id": "b", "gpus": 4}]},
    {"count": 1, "gpus": 2}]})",
                                  "fleet.json");
  CHECK(names(fleet) == "a b n2");
  CHECK(fleet.pools.at(0).gpu_type == "H100");
  CHECK(fleet.pools.at(0).gpus == 12);
  CHECK(domains(fleet, Level::fabric).size() == 2);
}

TEST_CASE(
    "what the storage of a fabric gives: for each fabric, said by one of its groups or none") {
  const auto storage = [](const std::string& groups, const std::string& links = "{}") {
    return parse_fleet(R"({"groups": [)" + groups + R"(], "links": )" + links + "}", "fleet.json")
        .fabric->storage;
  };
  const std::string all = R"({"storage": {"gbytes_per_s": 160}})";
  const std::string pods =
      R"({"count": 4, "gpus": 8, "nodes_per_leaf": 1, "leaves_per_pod": 1, "pods_per_fabric": 2})";
  CHECK(storage(pods).empty());
  CHECK(storage(pods, all) == std::vector<double>{160e9, 160e9});
  const std::string a = R"({"count": 1, "gpus": 8, "fabric": "A"})";
  const std::string b =
      R"({"count": 1, "gpus": 8, "fabric": "B", "links": {"storage": {"gbytes_per_s": 2.5}}})";
  CHECK(storage(a + "," + b) == std::vector<double>{0, 2.5e9});
  CHECK(storage(a + "," + b, all) == std::vector<double>{160e9, 2.5e9});
  const std::string more =
      R"({"count": 1, "gpus": 4, "fabric": "A", "links": {"storage": {"gbytes_per_s": 3}}})";
  CHECK(storage(a + "," + b + "," + more) == std::vector<double>{3e9, 2.5e9});
  CHECK(parse_fleet(
            R"({"nodes": [{"id": "a", "gpus": 8}, {"id": "b", "gpus": 8}], "links": )" + all + "}",
            "fleet.json")
            .fabric->storage == std::vector<double>{160e9});
}

TEST_CASE("what links carry is part of the graph, and of the messages about it") {
  const FleetDescription fleet = parse_fleet_description(R"({
    "groups": [{"count": 4, "gpus": 8, "nodes_per_leaf": 2, "links": {"leaf": {"gbytes_per_s": 100}}}],
    "links": {"node": {"gbytes_per_s": 50, "latency_us": 1.5}}})",
                                                         "fleet.json");
  CHECK(fleet.graph.nodes() == 4);
  CHECK(fleet.graph.vertices() == 4 + 2 + 1 + 1);
  CHECK(fleet.graph.links() == 4 + 2 + 1);
  CHECK(fleet.where == "fleet.json");
  std::size_t of_nodes = 0, of_leaves = 0, unknown = 0;
  fleet.graph.for_each_link([&](FleetGraph::Vertex, FleetGraph::Vertex, const Link& link) {
    of_nodes += link.bytes_per_s == 50e9 && link.latency == Duration{1500} ? 1 : 0;
    of_leaves += link.bytes_per_s == 100e9 && link.latency == kUnknown ? 1 : 0;
    unknown += link.bytes_per_s ? 0 : 1;
  });
  CHECK(of_nodes == 4);
  CHECK(of_leaves == 2);
  CHECK(unknown == 1);
}

TEST_CASE("comments, a byte order mark and \"$schema\" are let pass") {
  CHECK(parse_fleet("\xEF\xBB\xBF{\"$schema\": \"x\", // two nodes\n\"groups\": [{\"count\": 2, "
                    "\"gpus\": 1}]}",
                    "fleet.json")
            .gpus == 2);
}

TEST_CASE("GPUs in MIG mode are a pool of their own") {
  const Fleet fleet = parse_fleet(R"({"groups": [
    {"count": 2, "gpus": 8, "gpu_type": "A"},
    {"count": 3, "gpus": 4, "gpu_type": "A", "mig": true},
    {"gpus": 2, "gpu_type": "A", "mig": ["3g@0", "3g@4"],
     "nodes": [{"id": "x"}, {"id": "y", "mig": false}, {"id": "z", "mig": true}]}]})",
                                  "fleet.json");
  CHECK(fleet.gpus == 16 + 12 + 6);
  REQUIRE(fleet.pools.size() == 3);
  CHECK(fleet.pools[0].gpus == 16 + 2);
  CHECK(fleet.pools[0].mig == nullptr);
  CHECK(fleet.pools[1].gpus == 12 + 2);
  CHECK_FALSE(fleet.pools[1].mig->is_fixed());
  CHECK(text_of(*fleet.pools[2].mig) == "3g@0+3g@4");
  CHECK(fleet.nodes[NodeId{2}].gpus == 32);  // slots
  CHECK(fleet.gpus_of(NodeId{2}) == 4);
}

TEST_CASE("what can be wrong about \"mig\"") {
  const auto message = [](const std::string& mig, int gpus = 8) {
    try {
      parse_fleet("{\"groups\": [{\"count\": 1, \"gpus\": " + std::to_string(gpus) +
                      ", \"mig\": " + mig + "}]}",
                  "f");
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  CHECK(message("true") == "");
  CHECK(message("7") ==
        "f: /groups/0/mig: expected true, false or a list of instances, got 7\n"
        "    for example true, or [\"3g@0\", \"2g@4\", \"1g@6\"]");
  CHECK(message(R"(["5g@0"])") ==
        "f: /groups/0/mig: expected a MIG profile and its first slot, got \"5g@0\"\n"
        "    for example [\"3g@0\", \"2g@4\", \"1g@6\"]; true: any instance that is needed");
  CHECK(message(R"(["3g@2"])") ==
        "f: /groups/0/mig: a 3g can't begin at slot 2\n    it may take slots 0-3 or 4-7");
  CHECK(message(R"(["3g@0", "2g@2"])") ==
        "f: /groups/0/mig: \"2g@2\" takes slots that an instance before it has\n"
        "    slots 0,1,2,3 are taken");
  CHECK(message("true", 9) ==
        "f: /groups/0: a node of 9 GPUs in MIG mode; expected at most 8\n"
        "    describe a wider machine as several nodes");
}

TEST_CASE("wiring: the fleet's, a group's on top of it, the usual for the rest") {
  const Fleet fleet = parse_fleet(R"({
    "wiring": {"nics": 4, "storage_gbytes_per_s": 5},
    "groups": [
      {"count": 1, "gpus": 8, "gpu_type": "H100"},
      {"count": 1, "gpus": 8, "gpu_type": "H100",
       "wiring": {"interconnect": "pcie_pairs", "gpu_gbytes_per_s": 300, "pcie_gbytes_per_s": 50,
                  "nic_gbytes_per_s": 25, "rails": false, "pxn": false}},
      {"nodes": [{"id": "x"}], "gpus": 8, "gpu_type": "A100", "wiring": {"nics": 8}}]})",
                                  "fleet.json");
  const Wiring& first = fleet.wiring(NodeId{0});
  CHECK(first.nics == 4);
  CHECK(first.nic_bytes_per_s == 100e9);  // the usual 400 GB/s in four
  CHECK(first.storage_bytes_per_s == 5e9);
  CHECK(first.rails);
  const Wiring& second = fleet.wiring(NodeId{1});
  CHECK(second.interconnect == Interconnect::pcie_pairs);
  CHECK(second.gpu_bytes_per_s == 300e9);
  CHECK(second.pcie_bytes_per_s == 50e9);
  CHECK(second.nics == 4);
  CHECK(second.nic_bytes_per_s == 25e9);
  CHECK_FALSE(second.rails);
  CHECK(fleet.wiring(NodeId{2}).nics == 8);
  CHECK(fleet.wiring(NodeId{2}).nic_bytes_per_s == 25e9);
}

TEST_CASE("wiring that can't be meant") {
  const auto parse = [](const std::string& wiring) {
    parse_fleet("{\"wiring\": " + wiring + ", \"groups\": [{\"count\": 1, \"gpus\": 8}]}",
                "f.json");
  };
  CHECK_THROWS_WITH(parse(R"({"interconnect": "nvswich"})"),
                    "f.json: /wiring/interconnect: there is no interconnect \"nvswich\"\n"
                    "    did you mean \"nvswitch\"?");
  CHECK_THROWS_WITH(parse(R"({"rails": 8})"),
                    "f.json: /wiring/rails: expected true or false, got 8");
  CHECK_THROWS_WITH(parse(R"({"nics": 65})"),
                    "f.json: /wiring/nics: expected a whole number from 0 to 64, got 65");
}

TEST_CASE("shapes: dragonfly, torus, oversubscription") {
  const Fleet fleet = parse_fleet(R"({"groups": [
    {"count": 64, "gpus": 4, "gpu_type": "A100", "fabric": "d", "dragonfly":
      {"nodes_per_router": 4, "routers_per_group": 4, "global_links_per_router": 4,
       "local_gbytes_per_s": 25, "global_gbytes_per_s": 25}},
    {"count": 64, "gpus": 4, "gpu_type": "A100", "fabric": "t", "torus":
      {"x": 4, "y": 4, "z": 4, "gbytes_per_s": 10}},
    {"count": 64, "gpus": 8, "gpu_type": "H100", "fabric": "o", "nodes_per_leaf": 8,
     "leaves_per_pod": 4, "oversubscription": {"leaf": 1, "pod": 4}}]})",
                                  "fleet.json");
  CHECK(domains(fleet, Level::leaf).size() == 16 + 16 + 8);
  CHECK(domains(fleet, Level::pod).size() == 4 + 4 + 2);
  CHECK(oversubscription(fleet, Level::pod, 8) == 4);
  CHECK_THROWS_WITH(
      parse_fleet(R"({"groups": [{"count": 1, "gpus": 4, "torus": {"x": 1}}]})", "f.json"),
      "f.json: /groups/0/torus: \"gbytes_per_s\" is missing");
}
