// How far the published placements agree with themselves: no prediction can be nearer to them than that.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "validation/published.hpp"

using namespace muster;
using namespace muster::test;

namespace {

using nlohmann::json;
using Placement = std::vector<int>;

struct Row {
  std::string model, run;  // the plan and the batch
  Placement placement;     // as written
  double seconds = 0;
};

std::vector<Row> rows_of(const std::string& source) {
  std::ifstream in(MUSTER_SOURCE_DIR "/tests/validation/data/placement_slowdowns.json");
  REQUIRE(in);
  const json all = json::parse(in);
  std::vector<Row> out;
  for (const json& entry : all["entries"]) {
    if (entry["kind"] != "step_time_by_placement" ||
        !entry["id"].get<std::string>().starts_with(source))
      continue;
    for (const json& row : entry["rows"])
      out.push_back({entry["model"].get<std::string>(),
                     row.value("exec_plan", std::string{}) + row.value("local_bsz", json{}).dump(),
                     row["placement"].get<Placement>(), row["iter_s"].get<double>()});
  }
  return out;
}

bool differ(double a, double b) { return std::fabs(std::log(a / b)) > PlacementOrder::kNoise; }

Placement sorted(Placement p) {
  std::sort(p.begin(), p.end());
  return p;
}

int gpus(const Placement& p) {
  int sum = 0;
  for (const int g : p) sum += g;
  return sum;
}

using Times = std::map<Placement, double>;  // means over rows, whatever the order of the nodes

std::map<std::pair<std::string, std::string>, Times> by_run(const std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, std::map<Placement, std::vector<double>>> all;
  for (const Row& row : rows)
    all[{row.model, row.run}][sorted(row.placement)].push_back(row.seconds);
  std::map<std::pair<std::string, std::string>, Times> out;
  for (const auto& [run, placements] : all)
    for (const auto& [placement, times] : placements) {
      double sum = 0;
      for (const double t : times) sum += t;
      out[run][placement] = sum / static_cast<double>(times.size());
    }
  return out;
}

/// Of each placement, how much longer it takes than others of as many GPUs, by the geometric mean of the
/// same model's other runs.
std::map<Placement, double> table_of_others(
    const std::map<std::pair<std::string, std::string>, Times>& all,
    const std::pair<std::string, std::string>& run) {
  std::map<Placement, std::pair<double, int>> sums;
  for (const auto& [other, times] : all) {
    if (other == run || other.first != run.first) continue;
    std::map<int, std::pair<double, int>> by_size;
    for (const auto& [placement, t] : times) {
      by_size[gpus(placement)].first += std::log(t);
      ++by_size[gpus(placement)].second;
    }
    for (const auto& [placement, t] : times) {
      const auto& [sum, count] = by_size[gpus(placement)];
      if (count == 1) continue;
      sums[placement].first += std::log(t) - sum / count;
      ++sums[placement].second;
    }
  }
  std::map<Placement, double> out;
  for (const auto& [placement, sum] : sums) out[placement] = sum.first / sum.second;
  return out;
}

/// Pairs that such a table puts in order, by model.
std::map<std::string, PlacementOrder> by_tables(const std::vector<Row>& rows) {
  const auto all = by_run(rows);
  std::map<std::string, PlacementOrder> out;
  for (const auto& [run, times] : all) {
    const auto table = table_of_others(all, run);
    for (auto a = times.begin(); a != times.end(); ++a)
      for (auto b = std::next(a); b != times.end(); ++b) {
        if (gpus(a->first) != gpus(b->first) || !differ(a->second, b->second)) continue;
        const auto x = table.find(a->first), y = table.find(b->first);
        if (x == table.end() || y == table.end()) continue;
        ++out[run.first].pairs;
        out[run.first].right += (x->second < y->second) == (a->second < b->second) ? 1 : 0;
      }
  }
  return out;
}

}  // namespace

TEST_CASE("Pollux: the same placement with its nodes in another order differs by more than 5 %") {
  std::map<std::tuple<std::string, std::string, Placement>, std::vector<Row>> same;
  for (const Row& row : rows_of("pollux"))
    same[{row.model, row.run, sorted(row.placement)}].push_back(row);
  int pairs = 0, apart = 0;
  for (const auto& [key, rows] : same)
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        ++pairs;
        apart += differ(rows[i].seconds, rows[k].seconds) ? 1 : 0;
      }
  CHECK(pairs == 1097);
  CHECK(apart > 450);
}

TEST_CASE("published placements put in order by the same model's other batch sizes and plans") {
  // Whoever had measured everything but this run would get no further.
  auto pollux = by_tables(rows_of("pollux"));
  for (const char* model : {"cifar10", "deepspeech2", "imagenet", "ncf"})
    CHECK(pollux[model].share() < 0.80);
  for (const char* model : {"bert", "yolov3"}) CHECK(pollux[model].share() < 0.92);
  auto morphling = by_tables(rows_of("morphling"));
  CHECK(morphling["bert"].share() < 0.94);
  CHECK(morphling["t5"].share() < 0.94);
  CHECK(morphling["roberta"].share() < 0.89);
  CHECK(morphling["vit"].share() < 0.88);
  CHECK(morphling["gpt2"].share() > 0.98);
}
