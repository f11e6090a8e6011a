// Gavel's measured throughputs of 2 to 8 GPUs on one node, and of one GPU on each of as many nodes
// (simulation_throughputs.json): which is the faster, and who could know.
//
//   MUSTER_TRACES=... build/release/tests/test_validation "[gavel]"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "support/peers.hpp"
#include "validation/published.hpp"

using namespace muster;
using namespace muster::test;

namespace {

struct Pair {
  std::string type, model, batch;
  int gpus = 0;
  double together = 0, apart = 0;  // steps per second
  bool one_node_faster() const { return together > apart; }
  bool differ() const { return std::fabs(std::log(together / apart)) > PlacementOrder::kNoise; }
};

/// "('ResNet-18 (batch size 16)', 4)"
Pair named(const std::string& type, const std::string& key) {
  const std::size_t comma = key.rfind("', "), batch = key.find(" (");
  Pair pair{type, key.substr(2, std::min(batch, comma) - 2), "", std::stoi(key.substr(comma + 3))};
  if (batch < comma) pair.batch = key.substr(batch, comma - batch);
  return pair;
}

/// Those that differ by more than 5 %; none if the file is not there.
std::vector<Pair> pairs() {
  const auto file = traces() / "gavel_msr/simulation_throughputs.json.zst";
  if (!present(file)) return {};
  std::string text;
  const auto bytes = open_bytes(file);
  std::array<char, 65536> room{};
  while (const std::size_t n = bytes->read(room)) text.append(room.data(), n);
  const nlohmann::json all = nlohmann::json::parse(text);
  std::vector<Pair> out;
  for (const char* type : {"k80", "p100", "v100"}) {
    const nlohmann::json& spread = all[std::string{type} + "_unconsolidated"];
    for (const auto& [key, rates] : all[type].items()) {
      Pair pair = named(type, key);
      if (pair.gpus < 2 || !spread.contains(key)) continue;
      pair.together = rates["null"].get<double>();
      pair.apart = spread[key]["null"].get<double>();
      if (pair.together > 0 && pair.apart > 0 && pair.differ()) out.push_back(pair);
    }
  }
  return out;
}

using Knows = std::function<std::string(const Pair&)>;

/// Whoever knows so much of a pair, and all results, says of all alike what most of them are.
int right_at_best(const std::vector<Pair>& all, const Knows& knows) {
  std::map<std::string, std::pair<int, int>> votes;  // one node, several
  for (const Pair& p : all)
    ++(p.one_node_faster() ? votes[knows(p)].first : votes[knows(p)].second);
  int right = 0;
  for (const auto& [what, v] : votes) right += std::max(v.first, v.second);
  return right;
}

/// The same, but of each pair it has seen only what is alike and of another batch size; where that says
/// nothing, one node.
int right_left_out(const std::vector<Pair>& all, const Knows& knows) {
  int right = 0;
  for (const Pair& p : all) {
    int vote = 0;
    for (const Pair& q : all)
      if (knows(q) == knows(p) && q.batch != p.batch) vote += q.one_node_faster() ? 1 : -1;
    right += (vote >= 0) == p.one_node_faster();
  }
  return right;
}

const std::vector<std::pair<const char*, Knows>>& informed() {
  static const std::vector<std::pair<const char*, Knows>> all{
      {"nothing: one node, as the cost model", [](const Pair&) { return std::string{}; }},
      {"the type of GPU", [](const Pair& p) { return p.type; }},
      {"type and number of GPUs", [](const Pair& p) { return p.type + std::to_string(p.gpus); }},
      {"type and model", [](const Pair& p) { return p.type + p.model; }},
      {"type, model and number of GPUs",
       [](const Pair& p) { return p.type + p.model + std::to_string(p.gpus); }},
      {"type, model and batch size", [](const Pair& p) { return p.type + p.model + p.batch; }}};
  return all;
}

}  // namespace

TEST_CASE("Gavel's placements, and who could put them in order", "[.][tables][gavel]") {
  const std::vector<Pair> all = pairs();
  if (all.empty()) return;
  fmt::print("{:<8} {:<14} {:>6} {:>16} {:>24}\n", "type", "model", "pairs", "one node faster",
             "one node / apart");
  std::map<std::pair<std::string, std::string>, std::vector<const Pair*>> lines;
  for (const Pair& p : all) {
    lines[{p.type, p.model}].push_back(&p);
    lines[{p.type, "~ all"}].push_back(&p);
  }
  for (const auto& [name, of] : lines) {
    int faster = 0;
    double least = 1e9, most = 0;
    for (const Pair* p : of) {
      faster += p->one_node_faster();
      least = std::min(least, p->together / p->apart);
      most = std::max(most, p->together / p->apart);
    }
    fmt::print("{:<8} {:<14} {:>6} {:>16} {:>13.2f} to {:.2f}\n", name.first, name.second,
               of.size(), faster, least, most);
  }
  fmt::print("\n{:<40} {:>10} {:>24}\n", "in order for whoever knows", "at best",
             "from other batch sizes");
  for (const auto& [what, knows] : informed())
    fmt::print("{:<40} {:>9.0f}% {:>23.0f}%\n", what,
               100.0 * right_at_best(all, knows) / static_cast<double>(all.size()),
               100.0 * right_left_out(all, knows) / static_cast<double>(all.size()));
}

TEST_CASE("Gavel's placements: who knows type and model puts fewer than 95 % of them in order") {
  const std::vector<Pair> all = pairs();
  if (all.empty()) return;
  CHECK(all.size() == 149);
  const auto& knows = informed();
  CHECK(right_at_best(all, knows[0].second) == 118);
  CHECK(right_at_best(all, knows[1].second) == 121);
  CHECK(right_at_best(all, knows[3].second) == 139);
  CHECK(right_at_best(all, knows[4].second) == 139);
  CHECK(right_at_best(all, knows[5].second) == 146);
  CHECK(right_left_out(all, knows[3].second) == 139);
}
