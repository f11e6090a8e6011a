// placement_slowdowns.json: the same training on different placements. What the model is asked is the
// order: of two placements with as many GPUs, which is the slower.

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "muster/cost/collective.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/fleet.hpp"
#include "validation/published.hpp"

namespace muster::test {
namespace {

using nlohmann::json;

/// What differs between placements of data-parallel training is the all-reduce of its gradients, in
/// megabytes: parameters of the models in 32 bits.
const std::map<std::string, double>& gradient_mbytes() {
  static const std::map<std::string, double> all{
      {"bert", 1340},       {"gpt2", 6240},    {"roberta", 1420},   {"vit", 344},
      {"t5", 3080},         {"llama7", 27000}, {"llama30", 130000}, {"cifar10", 45},
      {"deepspeech2", 160}, {"imagenet", 102}, {"ncf", 125},        {"yolov3", 248}};
  return all;
}

std::string placement_of(const json& row) {
  std::string text;
  for (const json& gpus : row["placement"])
    text += (text.empty() ? "" : "+") + std::to_string(gpus.get<int>());
  return text;
}

std::string group_of(const json& row) {
  std::string plan = row.contains("exec_plan") ? row["exec_plan"].get<std::string>() : "ddp";
  if (row.contains("local_bsz")) plan += " batch " + row["local_bsz"].dump();
  return plan + " on " + row["gpus"].dump();
}

}  // namespace

std::vector<PlacementOrder> published_orders(const Calibration& calibration) {
  std::ifstream in(MUSTER_SOURCE_DIR "/tests/validation/data/placement_slowdowns.json");
  REQUIRE(in);
  const json all = json::parse(in);
  const Fleet a800 = load_fleet("8x8:a800");
  const Fleet t4 = parse_fleet(
      R"({"name": "t4", "wiring": {"nics": 1, "nic_gbytes_per_s": 1.25},
          "groups": [{"count": 16, "gpus": 4, "gpu_type": "t4"}]})",
      "t4");
  const CostMap on_a800(a800, calibration), on_t4(t4, calibration);
  std::vector<PlacementOrder> out;
  for (const json& entry : all["entries"]) {
    if (entry["kind"] != "step_time_by_placement") continue;
    const auto size = gradient_mbytes().find(entry["model"].get<std::string>());
    if (size == gradient_mbytes().end()) continue;
    const CostMap& map = entry["gpu"] == "T4" ? on_t4 : on_a800;
    struct Point {
      double measured = 0, predicted = 0;
      int rows = 0;
    };
    std::map<std::string, std::map<std::string, Point>> groups;
    for (const json& row : entry["rows"]) {
      const std::string placement = placement_of(row);
      Point& point = groups[group_of(row)][placement];
      point.measured += row["iter_s"].get<double>();
      ++point.rows;
      const GpuGroup group = map.group(parse_placement(map.fleet(), placement, "placement"));
      point.predicted =
          collective_time(calibration, group, Collective::all_reduce, size->second * 1e6).us();
    }
    PlacementOrder order;
    order.series = entry["id"];
    for (const auto& [name, points] : groups)
      for (auto a = points.begin(); a != points.end(); ++a)
        for (auto b = std::next(a); b != points.end(); ++b) {
          const double left = a->second.measured / a->second.rows;
          const double right = b->second.measured / b->second.rows;
          if (std::fabs(std::log(left / right)) < PlacementOrder::kNoise) continue;
          ++order.pairs;
          order.right += (left < right) == (a->second.predicted < b->second.predicted) ? 1 : 0;
        }
    out.push_back(order);
  }
  return out;
}

}  // namespace muster::test
