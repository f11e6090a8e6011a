// placement_slowdowns.json: the same training on different placements. What the model is asked is the
// order: of two placements with as many GPUs, which is the slower.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

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

struct Point {
  double measured = 0, predicted = 0;
  int rows = 0;
  std::vector<int> shape;  // of the placement, whatever the order of its nodes
  double seconds() const { return measured / rows; }
};
using Group = std::vector<Point>;  // with as many GPUs, batch and plan

double apart(const Point& a, const Point& b) {
  return std::fabs(std::log(a.seconds() / b.seconds()));
}

std::vector<Group> groups_of(const json& entry, const CostMap& map, const Calibration& calibration,
                             double mbytes) {
  std::map<std::string, std::map<std::string, Point>> groups;
  for (const json& row : entry["rows"]) {
    const std::string placement = placement_of(row);
    Point& point = groups[group_of(row)][placement];
    point.measured += row["iter_s"].get<double>();
    ++point.rows;
    point.shape = row["placement"].get<std::vector<int>>();
    std::sort(point.shape.begin(), point.shape.end());
    const GpuGroup group = map.group(parse_placement(map.fleet(), placement, "placement"));
    point.predicted =
        collective_time(calibration, group, Collective::all_reduce, mbytes * 1e6).us();
  }
  std::vector<Group> out;
  for (const auto& [name, points] : groups) {
    Group& group = out.emplace_back();
    for (const auto& [placement, point] : points) group.push_back(point);
  }
  return out;
}

template <class Visit>
void each_pair(const std::vector<Group>& groups, Visit visit) {
  for (const Group& group : groups)
    for (std::size_t a = 0; a < group.size(); ++a)
      for (std::size_t b = a + 1; b < group.size(); ++b) visit(group, group[a], group[b]);
}

PlacementOrder count(const std::vector<Group>& groups, double noise) {
  PlacementOrder order;
  struct Shapes {
    int shorter = 0, longer = 0;  // how often the first of two shapes was
  };
  std::map<std::tuple<const Group*, std::vector<int>, std::vector<int>>, Shapes> by_shape;
  each_pair(groups, [&](const Group& group, const Point& a, const Point& b) {
    if (apart(a, b) < noise) return;
    ++order.pairs;
    const bool shorter = a.seconds() < b.seconds();
    if (a.predicted == b.predicted)
      ++order.alike;
    else if (shorter == (a.predicted < b.predicted))
      ++order.right;
    if (a.shape < b.shape)
      ++(shorter ? by_shape[{&group, a.shape, b.shape}].shorter
                 : by_shape[{&group, a.shape, b.shape}].longer);
    else if (b.shape < a.shape)
      ++(shorter ? by_shape[{&group, b.shape, a.shape}].longer
                 : by_shape[{&group, b.shape, a.shape}].shorter);
  });
  for (const auto& [shapes, n] : by_shape) order.at_best += std::max(n.shorter, n.longer);
  return order;
}

/// What 95 % of the same placements with their nodes in another order differ by at most; 0 if there are none.
double spread_of(const std::vector<Group>& groups) {
  std::vector<double> same;
  each_pair(groups, [&](const Group&, const Point& a, const Point& b) {
    if (a.shape == b.shape) same.push_back(apart(a, b));
  });
  std::sort(same.begin(), same.end());
  return same.empty() ? 0 : same[same.size() * 95 / 100];
}

}  // namespace

std::vector<PlacementSeries> published_orders(const Calibration& calibration) {
  std::ifstream in(MUSTER_SOURCE_DIR "/tests/validation/data/placement_slowdowns.json");
  REQUIRE(in);
  const json all = json::parse(in);
  const Fleet a800 = load_fleet("8x8:a800");
  const Fleet t4 = parse_fleet(
      R"({"name": "t4", "wiring": {"nics": 1, "nic_gbytes_per_s": 1.25},
          "groups": [{"count": 16, "gpus": 4, "gpu_type": "t4"}]})",
      "t4");
  const CostMap on_a800(a800, calibration), on_t4(t4, calibration);
  std::vector<PlacementSeries> out;
  for (const json& entry : all["entries"]) {
    if (entry["kind"] != "step_time_by_placement") continue;
    const auto size = gradient_mbytes().find(entry["model"].get<std::string>());
    if (size == gradient_mbytes().end()) continue;
    const CostMap& map = entry["gpu"] == "T4" ? on_t4 : on_a800;
    const std::vector<Group> groups = groups_of(entry, map, calibration, size->second);
    const double spread = spread_of(groups);
    out.push_back({entry["id"], count(groups, 0), count(groups, PlacementOrder::kNoise),
                   count(groups, std::max(spread, PlacementOrder::kNoise)), spread});
  }
  return out;
}

}  // namespace muster::test
