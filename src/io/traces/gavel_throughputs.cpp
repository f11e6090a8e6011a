#include "io/traces/gavel_throughputs.hpp"

#include <utility>

#include "io/text/json_stream.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/cell.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

/// "('ResNet-18 (batch size 16)', 1)", a Python tuple printed as text. False if it is none.
bool read_key(std::string_view key, std::pair<std::string, std::uint32_t>& out) {
  const std::size_t comma = key.rfind("', ");
  if (!key.starts_with("('") || !key.ends_with(")") || comma == std::string_view::npos || comma < 2)
    return false;
  const auto gpus = parse_integer(key.substr(comma + 3, key.size() - comma - 4));
  if (!gpus || *gpus < 1 || *gpus > 1'000'000) return false;
  out = {std::string{key.substr(2, comma - 2)}, static_cast<std::uint32_t>(*gpus)};
  return true;
}

}  // namespace

GavelThroughputs::GavelThroughputs(std::unique_ptr<ByteSource> json, const std::string& worker)
    : worker_(worker) {
  LineReader lines(std::move(json));
  JsonBytes bytes(lines);
  nlohmann::json all;
  try {
    all = nlohmann::json::parse(bytes.begin(), JsonBytes::end());
  } catch (const nlohmann::json::exception& error) {
    refuse_json(bytes, error);
  }
  if (!all.is_object() || !all.contains(worker) || !all[worker].is_object())
    throw InputError(lines.name() + ": /" + worker, "there are no throughputs for this type of GPU",
                     "--reader-option worker=TYPE names another: k80, p100, v100");
  for (const auto& [type, kinds] : all.items())
    if (kinds.is_object() && !type.ends_with("_unconsolidated"))
      rates_[type] = read_kinds(kinds, lines.name() + ": /" + type);
}

GavelThroughputs::Kinds GavelThroughputs::read_kinds(const nlohmann::json& worker,
                                                     const std::string& where) {
  Kinds kinds;
  for (const auto& [key, value] : worker.items()) {
    std::pair<std::string, std::uint32_t> kind;
    if (!read_key(key, kind) || !value.is_object() || !value.contains("null") ||
        !value["null"].is_number() || !(value["null"].get<double>() >= 0))
      throw InputError(
          where, "expected \"('TYPE', GPUS)\": {\"null\": STEPS_PER_S}, got key " + in_quotes(key));
    kinds[std::move(kind)] = value["null"].get<double>();
  }
  return kinds;
}

GavelThroughputs::Rate GavelThroughputs::rate(const std::string& type, std::uint32_t gpus) const {
  const Kinds& kinds = rates_.at(worker_);
  auto at = kinds.upper_bound({type, gpus});
  if (at == kinds.begin()) return {};
  --at;
  if (at->first.first != type) return {};
  return {at->second, at->first.second};
}

void GavelThroughputs::hand_over(WorkloadBuilder& jobs) const {
  for (const auto& [type, kinds] : rates_)
    for (const auto& [kind, steps_per_s] : kinds)
      jobs.throughput(kind.first, type, kind.second, steps_per_s);
  jobs.reference_type(worker_);
}

}  // namespace muster
