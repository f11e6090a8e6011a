// Faults replayed from InfiniteHBD's trace: the time that each node is down is the trace's, exactly.

#include <unistd.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/config/fault_trace.hpp"
#include "support/outages.hpp"
#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr Duration kTick = std::chrono::milliseconds{8640};  // 0.0001 days

/// How long each node is down by the trace until `end`, by counting faults that are open: without pairing
/// starts with ends.
std::map<std::string, Duration> down_by_node(const nlohmann::json& events, Duration end) {
  std::map<std::string, std::map<std::string, std::vector<std::pair<std::int64_t, int>>>> all;
  for (const auto& e : events)
    all[e["node_id"]][e["fault_type"].dump()].emplace_back(
        std::llround(e["event_time"].get<double>() * 1e4),
        e["event_type"] == "fault_start" ? 1 : -1);
  std::map<std::string, Duration> down;
  for (auto& [node, types] : all) {
    std::vector<std::pair<std::int64_t, int>> changes;
    for (auto& [type, list] : types) {
      int open = 0, least = 0;
      for (const auto& [at, change] : list) least = std::min(least, open += change);
      changes.emplace_back(0, -least);  // open before the first event
      changes.insert(changes.end(), list.begin(), list.end());
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    int open = 0;
    std::int64_t since = 0;
    for (const auto& [at, change] : changes) {
      if (open > 0) down[node] += (at - since) * kTick;
      open += change;
      since = at;
    }
    if (open > 0) down[node] += end - since * kTick;
  }
  return down;
}

/// Adds up how long each node is down.
class DownTimes final : public Observer {
 public:
  void node(const NodeRecord& r) override {
    if (r.after == Service::down) since_[r.node.value] = r.at;
    if (r.before != Service::down) return;
    down[r.node.value] += r.at - since_.at(r.node.value);
    since_.erase(r.node.value);
  }
  void close(SimTime end) {
    for (const auto& [n, since] : since_) down[n] += end - since;
  }
  std::map<std::uint32_t, Duration> down;

 private:
  std::map<std::uint32_t, SimTime> since_;
};

/// Runs until `end` with one job, and adds up both what nodes and what the book say.
std::pair<DownTimes, Int128> run_until(const Fleet& fleet, const OutagePlan& plan, Duration end) {
  const Workload w = workload({job(0s, 1, end + 1s)});
  EngineOptions options;
  options.horizon = end;
  options.outages = std::make_shared<const OutagePlan>(plan);
  const auto p = policy("fifo");
  const ShapeDemand demand{1000, ~PoolMask{0}};
  Books books(fleet, w, {&demand, 1});
  DownTimes times;
  Listeners all({&books, &times});
  const RunSummary run = simulate(fleet, w, *p, options, all);
  books.close(run);
  times.close(run.end);
  return {times, books.gpu_book().times()[static_cast<std::size_t>(GpuClass::down)]};
}

}  // namespace

TEST_CASE("down time by node is the trace's, exactly") {
  const auto file = traces() / "infinitehbd_faults/fault_trace_days_000_232.json";
  if (!present(file)) return;
  constexpr Duration kEnd = 24h * 232;
  std::ifstream in(file);
  const nlohmann::json events = nlohmann::json::parse(in);
  const Fleet fleet = Fleet::uniform(400, 8);
  OutagePlan plan;
  plan.outages = read_fault_trace(file, fleet, "test");
  const auto [times, down] = run_until(fleet, plan, kEnd);
  std::map<std::string, std::uint32_t> node_of;  // in order of appearance
  for (const auto& e : events)
    node_of.emplace(e["node_id"], static_cast<std::uint32_t>(node_of.size()));
  CHECK(node_of.size() == 181);
  Duration sum{};
  for (const auto& [name, expected] : down_by_node(events, kEnd)) {
    const auto got = times.down.find(node_of.at(name));
    INFO(name);
    CHECK((got == times.down.end() ? Duration{} : got->second) == expected);
    sum += expected;
  }
  CHECK(sum > 24h * 400);
  CHECK(down == Int128{sum.count()} * 8000);
}

TEST_CASE("starts without an end, ends without a start, faults of no length and two at once") {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("muster-faults-" + std::to_string(::getpid()) + ".json");
  const auto event = [](const char* node, double day, const char* what, const char* type) {
    return nlohmann::json{{"node_id", node},
                          {"event_time", day},
                          {"event_type", std::string{"fault_"} + what},
                          {"fault_type", {{"Class", type}}}};
  };
  std::ofstream(folder) << nlohmann::json::array(
      {event("x", 1, "end", "NIC"), event("y", 2, "start", "GPU"), event("y", 2, "end", "GPU"),
       event("z", 3, "start", "GPU"), event("z", 4, "start", "NIC"), event("z", 5, "end", "GPU"),
       event("z", 6, "end", "NIC"), event("x", 7, "start", "NIC")});
  OutagePlan plan;
  plan.outages = read_fault_trace(folder, Fleet::uniform(4, 8), "test");
  std::filesystem::remove(folder);
  REQUIRE(plan.outages.size() == 4);
  const auto [times, down] = run_until(Fleet::uniform(4, 8), plan, 240h);
  CHECK(times.down.at(0) == 24h + 72h);
  CHECK(times.down.count(1) == 0);
  CHECK(times.down.at(2) == 72h);
  CHECK(down == Int128{Duration{168h}.count()} * 8000);
}
