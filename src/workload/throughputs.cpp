#include "muster/workload/throughputs.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "muster/workload/workload.hpp"

namespace muster {
namespace {

bool same(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// Whether "a100|H100" has "h100" in it; "" has all.
bool among(std::string_view types, std::string_view type) {
  if (types.empty()) return true;
  while (!types.empty()) {
    const std::size_t end = std::min(types.find('|'), types.size());
    if (same(types.substr(0, end), type)) return true;
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return false;
}

/// The fleet's types that a job may have, of those that it asks for; all = it runs on each of these.
struct Runs {
  std::string on;
  bool all = true;
};
Runs where_it_runs(const Workload& w, JobId j, const Fleet& fleet,
                   const std::vector<NameId>& types) {
  const Shape& shape = w.shapes[w.shape[j]];
  Runs runs;
  for (std::size_t p = 0; p < types.size(); ++p) {
    const std::string& type = fleet.pools[p].gpu_type;
    if (!among(w.names[shape.types], type)) continue;
    if (relative_speed(w, j, types[p]) > 0)
      runs.on += (runs.on.empty() ? "" : "|") + type;
    else
      runs.all = false;
  }
  return runs;
}

}  // namespace

Throughputs::Rate Throughputs::rate(const Key& key) const {
  auto at = rows_.upper_bound({key.model, key.type, key.gpus, UINT32_MAX});
  if (at == rows_.begin()) return {};
  --at;
  if (at->first.model != key.model || at->first.type != key.type) return {};
  at = rows_.lower_bound({key.model, key.type, at->first.gpus, 0});
  return {at->second, at->first.gpus};
}

double Throughputs::relative(const Key& key) const {
  const Rate here = rate(key);
  const Rate there = rate({key.model, reference, key.gpus});
  return here.gpus == 0 || !(there.steps_per_s > 0) ? 1 : here.steps_per_s / there.steps_per_s;
}

NameId Throughputs::type_called(std::string_view name, const Names& names) const {
  for (const auto& [key, value] : rows_)
    if (same(names[key.type], name)) return key.type;
  return NameId{};
}

namespace {

Throughputs::Key key_of(const Workload& w, JobId job, NameId type) {
  // Whole nodes are as many GPUs as they have: as on the most that are listed.
  const std::uint32_t gpus = w.shapes[w.shape[job]].gpus;
  return {Workload::at_or(w.model, job, NameId{}), type, gpus == 0 ? UINT32_MAX : gpus, 0};
}

/// A MIG profile is a type of its own, by any of its names, whatever GPU it is on.
NameId type_of(MigId mig, const Workload& w) {
  const MigProfile& profile = mig_profile(mig);
  std::string_view names = profile.aliases;
  NameId type = w.throughputs.type_called(profile.name, w.names);
  while (type == NameId{} && !names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    type = w.throughputs.type_called(names.substr(0, end), w.names);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return type;
}

}  // namespace

double relative_speed(const Workload& w, JobId job, NameId type) {
  const MigId mig = w.shapes[w.shape[job]].mig;
  return w.throughputs.relative(key_of(w, job, mig == 0 ? type : type_of(mig, w)));
}

bool speed_depends_on_type(const Workload& w, JobId job) {
  return w.throughputs.rate(key_of(w, job, w.throughputs.reference)).steps_per_s > 0;
}

void keep_to_types_that_run(Workload& w, const Fleet& fleet) {
  if (w.throughputs.empty() || w.model.empty()) return;
  std::vector<NameId> types;
  for (const Fleet::Pool& pool : fleet.pools)
    types.push_back(w.throughputs.type_called(pool.gpu_type, w.names));
  std::map<Shape, ShapeId> narrowed;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    const Runs runs = where_it_runs(w, j, fleet, types);
    if (runs.all) continue;
    Shape shape = w.shapes[w.shape[j]];
    // Nowhere: no type of the fleet is called so, and it is rejected.
    shape.types = w.names.intern(runs.on.empty() ? "none that it runs on" : runs.on);
    const auto [at, fresh] = narrowed.try_emplace(shape);
    if (fresh) at->second = w.shapes.push_back(shape);
    w.shape[j] = at->second;
  }
}

}  // namespace muster
