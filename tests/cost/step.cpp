// Steps on small placements: what must hold whatever the calibration, and sums worked out by hand.

#include "muster/cost/step.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/rounding.hpp"
#include "muster/io/calibration.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/model.hpp"
#include "muster/io/shipped.hpp"

using namespace muster;
using namespace muster::test;

namespace {

const Calibration& published() {
  static const Calibration calibration = load_calibration("published");
  return calibration;
}

struct Setting {
  std::string fleet = "8x8:a100", placement = "8x8";
  std::string model = "gpt-18.4b";
  std::string plan = "tp=8";
  std::string mapping = "tp_innermost";
};

StepTime time_of(const Setting& s, const Calibration& calibration = published(),
                 const Ablation& ablation = {}) {
  const Fleet fleet = load_fleet(s.fleet);
  const CostMap map(fleet, calibration);
  const std::vector<Slice> slices = parse_placement(fleet, s.placement, "placement");
  const ModelSpec model = load_model(s.model);
  const ParallelPlan plan = parse_plan(s.plan, model, gpus_in(slices), "plan");
  const auto mapping = MappingRegistry::all().at(s.mapping).make();
  return step_time(calibration, place(map, slices, plan, *mapping), model, plan, ablation);
}

}  // namespace

TEST_CASE("every shipped model is read, and has the parameters that were published") {
  const std::vector<std::string> names = shipped_names("models");
  CHECK(names.size() > 30);
  for (const std::string& name : names) {
    CAPTURE(name);
    const ModelSpec model = load_model(name);
    CHECK(model.name == name);
    CHECK_FALSE(model.source.empty());
    if (model.is_transformer() && model.parameters > 0)
      CHECK(count_parameters(model).all() == Approx(model.parameters).epsilon(0.05));
  }
}

TEST_CASE("shipped models keep to their schema") {
  const auto read = [](const std::string& file) {
    std::ifstream in(MUSTER_SOURCE_DIR "/configs/" + file);
    REQUIRE(in);
    return nlohmann::json::parse(in);
  };
  const nlohmann::json schema = read("schema/model.schema.json");
  for (const std::string& name : shipped_names("models")) {
    CAPTURE(name);
    const nlohmann::json model = read("models/" + name + ".json");
    for (const auto& [key, value] : model.items()) {
      CAPTURE(key);
      CHECK(schema["properties"].contains(key));
    }
    const auto& needed = schema["oneOf"][model.contains("layers") ? 0 : 1]["required"];
    for (const auto& key : needed) CHECK(model.contains(key.get<std::string>()));
  }
  // What the reader takes is what the schema lists.
  for (const auto& [key, value] : schema["properties"].items()) {
    CAPTURE(key);
    const bool other = key == "forward_gflops" || key == "efficiency";
    nlohmann::json model = read(other ? "models/resnet50.json" : "models/deepseek-v3.json");
    if (!model.contains(key))
      model[key] = value["type"] == "string"    ? nlohmann::json("x")
                   : value["type"] == "boolean" ? nlohmann::json(true)
                                                : nlohmann::json(1);
    CHECK_NOTHROW(parse_model(model.dump(), "m.json"));
  }
}

TEST_CASE("FLOPs of a step are those of Narayanan et al.") {
  const ModelSpec m = load_model("gpt-39.1b");
  // 96 B s l h^2 (1 + s/(6h) + V/(16 l h)), and 72 with V/(12 l h) without recomputation.
  const double b = 1536, s = 2048, l = 48, h = 8192, v = 51200;
  CHECK(hardware_flops(m, b, Recompute::full) ==
        Approx(96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))));
  CHECK(model_flops(m, b) == Approx(72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h))));
  CHECK(hardware_flops(m, b, Recompute::none) == model_flops(m, b));
}

TEST_CASE("what is hidden of communication") {
  CHECK(exposed(30, 100, 1) == 30);  // gamma 1: nothing
  CHECK(exposed(30, 0, 3) == 30);    // nothing to hide behind
  CHECK(exposed(0, 100, 3) == 0);
  CHECK(exposed(30, 40, 2) == Approx(10));  // sqrt(30^2 + 40^2) - 40
  CHECK(exposed(40, 30, 2) == Approx(20));
  CHECK(exposed(30, 100, 1000) == Approx(0).margin(1e-6));
  CHECK(exposed(130, 100, 1000) == Approx(30).epsilon(0.01));
}

