#include <algorithm>
#include <fstream>
#include <sstream>

#include "io/config/json_text.hpp"
#include "io/config/read_params.hpp"
#include "io/generate/spec_params.hpp"
#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/io/generate.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

constexpr std::string_view kOwner = "a trace specification";

/// A JSON value with the place where it stands.
struct Place {
  const Json& json;
  std::string file, pointer;

  std::string where() const { return pointer.empty() ? file : file + ": " + pointer; }
  Place at(const std::string& key) const {
    return {json.at(key), file, pointer + "/" + pointer_token(key)};
  }
  Place at(std::size_t i) const { return {json.at(i), file, pointer + "/" + std::to_string(i)}; }
  [[noreturn]] void refuse(std::string_view what, std::string_view advice = {}) const {
    throw InputError(where(), what, advice);
  }
  [[noreturn]] void refuse_key(const std::string& key, std::string_view what,
                               std::string_view advice = {}) const {
    throw InputError(file + ": " + pointer + "/" + key, what, advice);
  }
};

/// Reads the flat keys of an object; `nested` are the others that may stand there.
void read_flat(const Place& place, const std::string& owner, const std::vector<std::string>& nested,
               const ParamWalk& walk) {
  if (!place.json.is_object())
    place.refuse("expected an object with the parameters of " + owner + ", got " +
                 shown(place.json));
  std::vector<std::string> names = nested;
  for (const ParamInfo& param : list_params(walk)) names.push_back(param.name);
  Json flat = Json::object();
  for (const auto& [key, value] : place.json.items()) {
    if (std::find(names.begin(), names.end(), key) == names.end() &&
        std::find(nested.begin(), nested.end(), nearest(key, names)) != nested.end())
      place.refuse_key(pointer_token(key), owner + " has no such parameter",
                       did_you_mean(key, names));
    if (std::find(nested.begin(), nested.end(), key) == nested.end()) flat[key] = value;
  }
  read_params_object(flat, walk, {owner, [&](std::string_view name) {
                                    return name.empty() ? place.where()
                                                        : place.file + ": " + place.pointer + "/" +
                                                              std::string{name};
                                  }});
}

/// The items of a list that must not be empty.
std::vector<Place> items(const Place& list, std::string_view of) {
  if (!list.json.is_array() || list.json.empty())
    list.refuse("expected a list of " + std::string{of} + ", got " + shown(list.json));
  std::vector<Place> places;
  for (std::size_t i = 0; i < list.json.size(); ++i) places.push_back(list.at(i));
  return places;
}

void need_weight(const Place& list, std::int64_t sum) {
  if (sum == 0)
    list.refuse("all weights are 0, so nothing can be drawn", "give one a positive weight");
}

OutcomeWeights outcomes(const Place& place, const std::map<std::string, std::int64_t>& named) {
  static constexpr Outcome kKnown[] = {Outcome::completed, Outcome::failed,    Outcome::cancelled,
                                       Outcome::timeout,   Outcome::node_fail, Outcome::preempted,
                                       Outcome::running,   Outcome::unknown};
  static constexpr std::string_view kNames[] = {"completed", "failed",    "cancelled", "timeout",
                                                "node_fail", "preempted", "running",   "unknown"};
  OutcomeWeights weights{};
  std::int64_t sum = 0;
  for (const auto& [name, weight] : named) {
    const auto* const at = std::find(std::begin(kNames), std::end(kNames), name);
    if (at == std::end(kNames))
      place.refuse_key("outcomes/" + pointer_token(name), "there is no such outcome",
                       did_you_mean(name, {std::begin(kNames), std::end(kNames)}));
    if (weight < 0 || weight > 1'000'000'000'000)
      place.refuse_key("outcomes/" + name,
                       "expected an integer 0..1000000000000, got " + std::to_string(weight));
    weights[static_cast<std::size_t>(kKnown[at - std::begin(kNames)])] = weight;
    sum += weight;
  }
  if (!named.empty() && sum == 0)
    place.refuse_key("outcomes", "all weights are 0, so nothing can be drawn",
                     "give one a positive weight");
  return weights;
}

// ---- the parts ----

