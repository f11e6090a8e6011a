// Slurm's topology.conf: what becomes of trees and blocks, and each way to be wrong with its message.
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"

using namespace muster;

namespace {

Fleet fleet(const std::string& text) { return parse_fleet(text, "topology.conf"); }

/// "a0 a1 | b0": the nodes of each domain of a level, in order.
std::string drawn(const Fleet& f, Level level) {
  std::string text;
  for (const NodeRange& range : f.domains[static_cast<std::size_t>(level)]) {
    if (!text.empty()) text += " |";
    for (std::uint32_t n = range.first; n < range.last; ++n)
      text += (text.empty() ? "" : " ") + f.node_name(NodeId{n});
  }
  return text;
}

std::string message(const std::string& text) {
  try {
    fleet(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
const std::string kNodes = "NodeName=n[0-7] Gres=gpu:8\n";

}  // namespace

TEST_CASE("a tree of two levels: leaves and pods") {
  const Fleet f = fleet(
      "# a comment\nSwitchName=l0 Nodes=n[0-1]\n"
      "switchname=l1 \\\n  nodes=n3,n2 LinkSpeed=100\n"
      "SwitchName=top Switches=l[0-1] # both\nNodeName=n[0-4] Gres=gpu:h100:4(S:0,1),nic:2 "
      "CPUs=64");
  CHECK(drawn(f, Level::leaf) == "n0 n1 | n3 n2");
  CHECK(drawn(f, Level::pod) == "n0 n1 n3 n2");
  CHECK(f.domain_name(Level::leaf, 1) == "l1");
  CHECK(f.domain_name(Level::pod, 0) == "top");
  CHECK(f.pools.at(0).gpu_type == "h100");
  CHECK(f.gpus == 16);
  CHECK(f.notes ==
        std::vector<std::string>{"1 nodes that the topology does not have are left out"});
}

TEST_CASE("a tree of three levels, of which one leaf hangs from the root") {
  const Fleet f = fleet(kNodes +
                        "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\n"
                        "SwitchName=c Nodes=n[4-5]\nSwitchName=s Switches=a,b\n"
                        "SwitchName=core Switches=s,c\n");
  CHECK(drawn(f, Level::leaf) == "n0 n1 | n2 n3 | n4 n5");
  CHECK(drawn(f, Level::pod) == "n0 n1 n2 n3 | n4 n5");
  CHECK(drawn(f, Level::fabric) == "n0 n1 n2 n3 n4 n5");
  CHECK(f.domain_name(Level::pod, 1) == "c");
  CHECK(f.domain_name(Level::fabric, 0) == "core");
}

TEST_CASE("separate trees are separate fabrics") {
  const Fleet f = fleet(kNodes + "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\n");
  CHECK(drawn(f, Level::fabric) == "n0 n1 | n2 n3");
}

TEST_CASE("blocks are leaves, the second size a pod") {
  const std::string blocks =
      "BlockName=b0 Nodes=n[0-1]\nBlockName=b1 Nodes=n[2-3]\nBlockName=b2 Nodes=n[4-5]\n";
  CHECK(drawn(fleet(kNodes + blocks), Level::pod) == "n0 n1 n2 n3 n4 n5");
  const Fleet f = fleet(kNodes + blocks + "BlockSizes=2,4,8\n");
  CHECK(drawn(f, Level::leaf) == "n0 n1 | n2 n3 | n4 n5");
  CHECK(drawn(f, Level::pod) == "n0 n1 n2 n3 | n4 n5");
  CHECK(f.domain_name(Level::pod, 0) == "b0 to b1");
  CHECK(f.notes == std::vector<std::string>{
                       "BlockSizes beyond the second are left out: a fleet has leaves and pods",
                       "2 nodes that the topology does not have are left out"});
}

TEST_CASE("lists of names") {
  CHECK(drawn(fleet("SwitchName=a Nodes=r[0-1]n[08-10],x\n"
                    "NodeName=r[0-1]n[08-10],x Gres=gpu:no_consume:2\n"),
              Level::leaf) == "r0n08 r0n09 r0n10 r1n08 r1n09 r1n10 x");
}

TEST_CASE("GPUs of nodes: a default, none, and the sum of one type") {
  const Fleet f = fleet(
      "SwitchName=a Nodes=n[0-3]\nNodeName=DEFAULT Gres=gpu:a100:4,gpu:a100:2\nNodeName=n0\n"
      "NodeName=n1 Gres=gpu\nNodeName=n[2-3] Gres=nic:1\n");
  CHECK(drawn(f, Level::leaf) == "n0 n1");
  CHECK(f.gpus == 7);
  CHECK(f.notes == std::vector<std::string>{"2 nodes without GPUs are left out"});
}

TEST_CASE("the nodes of the slurm.conf beside topology.conf") {
  const auto folder = std::filesystem::temp_directory_path() / "muster_slurm_conf";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "topology.conf") << "SwitchName=a Nodes=n[0-1]\n";
  const std::string file = (folder / "topology.conf").string();
  CHECK_THROWS_WITH(load_fleet(file),
                    file +
                        ": no NodeName line says what GPUs the nodes have\n"
                        "    put slurm.conf beside topology.conf, or its NodeName=... "
                        "Gres=gpu:... lines into it");
  std::ofstream(folder / "slurm.conf") << "ClusterName=x\nNodeName=n[0-1] Gres=gpu:8\n";
  const Fleet f = load_fleet(file);
  std::filesystem::remove_all(folder);
  CHECK(f.gpus == 16);
  CHECK(f.name == "topology");
}

TEST_CASE("topologies that can't be meant") {
  const auto told = [](const std::string& text) { return message(kNodes + text); };
  CHECK(told("") ==
        "topology.conf: no line begins with SwitchName or BlockName\n"
        "    topology.conf of topology/tree and topology/block has them: name that file, "
        "slurm.conf is read beside it");
  CHECK(told("SwitchNam=a Nodes=n0") ==
        "topology.conf:2: a line begins with \"switchnam\"\n    did you mean \"SwitchName\"?");
  CHECK(told("SwitchName=a Nodes=n0 Speed=3") ==
        "topology.conf:2: switch \"a\" has no key \"speed\"\n"
        "    it takes: Nodes, Switches, LinkSpeed");
  CHECK(told("SwitchName= Nodes=n0") == "topology.conf:2: the switch has no name");
  CHECK(told("SwitchName=a") ==
        "topology.conf:2: switch \"a\" has nothing below it\n"
        "    say Nodes=... of a leaf, or Switches=...");
  CHECK(told("SwitchName=a Nodes=n0 Switches=b") ==
        "topology.conf:2: switch \"a\" has both nodes and switches\n"
        "    say Nodes=... of a leaf, or Switches=...");
  CHECK(told("BlockName=a") ==
        "topology.conf:2: block \"a\" has nothing below it\n    say Nodes=...");
  CHECK(told("SwitchName=a Nodes=n0\nSwitchName=a Nodes=n1") ==
        "topology.conf:3: there are two of switch \"a\"\n"
        "    names are unique among those of a kind");
  CHECK(told("SwitchName=a Nodes=n0\nBlockName=b Nodes=n1") ==
        "topology.conf:3: the file has switches and blocks\n"
        "    a topology is a tree (SwitchName) or blocks (BlockName)");
  CHECK(told("SwitchName=a Nodes=n0\nSwitchName=t Switches=a,b") ==
        "topology.conf:3: switch \"t\" is above \"b\", which is not in the file");
  CHECK(told("SwitchName=a Nodes=n0\nSwitchName=s Switches=a\nSwitchName=t Switches=a") ==
        "topology.conf:4: switch \"a\" is below \"t\" and below \"s\"\n"
        "    a tree has one switch above each");
  CHECK(told("SwitchName=a Nodes=n0\nSwitchName=s Switches=t\nSwitchName=t Switches=s") ==
        "topology.conf:3: switch \"s\" is below itself, or below one that is\n"
        "    a tree has no loops: correct the Switches= of one of them");
  CHECK(told("SwitchName=a Nodes=n0\nSwitchName=b Switches=a\nSwitchName=c Switches=b\n"
             "SwitchName=d Switches=c") ==
        "topology.conf:2: switch \"a\" has more than two above it\n"
        "    a fleet has three levels of switches, leaf, pod and fabric: leave one out");
  CHECK(told("BlockName=a Nodes=n0\nBlockSizes=2,6") ==
        "topology.conf:3: BlockSizes: expected the base block's nodes, then these times powers of "
        "two, got \"2,6\"\n    for example BlockSizes=18,36,72");
  CHECK(told("SwitchName=a Nodes=n[0-8]") ==
        "topology.conf:2: \"a\" has node \"n8\", which no NodeName line describes");
  CHECK(told("SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[1-2]") ==
        "topology.conf:3: node \"n1\" is named twice\n"
        "    a node is under one leaf switch, or in one block");
}

TEST_CASE("nodes that can't be meant") {
  const auto told = [](const std::string& text) {
    return message("SwitchName=a Nodes=n0\n" + text);
  };
  CHECK(told("NodeName=n0 Gres=gpu:a:65") ==
        "topology.conf:2: Gres: expected a whole number of GPUs from 0 to 64, got 65");
  CHECK(told("NodeName=n0 Gres=gpu:a:4,gpu:b:4") ==
        "topology.conf:2: Gres: the nodes have GPUs of two types, \"a\" and \"b\"; expected one\n"
        "    nodes with several types of GPU are not modelled: describe each type as a node of its "
        "own");
  CHECK(
      told("NodeName=n0\nNodeName=n0") ==
      "topology.conf:3: there are two of node \"n0\"\n    names are unique among those of a kind");
  CHECK(told("NodeName=n0 Gres=nic:2") ==
        "topology.conf: no node of the topology has GPUs\n"
        "    NodeName lines say so: Gres=gpu:8, or Gres=gpu:h100:8");
}

TEST_CASE("lists that can't be meant") {
  const auto told = [](const std::string& list) {
    return message("SwitchName=a Nodes=" + list + "\n");
  };
  const std::string advice = "\n    lists read like n[0-3,7],login,r[0-1]n[01-16]";
  const auto said = [&](const std::string& list, const std::string& what) {
    return "topology.conf:1: the list \"" + list + "\" " + what + advice;
  };
  CHECK(told("n[0-3") == said("n[0-3", "does not close a bracket"));
  CHECK(told("n0-3]") == said("n0-3]", "closes a bracket that is not open"));
  CHECK(told("n[3-0]") == said("n[3-0]", "counts down in \"3-0\""));
  CHECK(told("n[a-b]") == said("n[a-b]", "has no range of numbers in \"a-b\""));
  CHECK(told("n0,,n1") == said("n0,,n1", "has an empty name"));
  CHECK(told("n[1-5000000]") == said("n[1-5000000]", "has more than 4194304 names"));
  CHECK(told("[0][0][0][0][0][0][0][0][0]") ==
        said("[0][0][0][0][0][0][0][0][0]", "has a name with more than 8 brackets"));
}
