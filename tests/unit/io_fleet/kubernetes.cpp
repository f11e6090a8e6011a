// The nodes of a Kubernetes cluster, by their labels.
#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"

using namespace muster;

namespace {

std::string node(const std::string& name, const std::string& gpus, const std::string& labels) {
  return R"({"kind": "Node", "metadata": {"name": ")" + name + R"(", "labels": {)" + labels +
         R"(}}, "status": {"capacity": {"cpu": "96", "nvidia.com/gpu": ")" + gpus + "\"}}}";
}

Fleet parse(const std::string& items) {
  return parse_fleet(R"({"apiVersion": "v1", "kind": "List", "items": [)" + items + "]}", "k.json");
}

std::string label(const std::string& level, const std::string& value) {
  return "\"network.topology.nvidia.com/" + level + "\": \"" + value + "\"";
}

}  // namespace

TEST_CASE("topograph's labels are levels, the GPU operator's say the type") {
  const std::string h100 = R"("nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", )";
  const Fleet fleet = parse(
      node("a", "8",
           h100 + label("leaf", "s1") + "," + label("spine", "p1") + "," + label("core", "c")) +
      "," + node("login", "0", "") + "," +
      node("b", "8",
           h100 + label("leaf", "s2") + "," + label("spine", "p1") + "," + label("core", "c")) +
      "," +
      node("c", "4",
           R"("nvidia.com/gpu.clique": "x.1", )" + label("leaf", "s1") + "," +
               label("spine", "p1") + "," + label("core", "c")));
  CHECK(fleet.gpus == 20);
  CHECK(fleet.node_name(NodeId{1}) == "c");
  CHECK(fleet.domain_name(Level::leaf, 0) == "s1");
  CHECK(fleet.domains[static_cast<std::size_t>(Level::leaf)].size() == 2);
  CHECK(fleet.domain_name(Level::pod, 0) == "p1");
  CHECK(fleet.domain_name(Level::fabric, 0) == "c");
  CHECK(fleet.domain_name(Level::nvlink, 1) == "x.1");
  CHECK(fleet.pools[0].gpu_type == "NVIDIA-H100-80GB-HBM3");
  CHECK(fleet.notes == std::vector<std::string>{"1 nodes without GPUs are left out"});
}

TEST_CASE("other versions of the labels") {
  const std::string old = GENERATE(
      as<std::string>{},
      R"("fabric.topograph.run/tier-0": "s1", "fabric.topograph.run/tier-1": "p")",
      R"("network.topology.nvidia.com/block": "s1", "network.topology.nvidia.com/spine": "p")");
  const Fleet fleet = parse(node("a", "8", old));
  CHECK(fleet.domain_name(Level::leaf, 0) == "s1");
  CHECK(fleet.domain_name(Level::pod, 0) == "p");
}

TEST_CASE("lists that are no fleet") {
  CHECK_THROWS_WITH(parse_fleet(R"({"apiVersion": "v1", "kind": "Node"})", "k.json"),
                    "k.json: is a Kubernetes list without \"items\"\n"
                    "    kubectl get nodes -o json prints one with them");
  CHECK_THROWS_WITH(parse(node("a", "0", "")),
                    "k.json: no node has GPUs\n"
                    "    the device plugin writes nvidia.com/gpu to /status/capacity");
  CHECK_THROWS_WITH(
      parse(node("a", "8k", "")),
      "k.json: /items/0/status/capacity: nvidia.com/gpu: expected a whole number from "
      "0 to 64, got \"8k\"");
  CHECK_THROWS_WITH(parse(R"({"metadata": {}})"),
                    "k.json: /items/0: a node without /metadata/name");
  CHECK_THROWS_WITH(
      parse(node("a", "8", label("leaf", "s1")) + "," + node("b", "8", "")),
      "k.json: /items/1: node \"b\" has no label for its leaf, and node \"a\" has one\n"
      "    label all nodes with GPUs, or take out those that are not in the fabric");
}