DurationLaw read_law(const Place& place) {
  SpecLaw in;
  read_flat(place, "a duration law", {}, [&](ParamVisitor& visit) { in.walk(visit); });
  DurationLaw& law = in.law;
  const bool pareto = law.law == DurationLaw::Kind::pareto;
  for (const char* key : {"least", "most"})
    if ((key[0] == 'l' ? law.least : law.most) == kUnlimited)
      place.refuse_key(key, "expected a time of at most 100 years, got \"unlimited\"");
  if (pareto && !(law.least > Duration{} && law.most > law.least))
    place.refuse("a pareto law needs least and most, 0 < least < most",
                 R"(for example "least": "1h", "most": "14d")");
  if (!pareto && !(law.median > Duration{} && law.median <= kLongest))
    place.refuse("a lognormal or constant law needs a median above 0",
                 R"(for example "median": "20min")");
  if (law.least > Duration{} && law.most != kUnknown && law.most < law.least)
    place.refuse_key("most", "is less than least");
  law.outcomes = outcomes(place, in.outcomes);
  return law;
}

/// The mixtures, and the names under which sizes refer to them.
std::vector<std::string> read_durations(const Place& place, SyntheticSpec& spec) {
  if (!place.json.is_object() || place.json.empty())
    place.refuse("expected an object of named mixtures, got " + shown(place.json),
                 R"(for example {"short": [{"median": "5min", "sigma": 1.5}]})");
  std::vector<std::string> names;
  for (const auto& [name, laws] : place.json.items()) {
    names.push_back(name);
    std::int64_t sum = 0;
    spec.durations.emplace_back();
    for (const Place& law : items(place.at(name), "laws")) {
      spec.durations.back().push_back(read_law(law));
      sum += spec.durations.back().back().weight;
    }
    need_weight(place.at(name), sum);
  }
  return names;
}

SizeClass read_size(const Place& place, const std::vector<std::string>& durations) {
  SpecSize in;
  read_flat(place, "a size", {}, [&](ParamVisitor& visit) { in.walk(visit); });
  if ((in.nodes > 0) != (in.gpus_per_node > 0) || (in.nodes > 0) == (in.gpus > 0))
    place.refuse("needs either gpus, or nodes and gpus_per_node",
                 R"({"gpus": 16} or {"nodes": 2, "gpus_per_node": 8})");
  if (in.gpu_milli < 1000 && in.gpus != 1)
    place.refuse_key("gpu_milli", "a share of a GPU needs gpus = 1",
                     R"({"gpus": 1, "gpu_milli": 500})");
  if (in.nodes > 10'000'000 / std::max<std::int64_t>(1, in.gpus_per_node))
    place.refuse_key("nodes", "more than 10000000 GPUs");
  Shape& shape = in.size.shape;
  shape.nodes = static_cast<std::uint32_t>(in.nodes);
  shape.gpus_per_node = static_cast<std::uint32_t>(in.gpus_per_node);
  shape.gpus = static_cast<std::uint32_t>(in.nodes > 0 ? in.nodes * in.gpus_per_node : in.gpus);
  shape.milli = static_cast<std::uint32_t>(in.gpu_milli);

  if (in.durations.empty() && durations.size() == 1) return in.size;
  const auto at = std::find(durations.begin(), durations.end(), in.durations);
  if (in.durations.empty()) {
    std::string list;
    for (const std::string& name : durations) list += (list.empty() ? "" : ", ") + name;
    place.refuse_key("durations", "which of the durations?", "there are: " + list);
  }
  if (at == durations.end())
    place.refuse_key("durations", "there are no durations \"" + in.durations + "\"",
                     did_you_mean(in.durations, durations));
  in.size.durations = static_cast<std::size_t>(at - durations.begin());
  return in.size;
}

void read_estimates(const Place& place, SyntheticSpec::Estimates& estimates) {
  estimates.given = 1;  // whoever describes estimates means that there are some
  read_flat(place, "the estimate model", {"round"},
            [&](ParamVisitor& visit) { walk(estimates, visit); });
  if (!place.json.contains("round")) return;
  for (const Place& limit : items(place.at("round"), "times")) {
    const auto time =
        parse_time_span(limit.json.is_string() ? limit.json.get<std::string>() : limit.json.dump());
    if (!time || *time <= Duration{})
      limit.refuse("expected a time above 0, got " + shown(limit.json), R"(for example "30min")");
    if (!estimates.round.empty() && *time <= estimates.round.back())
      limit.refuse("expected a longer time than the one before, got " + shown(limit.json));
    estimates.round.push_back(*time);
  }
}