TEST_CASE("a pipeline waits (p - 1) / v micro-batches") {
  const StepTime plain = time_of({.plan = "tp=8,pp=4,global_batch=16"});
  CHECK(plain.micro_batches == 8);
  const double stage = plain.stage_us + (plain[StepPart::tp] + plain[StepPart::pp]) / 8;
  CHECK(plain[StepPart::bubble] == Approx(3 * stage));
  const StepTime interleaved = time_of({.plan = "tp=8,pp=4,virtual=5,global_batch=16"});
  CHECK(interleaved[StepPart::bubble] < plain[StepPart::bubble] / 4);
  CHECK(interleaved[StepPart::pp] == Approx(5 * plain[StepPart::pp]));
  CHECK(time_of({.plan = "tp=8,global_batch=16"})[StepPart::bubble] == 0);
}

TEST_CASE("recomputation costs a forward pass, sequence parallelism saves memory traffic") {
  const double none = time_of({.plan = "tp=8,global_batch=64"})[StepPart::compute];
  const double full = time_of({.plan = "tp=8,global_batch=64,recompute=full"})[StepPart::compute];
  CHECK(full / none == Approx(4.0 / 3).epsilon(0.02));  // not of the embedding
  CHECK(time_of({.plan = "tp=8,global_batch=64,sequence_parallel=1"})[StepPart::compute] < none);
}

TEST_CASE("tensor parallelism across a node border runs at the border's speed") {
  const double inside = time_of({.plan = "tp=8,dp=8,global_batch=64"}).total_us();
  const double across = time_of({.plan = "tp=16,dp=4,global_batch=64"}).total_us();
  CHECK(across > 1.1 * inside);
}

TEST_CASE("a mapping decides which communication leaves the node") {
  const std::string plan = "tp=2,pp=4,dp=8,global_batch=64";
  const StepTime megatron = time_of({.plan = plan});
  const StepTime stages_inside = time_of({.plan = plan, .mapping = "pp_innermost"});
  const StepTime replicas_inside = time_of({.plan = plan, .mapping = "dp_innermost"});
  CHECK(stages_inside[StepPart::pp] < megatron[StepPart::pp]);
  CHECK(stages_inside[StepPart::dp] > megatron[StepPart::dp]);
  CHECK(replicas_inside[StepPart::dp] < megatron[StepPart::dp]);
  CHECK(replicas_inside[StepPart::tp] > megatron[StepPart::tp]);
  CHECK(megatron[StepPart::compute] == stages_inside[StepPart::compute]);
}

TEST_CASE("ZeRO: what is sent and what is kept") {
  const auto with_zero = [](const char* zero) {
    return time_of(
        {.model = "gpt-1.7b", .plan = std::string{"dp=64,global_batch=64,zero="} + zero});
  };
  const StepTime none = with_zero("0"), one = with_zero("1"), three = with_zero("3");
  CHECK(one[StepPart::optimiser] == Approx(none[StepPart::optimiser] / 64));
  const auto dp = static_cast<std::size_t>(Axis::dp);
  CHECK(three.communication_us[dp] > one.communication_us[dp]);
}

TEST_CASE("experts: tokens travel, and only a part of the weights is in each replica") {
  const Setting eight{.fleet = "8x8:h100", .model = "mixtral-8x7b", .plan = "ep=8,global_batch=64"};
  Setting one = eight;
  one.plan = "ep=1,global_batch=64";
  CHECK(time_of(one)[StepPart::ep] == 0);
  CHECK(time_of(eight)[StepPart::ep] > 0);
  // Each GPU keeps an eighth of the experts' weights. Their gradients go over one rail instead of
  // eight, so that sending them takes about as long.
  CHECK(time_of(eight)[StepPart::optimiser] < time_of(one)[StepPart::optimiser] / 3);
  CHECK(time_of({.fleet = "8x8:h100",
                 .model = "llama3-8b",
                 .plan = "cp=8,global_batch=64"})[StepPart::cp] > 0);
}

TEST_CASE("leaving overlap out changes only what overlap hides") {
  const Setting s{.plan = "tp=8,pp=2,global_batch=32"};
  const StepTime with = time_of(s), without = time_of(s, published(), {.overlap = false});
  for (std::size_t i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    CAPTURE(name(part));
    if (part == StepPart::dp)
      CHECK(without[part] == Approx(with.communication_us[static_cast<std::size_t>(Axis::dp)]));
    else
      CHECK(without[part] == with[part]);
  }
  CHECK(without[StepPart::dp] > with[StepPart::dp]);
}

