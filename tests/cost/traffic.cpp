// Bytes that a step sends out of nodes, leaves and pods, worked out by hand.
#include "muster/cost/traffic.hpp"

#include <map>

#include "catch.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/model.hpp"
#include "muster/topology/builder.hpp"
#include "muster/topology/compile.hpp"

using namespace muster;
using muster::test::Approx;

namespace {

/// 16 nodes of two GPUs, two to a leaf and two leaves to a pod.
Fleet fleet() {
  NodeGroup group;
  group.count = 16;
  group.gpus = 2;
  group.gpu_type = "H100";
  group.nodes_per_leaf = 2;
  group.leaves_per_pod = 2;
  GraphBuilder builder;
  builder.add(group, "test");
  return compile(builder.take(), "test", "test");
}

Slice on(std::uint32_t first, std::uint32_t count, GpuMask gpus = 0b11) {
  return {NodeId{first}, count, gpus};
}

/// A model of a thousand million parameters that is no transformer.
ModelSpec plain() {
  ModelSpec m;
  m.parameters = 1e9;
  m.forward_gflops = 1;
  return m;
}

/// Four layers of 10 x 10, whose micro-batches are 100 tokens.
ModelSpec small() {
  ModelSpec m;
  m.layers = 4;
  m.hidden = 10;
  m.heads = 2;
  m.ffn_hidden = 40;
  m.vocab = 50;
  m.sequence = 100;
  return m;
}

ParallelPlan plan(std::uint32_t dp, double micro_batches = 1) {
  ParallelPlan p;
  p.dp = dp;
  p.global_batch = dp * micro_batches;
  return p;
}

Traffic of(const ModelSpec& m, const ParallelPlan& p, const std::vector<Slice>& where,
           const char* mapping = "tp_innermost") {
  static const Fleet all = fleet();
  return step_traffic(all, where, m, p, *MappingRegistry::all().at(mapping).make());
}

void check(const Traffic& t, double nodes, double leaves, double pods) {
  CHECK(t.nodes == Approx(nodes));
  CHECK(t.leaves == Approx(leaves));
  CHECK(t.pods == Approx(pods));
}

}  // namespace

TEST_CASE("gradients that are all-reduced go up a tree and down again") {
  // 4e9 bytes of gradients; 2 (D - 1) of them between D domains.
  check(of(plain(), plan(2), {on(0, 1)}), 0, 0, 0);                // one node
  check(of(plain(), plan(4), {on(0, 2)}), 8e9, 0, 0);              // two nodes of a leaf
  check(of(plain(), plan(4), {on(1, 2)}), 8e9, 8e9, 0);            // of two leaves
  check(of(plain(), plan(16), {on(0, 8)}), 56e9, 24e9, 8e9);       // 8 nodes, 4 leaves, 2 pods
  check(of(plain(), plan(16, 5), {on(0, 8)}), 56e9, 24e9, 8e9);    // once per step
  check(of(plain(), plan(8), {on(0, 8, 0b01)}), 56e9, 24e9, 8e9);  // one GPU of each
}

TEST_CASE("what ZeRO scatters and gathers goes round a ring") {
  ParallelPlan p = plan(16, 5);
  p.zero =
      1;  // 4e9 bytes of gradients scattered, 2e9 of weights gathered: 15/16 of them over D links
  check(of(plain(), p, {on(0, 8)}), 8 * 15.0 / 16 * 6e9, 4 * 15.0 / 16 * 6e9, 2 * 15.0 / 16 * 6e9);
  p.zero = 3;  // the weights twice, and all of it for each of five micro-batches
  check(of(plain(), p, {on(0, 8)}), 8 * 15.0 / 16 * 40e9, 4 * 15.0 / 16 * 40e9,
        2 * 15.0 / 16 * 40e9);
}