void read_attempts(const Place& place, SyntheticSpec::Attempts& attempts) {
  read_flat(place, "the model of failed attempts", {},
            [&](ParamVisitor& visit) { walk(attempts, visit); });
  if (attempts.share <= 0 && place.json.contains("share"))
    place.refuse_key("share", "expected more than 0, got " + shown(place.json["share"]),
                     "without \"attempts\" no job has failed ones");
  if (attempts.share <= 0)
    place.refuse_key("share", "needs the share of the jobs that have failed attempts",
                     "for example \"share\": 0.1");
  for (const char* key : {"median", "most"}) {
    const Duration time = key[1] == 'e' ? attempts.median : attempts.most;
    if (time != kUnknown && (time <= Duration{} || time > kLongest))
      place.refuse_key(key, "expected a time above 0, at most 100 years", R"(for example "10min")");
  }
  if (attempts.most != kUnknown && attempts.most < attempts.median)
    place.refuse_key("most",
                     "expected no less than the median, which is " +
                         to_decimal(attempts.median.count(), 9) + " s, got " +
                         shown(place.json["most"]),
                     "a lower \"median\"; with \"sigma\": 0 all of them take that long");
}

/// What must hold between the keys of the top level.
void check_extent(const Place& place, const SyntheticSpec& spec) {
  if ((spec.jobs > 0) == (spec.span > Duration{}))
    place.refuse("needs either jobs or span", R"("jobs": 10000 or "span": "7d")");
  if (spec.span > kLongest)
    place.refuse_key("span", "expected a time of at most 100 years, got \"unlimited\"");
  if ((spec.jobs_per_hour > 0) == (spec.load > 0))
    place.refuse("needs either jobs_per_hour or load",
                 R"("jobs_per_hour": 40 or "load": 1.1, "gpus": 128)");
  if (spec.load > 0 && spec.gpus == 0)
    place.refuse_key("gpus", "a load needs the number of GPUs it is counted on", R"("gpus": 128)");
  if (spec.resolution <= Duration{} || spec.resolution > std::chrono::hours{24})
    place.refuse_key("resolution", "expected a time above 0, at most 1d");
}

}  // namespace

SyntheticSpec parse_synthetic_spec(std::string_view json, const std::string& where) {
  const Json root = parse_json(json, where);
  const Place place{root, where, ""};
  SyntheticSpec spec;
  SpecTop top{spec, {}, 1, {}};
  const std::vector<std::string> nested = {"$schema",   "arrivals", "sizes", "durations",
                                           "estimates", "attempts", "users", "priorities"};
  read_flat(place, std::string{kOwner}, nested, [&](ParamVisitor& visit) { top.walk(visit); });
  spec.seed = static_cast<std::uint64_t>(top.seed);
  spec.outcomes = outcomes(place, top.outcomes);
  check_extent(place, spec);

  if (root.contains("arrivals")) {
    read_flat(place.at("arrivals"), "the arrival process", {},
              [&](ParamVisitor& visit) { walk(spec.arrivals, visit); });
    if (spec.arrivals.burst_hold <= Duration{})
      place.at("arrivals").refuse_key("burst_hold", "expected a time above 0");
    if (spec.arrivals.batch_gap < Duration{} || spec.arrivals.batch_gap > std::chrono::hours{24})
      place.at("arrivals").refuse_key("batch_gap", "expected a time of at most 1d");
  }
  for (const char* key : {"durations", "sizes"})
    if (!root.contains(key)) place.refuse("needs " + std::string{key});
  const std::vector<std::string> durations = read_durations(place.at("durations"), spec);
  std::int64_t sum = 0;
  for (const Place& size : items(place.at("sizes"), "sizes")) {
    spec.sizes.push_back(read_size(size, durations));
    sum += spec.sizes.back().weight;
  }
  need_weight(place.at("sizes"), sum);
  if (root.contains("estimates")) read_estimates(place.at("estimates"), spec.estimates);
  if (root.contains("attempts")) read_attempts(place.at("attempts"), spec.attempts);
  if (root.contains("users"))
    read_flat(place.at("users"), "the user model", {},
              [&](ParamVisitor& visit) { walk_users(spec, visit); });
  sum = 0;
  for (const auto& [name, weight] : spec.queues) {
    if (weight < 0 || weight > 1'000'000'000)
      place.refuse_key("queues/" + pointer_token(name),
                       "expected an integer 0..1000000000, got " + std::to_string(weight));
    sum += weight;
  }
  if (!spec.queues.empty()) need_weight(place.at("queues"), sum);
  if (root.contains("priorities")) {
    sum = 0;
    for (const Place& item : items(place.at("priorities"), "priorities")) {
      SpecPriority in;
      read_flat(item, "a priority", {}, [&](ParamVisitor& visit) { in.walk(visit); });
      in.priority.priority = static_cast<std::int32_t>(in.value);
      spec.priorities.push_back(in.priority);
      sum += in.priority.weight;
    }
    need_weight(place.at("priorities"), sum);
  }
  return spec;
}

SyntheticSpec read_synthetic_spec(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad()) throw InputError(file.string(), "cannot be read");
  return parse_synthetic_spec(text.str(), file.string());
}

}  // namespace muster
