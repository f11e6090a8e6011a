#include "muster/io/preflight.hpp"

#include <nlohmann/json.hpp>

#include "muster/core/int128.hpp"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

/// Whole seconds as a number; others as text, which is exact whoever reads it.
Json seconds_value(SimTime t) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t ns = t.time_since_epoch().count();
  if (ns % kSecond == 0) return ns / kSecond;
  return to_decimal(ns, 9);
}

Json gpus_value(std::int64_t milli) {
  if (milli % 1000 == 0) return milli / 1000;
  return static_cast<double>(milli) / 1000;
}

Json notes(const std::vector<TraceReport::Note>& list) {
  Json all = Json::array();
  for (const TraceReport::Note& note : list)
    all.push_back({{"code", note.code},
                   {"count", note.count},
                   {"meaning", note.meaning},
                   {"lines", note.lines},
                   {"jobs", note.jobs}});
  return all;
}

Json offered(const Load& load) {
  return {{"jobs", load.jobs},
          {"capacity", gpus_value(load.capacity_milli)},
          {"window", Json::array({seconds_value(load.from), seconds_value(load.to)})},
          {"ratio", load.ratio()}};
}

Json above(const Load& load) {
  return {{"from", seconds_value(load.above->from)},
          {"to", seconds_value(load.above->to)},
          {"peak", gpus_value(load.above->peak_milli)},
          {"capacity", gpus_value(load.capacity_milli)},
          {"windows", load.above->windows},
          {"in_all_s", seconds_value(kStart + load.above->in_all)}};
}

/// The name of a pool as a key: fleets need not name their types.
std::string key(const Load& load) { return load.gpu_type.empty() ? "any" : load.gpu_type; }

void put_fleet(Json& json, const Preflight& found) {
  const Loads& loads = found.loads;
  Json per_type = Json::object();
  Json use = Json::object();
  Json warnings = Json::array();
  for (const Load& pool : loads.pools) {
    per_type[key(pool)] = offered(pool);
    if (pool.above) use[key(pool)] = above(pool);
  }
  for (const Load& load : loads.above_1())
    warnings.push_back({{"code", "offered_load_above_1"}, {"count", 1}, {"gpu_type", key(load)}});
  for (const std::string& warning : found.warnings)
    warnings.push_back(
        {{"code", warning.substr(0, warning.find(':'))}, {"count", 1}, {"text", warning}});
  json["fleet"] = {{"name", found.fleet}, {"gpus", gpus_value(loads.fleet.capacity_milli)}};
  json["offered_load"] = std::move(per_type);
  json["offered_load_in_all"] = offered(loads.fleet);
  json["recorded_use_above_capacity"] = std::move(use);
  json["use_is_recorded"] = loads.recorded;
  json["flexible_jobs"] = loads.flexible;
  json["widest_job"] = {
      {"job", found.widest}, {"asks_for", found.widest_asks}, {"fits", loads.widest_fits}};
  json["impossible_jobs"] = {{"count", loads.impossible}, {"first", found.impossible}};
  json["warnings"] = std::move(warnings);
}

}  // namespace

Preflight preflight(const Workload& workload, const Fleet* fleet, TraceReport report,
                    const Cutting& cutting) {
  Preflight found;
  found.report = std::move(report);
  if (!fleet) return found;
  const IdVector<ShapeId, Demand> demands = resolve_all(workload, *fleet, cutting);
  found.fleet = fleet->name;
  found.loads = loads(workload, *fleet, demands);
  for (const JobId j : found.loads.impossible_first)
    found.impossible.emplace_back(workload.id_text(j));
  if (const JobId widest = found.loads.widest; widest != kNoJob) {
    found.widest = workload.id_text(widest);
    found.widest_asks = describe(demands[workload.shape[widest]]);
  }
  return found;
}

std::string preflight_json(const Preflight& found) {
  const TraceReport& report = found.report;
  Json json{{"schema", "muster.check/1"}};
  json["trace"] = {{"source", report.source},
                   {"format", report.format},
                   {"rows", report.rows},
                   {"replayed", report.replayed},
                   {"skipped", notes(report.skipped)},
                   {"rejected", notes(report.rejected)},
                   {"errors", report.errors},
                   {"warnings", notes(report.warnings)}};
  if (!found.fleet.empty()) put_fleet(json, found);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace muster