TEST_CASE("another calibration changes only the terms whose numbers differ") {
  Calibration other = published();
  other.network.hop_us *= 10;
  const Setting s{.plan = "tp=8,dp=8,global_batch=64"};
  const StepTime before = time_of(s), after = time_of(s, other);
  CHECK(after[StepPart::dp] > before[StepPart::dp]);
  CHECK(after[StepPart::compute] == before[StepPart::compute]);
  CHECK(after[StepPart::tp] == before[StepPart::tp]);
  other = published();
  other.step.jitter_sigma = 0.01;
  const StepTime jitter = time_of(s, other);
  // Eight nodes: 0.01 sqrt(2 ln 8) of the rest.
  CHECK(jitter[StepPart::straggler] == Approx(0.01 * 2.0393 * before.total_us()).epsilon(1e-4));
}

TEST_CASE("slow storage stalls a step, and writes checkpoints") {
  const Fleet fleet = parse_fleet(
      R"({"name": "f", "wiring": {"storage_gbytes_per_s": 0.01},
          "groups": [{"count": 2, "gpus": 8, "gpu_type": "a100"}]})",
      "fleet");
  const CostMap map(fleet, published());
  const std::vector<Slice> slices = parse_placement(fleet, "2x8", "placement");
  const ModelSpec model = load_model("resnet50");
  const ParallelPlan plan = parse_plan("micro_batch=128", model, 16, "plan");
  const auto mapping = MappingRegistry::all().at("tp_innermost").make();
  const PlacedPlan placed = place(map, slices, plan, *mapping);
  // 16 x 128 images of 110 kB through two nodes of 0.01 GB/s: 11.264 s for a step.
  CHECK(step_time(published(), placed, model, plan).total_us() == Approx(11.264e6));
  // 13 bytes of 25.6 million parameters at 0.02 GB/s.
  CHECK(checkpoint_us(published(), placed, model) == Approx(13 * 25557032 / 20e9 * 1e6 * 1e3));
}

TEST_CASE("a job reads no faster than the storage of its fabric gives in all") {
  const auto us = [](const std::string& links, const std::string& wiring) {
    const Fleet fleet = parse_fleet(R"({"groups": [{"count": 2, "gpus": 8, "gpu_type": "a100"}],
                                        "links": {)" +
                                        links + R"(}, "wiring": {)" + wiring + "}}",
                                    "fleet");
    const CostMap map(fleet, published());
    const std::vector<Slice> slices = parse_placement(fleet, "2x8", "placement");
    const ModelSpec model = load_model("resnet50");
    const ParallelPlan plan = parse_plan("micro_batch=128", model, 16, "plan");
    const auto mapping = MappingRegistry::all().at("tp_innermost").make();
    return step_time(published(), place(map, slices, plan, *mapping), model, plan).total_us();
  };
  // 16 x 128 images of 110 kB: 22.528 s at 0.01 GB/s in all, half of what the two nodes could take.
  const std::string own = R"("storage_gbytes_per_s": 0.01)";
  const std::string all = R"("storage": {"gbytes_per_s": 0.01})";
  CHECK(us(all, own) == Approx(22.528e6));
  CHECK(us(all, "") == Approx(22.528e6));  // what nodes can read is not known
  CHECK(us(R"("storage": {"gbytes_per_s": 5})", own) == Approx(11.264e6));
}

TEST_CASE("a plan that can't be says why") {
  const ModelSpec gpt = load_model("gpt-1.7b"), resnet = load_model("resnet50");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"tp", "plan: expected WORD=VALUE, got \"tp\""},
      {"tp=2,tp=4", "plan: \"tp\" can't be given twice"},
      {"micro=2", "plan: a plan has no word \"micro\""},
      {"tp=x", "plan: tp: expected a whole number from 1 to 16777216, got \"x\""},
      {"tp=3",
       "plan: tp x pp x cp x dp is 3, but the placement has 64 GPUs\n"
       "    64 is no multiple of 3"},
      {"tp=8,dp=4",
       "plan: tp x pp x cp x dp is 32, but the placement has 64 GPUs\n"
       "    leave dp out and it is what is left"},
      {"recompute=half", "plan: recompute: there is no \"half\""},
      {"pp=32,virtual=2", "plan: pp x virtual is more than the 24 layers"},
      {"ep=2", "plan: ep: model \"gpt-1.7b\" has no experts"},
      {"virtual=2", "plan: virtual: there is no pipeline (pp=1)"},
      {"zero=3,pp=2", "plan: zero=3 and a pipeline can't go together"},
      {"global_batch=65", "plan: global_batch is no multiple of dp x micro_batch, 64"},
  };
  for (const auto& [text, message] : wrong) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_plan(text, gpt, 64, "plan"), StartsWith(message));
  }
  CHECK_THROWS_WITH(parse_plan("tp=2", resnet, 64, "plan"),
                    StartsWith("plan: model \"resnet50\" is no transformer"));
}
