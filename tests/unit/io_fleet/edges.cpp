// A fleet as a list of cables.
#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"
#include "muster/topology/fabric.hpp"

using namespace muster;

namespace {

std::string domains(const Fleet& fleet, Level level) {
  const auto& all = fleet.domains[static_cast<std::size_t>(level)];
  std::string text;
  for (std::uint32_t d = 0; d < all.size(); ++d)
    text += (d ? " " : "") + fleet.domain_name(level, d) + "=" + std::to_string(all[d].size());
  return text;
}

std::string edge(const std::string& a, const std::string& b, const std::string& more = "") {
  return R"({"a": ")" + a + R"(", "b": ")" + b + "\"" + more + "}";
}

std::string refused(const std::string& nodes, const std::string& edges) {
  try {
    parse_fleet("{\"nodes\": [" + nodes + "], \"edges\": [" + edges + "]}", "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kTwo = R"({"id": "n0", "gpus": 8}, {"id": "n1", "gpus": 8})";

}  // namespace

TEST_CASE("rail switches of a group become one leaf, spines one pod, cores one fabric") {
  // Two groups of two nodes on two rails; each rail switch reaches both spines of its pod; one core.
  std::string nodes, edges;
  for (int n = 0; n < 4; ++n) {
    nodes += (n ? "," : "") + std::string{R"({"id": "n)"} + std::to_string(n) +
             R"(", "gpus": 8, "gpu_type": "H100"})";
    for (int r = 0; r < 2; ++r)
      edges += edge("n" + std::to_string(n), "leaf" + std::to_string(n / 2) + std::to_string(r),
                    R"(, "gbytes_per_s": 50, "latency_us": 0.5)") +
               ",";
  }
  for (int g = 0; g < 2; ++g)
    for (int r = 0; r < 2; ++r)
      for (int s = 0; s < 2; ++s)
        edges += edge("leaf" + std::to_string(g) + std::to_string(r),
                      "spine" + std::to_string(g) + std::to_string(s),
                      R"(, "gbytes_per_s": 10, "cables": 2)") +
                 ",";
  for (int g = 0; g < 2; ++g)
    for (int s = 0; s < 2; ++s)
      edges += edge("core", "spine" + std::to_string(g) + std::to_string(s)) + ",";
  edges.pop_back();
  const Fleet fleet =
      parse_fleet("{\"nodes\": [" + nodes + "], \"edges\": [" + edges + "]}", "f.json");
  CHECK(domains(fleet, Level::leaf) == "leaf00=2 leaf10=2");
  CHECK(domains(fleet, Level::pod) == "spine00=2 spine10=2");
  CHECK(domains(fleet, Level::fabric) == "core=4");
  const Wiring& wiring = fleet.wiring(NodeId{3});
  CHECK(wiring.nics == 2);
  CHECK(wiring.nic_bytes_per_s == 50e9);
  CHECK(wiring.nic_latency == Duration{500});
  CHECK(wiring.rails);
  CHECK(fleet.fabric->up[static_cast<std::size_t>(Level::leaf)][1].bytes_per_s == 80e9);
  CHECK(oversubscription(fleet, Level::leaf, 1) == 2.5);
  CHECK(oversubscription(fleet, Level::pod, 0) == 1);  // not said
}

TEST_CASE("one switch; two fabrics; an NVLink domain") {
  const Fleet fleet = parse_fleet(
      "{\"name\": \"x\", \"nodes\": [" + kTwo + R"(, {"id": "n2", "gpus": 4}], "edges": [)" +
          edge("n0", "a", R"(, "cables": 4)") + "," + edge("b", "n1") + "," + edge("n2", "a") +
          "," + edge("n0", "nv", R"(, "nvlink": true, "gbytes_per_s": 1800)") + "," +
          edge("n2", "nv", R"(, "nvlink": true)") + "," + edge("a", "top a") + "," +
          edge("b", "top b") + "," + edge("top a", "core a") + "," + edge("top b", "core b") + "]}",
      "f.json");
  CHECK(fleet.name == "x");
  CHECK(domains(fleet, Level::leaf) == "a=2 b=1");
  CHECK(domains(fleet, Level::fabric) == "core a=2 core b=1");
  CHECK(domains(fleet, Level::nvlink) == "nv=2 nvlink 1=1");
  CHECK(fleet.wiring(NodeId{0}).nics == 4);
  CHECK_FALSE(fleet.wiring(NodeId{0}).rails);
  CHECK(fleet.wiring(NodeId{0}).nvlink_bytes_per_s == 1800e9);
}

TEST_CASE("cables that are no fleet") {
  CHECK(refused(kTwo, edge("n0", "n0")) == "f.json: /edges/0: \"n0\" is linked to itself");
  CHECK(refused(kTwo, edge("n0", "n1")) ==
        "f.json: /edges/0: two nodes are linked: \"n0\" and \"n1\"\n"
        "    links go from nodes to switches, and between switches");
  CHECK(refused(kTwo, edge("n0", "a")) ==
        "f.json: /nodes/1: node \"n1\" is linked to nothing\n"
        "    each node has a link to a switch");
  CHECK(refused(R"({"id": "n0", "gpus": 8}, {"id": "n0", "gpus": 8})", edge("n0", "a")) ==
        "f.json: /nodes/1: there are two of node \"n0\"\n    names are unique");
  const std::string both = edge("n0", "a") + "," + edge("n1", "b") + ",";
  CHECK(
      refused(kTwo, both + edge("a", "b")) ==
      "f.json: /edges/2: two switches of one level are linked: \"a\" and \"b\"\n"
      "    links go node - leaf - pod - core; give a mesh of switches as pods under one core that "
      "carries as much");
  CHECK(refused(kTwo, both + edge("c", "d")) == "f.json: /edges/2: switch \"c\" leads to no node");
  CHECK(refused(kTwo, both + edge("a", "c") + "," + edge("c", "d") + "," + edge("d", "e")) ==
        "f.json: switch \"e\" is a fourth level\n"
        "    a fleet has leaves, pods and cores: leave out what is above them");
  CHECK(refused(kTwo, both + edge("a", "c", R"(, "nvlink": true)")) ==
        "f.json: /edges/2: an NVLink between two switches\n"
        "    \"nvlink\" links a node to the switches of its NVLink domain");
  CHECK(refused(kTwo, edge("n0", "a", R"(, "gbytes_per_s": 50)") + "," +
                          edge("n0", "b", R"(, "gbytes_per_s": 1)")) ==
        "f.json: /edges/1: the links of node \"n0\" carry different rates\n"
        "    its NICs are alike: leave out the slow one, which is for management");
  CHECK(refused(kTwo, edge("n0", "a", R"(, "gbytes": 50)")).find("there is no such key here") !=
        std::string::npos);
}