TEST_CASE("tensor parallel ranks in two nodes send activations, pipeline stages their borders") {
  const ModelSpec m = small();
  const double gradients = 4 * count_parameters(m).dense;
  SECTION("tensor") {
    ParallelPlan p = plan(1, 3);
    p.tp = 4;
    // 4 all-reduces in each of 4 layers and 3 micro-batches, of 2 x 100 x 10 bytes, between two nodes of two leaves.
    check(of(m, p, {on(1, 2)}), 48 * 2 * 2000, 48 * 2 * 2000, 0);
    p.recompute = Recompute::full;  // 6 of them
    check(of(m, p, {on(1, 2)}), 72 * 2 * 2000, 72 * 2 * 2000, 0);
    p.recompute = Recompute::none;
    p.sequence_parallel =
        true;  // each a scatter and a gather, 3/4 of the bytes over two links of a ring
    check(of(m, p, {on(1, 2)}), 48 * 2 * 2 * 0.75 * 2000, 48 * 2 * 2 * 0.75 * 2000, 0);
  }
  SECTION("tensor inside of nodes, replicas across") {
    ParallelPlan p = plan(2);
    p.tp = 2;  // each rank has half of the gradients; two pairs of replicas
    check(of(m, p, {on(0, 2)}), 2 * gradients, 0, 0);
    // The other way round: replicas side by side, 16 all-reduces of activations of each replica between nodes.
    check(of(m, p, {on(0, 2)}, "dp_innermost"), 2 * 16 * 2 * 2000, 0, 0);
  }
  SECTION("stages") {
    ParallelPlan p = plan(2, 3);
    p.pp = 2;  // two replicas: 2000 bytes forward and back for three micro-batches each
    // tp, cp, dp, pp from the inside: a stage to a node.
    check(of(m, p, {on(1, 2)}), 2 * 3 * 2 * 2000, 2 * 3 * 2 * 2000, 0);
    p.virtual_stages = 2;  // twice as often
    check(of(m, p, {on(1, 2)}), 2 * 3 * 4 * 2000, 2 * 3 * 4 * 2000, 0);
  }
  SECTION("context") {
    ParallelPlan p = plan(1);
    p.cp = 4;  // keys and values of 100 tokens, 2 x 2 x 10 bytes each, gathered 3 times in 4 layers
    // and the gradients of what all four ranks have.
    const double kept = 3 * 4 * 2 * 0.75 * 4000;
    check(of(m, p, {on(0, 2)}), kept + 2 * gradients, 0, 0);
  }
}

TEST_CASE("muster cost step says it of one step") {
  CostQuestion question;
  question.kind = "step";
  question.values = {
      {"fleet", "4x8:h100/2"}, {"placement", "4x8"}, {"model", "resnet50"}, {"plan", ""}};
  question.where = [](std::string_view name) { return std::string{name}; };
  std::map<std::string, std::string> answer;
  for (const auto& [name, value] : CostDesk{}.answer(question).values) answer[name] = value;
  const double gradients = 4 * load_model("resnet50").parameters * 1e-9;
  CHECK(std::stod(answer.at("node_gbytes")) == Approx(6 * gradients).epsilon(1e-4));
  CHECK(std::stod(answer.at("leaf_gbytes")) == Approx(2 * gradients).epsilon(1e-4));
  CHECK(std::stod(answer.at("pod_gbytes")) == 0);
}

TEST_CASE("tokens go to the experts of other nodes") {
  ModelSpec m = small();
  m.experts = 8;
  m.active_experts = 2;
  ParallelPlan p = plan(4);
  p.ep = 4;
  // Each rank sends 2 x 100 x 10 x 2 bytes to all four, half of them in the other node: 4 times in 4 layers;
  // replicas of what is no expert all-reduce its gradients. Experts have no replicas.
  const double tokens = 4 * 4 * 4 * 0.5 * 4000;
  check(of(m, p, {on(0, 2)}), tokens + 2 * 4 * count_parameters(m).dense, 0, 0);
}
