#include "io/config/disturbances_part.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "io/config/idle_keys.hpp"
#include "io/config/node_list.hpp"
#include "io/config/params_schema.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/training.hpp"
#include "muster/topology/links.hpp"

namespace muster {
namespace {

using Place = std::function<std::string(std::string_view)>;

Place place_of(const Document& experiment, const std::string& at) {
  return [&experiment, at](std::string_view name) {
    return experiment.where(name.empty() ? at : at + "/" + std::string{name});
  };
}

Json take(Json& object, const char* key) {
  if (!object.contains(key)) return nullptr;
  Json value = object[key];
  object.erase(key);
  return value;
}

constexpr std::array<std::string_view, 3> kLaws{"fixed", "exponential", "lognormal"};
constexpr const char* kLastsText =
    "how long: all of it (law=fixed), its mean (exponential), its median (lognormal); not set: to "
    "the end of the run";

/// What says how long something lasts that has no end, or not by that law.
void refuse_idle_length(const Json& object, const Disturbances::Length& length, bool ends,
                        const Place& place) {
  refuse_idle(object, "law", !ends, place, "lasts: without it there is no end to be drawn",
              "\"lasts\": \"2h\", or leave it out");
  refuse_idle(object, "sigma", length.law != Disturbances::Law::lognormal || !ends, place,
              "lasts, and law lognormal", "leave it out");
}

struct CauseParams {
  Disturbances::Cause cause;
  Duration at = kUnknown, lasts = kUnknown;
  void walk(ParamVisitor& visit) {
    static constexpr std::array<std::string_view, 3> kOf{"gpu", "node", "neighbours"};
    visit.visit("name", cause.name, "what reports call it: thermal, lemon, ...");
    visit.choice("of", cause.of, kOf,
                 "what is slow: single GPUs, all of a node, or nodes on which several jobs are for "
                 "as long as they are");
    visit.visit("slowdown", cause.slowdown, 1.0, 1e6,
                "how many times as long it computes as usual; 1000000: it stands still");
    visit.visit("rate", cause.rate, 0.0, 1e9,
                "times per 1000 GPU-days (of=node: node-days) that one becomes slow");
    visit.visit("share", cause.share, 0.0, 1.0, "of them are slow for the whole run");
    visit.visit("at", at, "when those of `nodes` become slow, if neither rate nor share says");
    visit.visit("lasts", lasts, kLastsText);
    visit.choice("law", cause.length.law, kLaws, "how long it lasts");
    visit.visit("sigma", cause.length.sigma, 0.0, 10.0, "lognormal: the sigma of the logarithm");
  }
};

struct DetectionParams {
  Disturbances::Detection d;
  void walk(ParamVisitor& visit) {
    static constexpr std::array<std::string_view, 3> kReactions{"leave", "replace", "exclude"};
    visit.visit("every", d.every, "how often the nodes of each job are compared; 0: nobody looks");
    visit.visit("threshold", d.threshold, 0.0, 1000.0,
                "a node is slow if it computes longer than the median of its job by so much "
                "(0.1: 10 %)");
    visit.visit("noise", d.noise, 0.0, 10.0,
                "relative error (one sigma) of what is known of a node's time to compute: what is "
                "above the threshold by chance is a false alarm");
    visit.choice("reaction", d.reaction, kReactions,
                 "leave: count it only; replace: the job writes a checkpoint and goes on with a "
                 "free node in its place; exclude: its jobs write checkpoints and wait again, and "
                 "the node is out of service for exclude_for");
    visit.visit("exclude_for", d.exclude_for, "how long a node is excluded");
  }
};

struct LinkParams {
  std::string link, level, domain, node, each;
  Duration at = kUnknown, until = kUnknown, lasts = kUnknown;
  double capacity = 0, rate = 0;
  Disturbances::Length length;
  void walk(ParamVisitor& visit) {
    visit.visit(
        "link", link,
        "one link, as `muster why --cost` calls it: \"NIC 3 of n17\", \"rail 3 of leaf 2\", "
        "\"uplink of leaf 0\", \"storage of fabric 0\"");
    visit.visit("level", level, "leaf or pod: all uplinks of `domain`");
    visit.visit("domain", domain, "the name of a leaf or pod, as `muster fleet show` prints it");
    visit.visit("node", node, "all NICs of this node");
    visit.visit("each", each,
                "nic, leaf, pod or storage: every NIC, every uplink of leaves or pods, or the "
                "storage of every fabric, of which `rate` draws one at a time");
    visit.visit("at", at, "when it begins");
    visit.visit("until", until, "when all is well again; not set: not within the run");
    visit.visit("capacity", capacity, 0.0, 1.0,
                "what is left of what it was built for; 0: nothing");
    visit.visit("rate", rate, 0.0, 1e9,
                "in place of `at`: times per 1000 days of one link that it begins, drawn");
    visit.visit("lasts", lasts, kLastsText);
    visit.choice("law", length.law, kLaws, "with `rate`: how long it lasts");
    visit.visit("sigma", length.sigma, 0.0, 10.0, "lognormal: the sigma of the logarithm");
  }
};

Disturbances::Cause read_cause(const Document& experiment, Json object, const std::string& at,
                               const Fleet& fleet) {
  const Place place = place_of(experiment, at);
  const Json nodes = take(object, "nodes");
  CauseParams p;
  read_params_object(object, [&](ParamVisitor& visit) { p.walk(visit); },
                     {"a straggler", place, {"nodes"}});
  Disturbances::Cause& cause = p.cause;
  if (cause.name.empty()) throw InputError(place("name"), "expected a name", "thermal, lemon, ...");
  if (cause.slowdown <= 1)
    throw InputError(place("slowdown"), "expected more than 1: how many times as long it computes");
  cause.nodes = node_list(fleet, nodes.is_null() ? Json("all") : nodes, place("nodes"));
  if (cause.of == Disturbances::Of::neighbours) {
    if (cause.rate > 0 || cause.share > 0 || p.at != kUnknown || !nodes.is_null())
      throw InputError(place(""), "of=neighbours is true whenever several jobs are on a node",
                       "it takes slowdown alone");
    refuse_idle(object, "lasts", true, place, "rate or at: neighbours are slow while there are any",
                "leave it out");
    refuse_idle_length(object, cause.length, false, place);
    return cause;
  }
  if ((cause.rate > 0) + (cause.share > 0) + (p.at != kUnknown) != 1)
    throw InputError(place(""), "expected one of rate, share and at",
                     "\"rate\": 2, \"share\": 0.01, or \"nodes\": [\"n3\"], \"at\": \"1h\"");
  if (p.at != kUnknown) cause.from = kStart + p.at;
  if (p.lasts != kUnknown) cause.length.lasts = p.lasts;
  if (cause.length.lasts <= Duration{}) throw InputError(place("lasts"), "expected a time above 0");
  if (cause.share > 0 && p.lasts != kUnknown)
    throw InputError(place("lasts"), "a share is slow for the whole run",
                     "\"rate\" is for what comes and goes");
  refuse_idle_length(object, cause.length, p.lasts != kUnknown, place);
  if (p.at != kUnknown && !object.contains("law")) cause.length.law = Disturbances::Law::fixed;
  return cause;
}

void read_stragglers(const Document& experiment, const Fleet& fleet, Disturbances& out) {
  const Json* part = experiment.find("/stragglers");
  if (!part) return;
  if (!part->is_object()) experiment.expected("/stragglers", "an object");
  experiment.know("/stragglers", {"causes", "detection"}, "stragglers");
  if (part->contains("causes")) {
    const Json& causes = (*part)["causes"];
    if (!causes.is_array()) experiment.expected("/stragglers/causes", "a list of objects");
    for (std::size_t i = 0; i < causes.size(); ++i) {
      const std::string at = "/stragglers/causes/" + std::to_string(i);
      if (!causes[i].is_object()) experiment.expected(at, "an object");
      Disturbances::Cause cause = read_cause(experiment, causes[i], at, fleet);
      for (const Disturbances::Cause& other : out.causes)
        if (other.name == cause.name ||
            (other.of == cause.of && cause.of == Disturbances::Of::neighbours))
          throw InputError(experiment.where(at), "is there already as \"" + other.name + "\"");
      out.causes.push_back(std::move(cause));
    }
  }
  if (!part->contains("detection")) return;
  DetectionParams p;
  const std::string at = "/stragglers/detection";
  const Place place = place_of(experiment, at);
  if (!(*part)["detection"].is_object()) experiment.expected(at, "an object");
  read_params_object((*part)["detection"], [&](ParamVisitor& visit) { p.walk(visit); },
                     {"detection", place});
  if (p.d.every == kUnknown || p.d.every == kUnlimited || p.d.every <= Duration{})
    throw InputError(place("every"), "expected how often nodes are compared", "for example 5min");
  refuse_idle((*part)["detection"], "exclude_for",
              p.d.reaction != Disturbances::Detection::Reaction::exclude, place, "reaction exclude",
              "leave it out, or \"reaction\": \"exclude\"");
  out.detection = p.d;
}

std::uint32_t count_of(const Fleet& fleet, Level level) {
  return static_cast<std::uint32_t>(fleet.domains[static_cast<std::size_t>(level)].size());
}

std::vector<std::uint32_t> every_link(const Fleet& fleet, const Links& links, const LinkParams& p,
                                      const Place& place) {
  if (p.each != "nic" && p.each != "leaf" && p.each != "pod" && p.each != "storage")
    throw InputError(place("each"), "expected nic, leaf, pod or storage, got \"" + p.each + "\"");
  if (!p.link.empty() || !p.level.empty() || !p.node.empty())
    throw InputError(place("each"), "says which links already",
                     "leave it out, or link, level and node");
  if (p.rate <= 0)
    throw InputError(place("each"), "needs a rate", "all NICs of one node are \"node\": \"n17\"");
  std::vector<std::uint32_t> out;
  if (p.each == "nic") {
    for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
      for (std::uint32_t k = 0; k < fleet.wiring(NodeId{n}).nics; ++k)
        out.push_back(links.nic(NodeId{n}, k));
  } else if (p.each == "storage") {
    for (std::uint32_t f = 0; f < count_of(fleet, Level::fabric); ++f)
      out.push_back(links.storage(f));
  } else {
    const Level level = p.each == "leaf" ? Level::leaf : Level::pod;
    for (std::uint32_t d = 0; d < count_of(fleet, level); ++d)
      for (std::uint32_t r = 0; r < links.rails(level, d); ++r)
        out.push_back(links.up(level, d, r));
  }
  if (out.empty()) throw InputError(place("each"), "the fleet has no such links");
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::uint32_t> links_called(const Fleet& fleet, const Links& links, const LinkParams& p,
                                        const Place& place) {
  std::vector<std::uint32_t> out;
  if (!p.each.empty()) return every_link(fleet, links, p, place);
  if ((!p.link.empty()) + (!p.level.empty()) + (!p.node.empty()) != 1)
    throw InputError(place(""), "expected one of link, level and node",
                     "\"link\": \"NIC 3 of n17\", \"level\": \"leaf\" with \"domain\", or "
                     "\"node\": \"n17\"");
  if (!p.node.empty()) {
    const NodeId n = node_called(fleet, p.node, place("node"));
    for (std::uint32_t k = 0; k < fleet.wiring(n).nics; ++k) out.push_back(links.nic(n, k));
    if (out.empty()) throw InputError(place("node"), "node " + p.node + " has no NIC");
    return out;
  }
  if (!p.link.empty()) {
    for (Links::Id l = 0; l < links.size(); ++l)
      if (links.name(l) == p.link && !p.link.starts_with("NVLink")) return {l};
    throw InputError(
        place("link"), "the fleet has no such NIC, uplink or storage: \"" + p.link + "\"",
        "for example \"" + links.name(0) + "\", \"" + links.name(links.up(Level::leaf, 0, 0)) +
            "\" or \"" + links.name(links.storage(0)) + "\"");
  }
  const Level level = p.level == "leaf" ? Level::leaf : Level::pod;
  if (p.level != "leaf" && p.level != "pod")
    throw InputError(place("level"), "expected leaf or pod, got \"" + p.level + "\"");
  std::vector<std::string> names;
  for (std::uint32_t d = 0; d < count_of(fleet, level); ++d) {
    names.push_back(fleet.domain_name(level, d));
    if (names.back() != p.domain) continue;
    for (std::uint32_t r = 0; r < links.rails(level, d); ++r) out.push_back(links.up(level, d, r));
    return out;
  }
  throw InputError(place("domain"), "the fleet has no " + p.level + " \"" + p.domain + "\"",
                   did_you_mean(p.domain, names));
}

/// Storage that is worn slows those who read there, if the fleet says what it gives.
void refuse_idle_storage(const Fleet& fleet, const Links& links, const CostOptions& cost,
                         std::span<const std::uint32_t> which, const Place& place) {
  for (const std::uint32_t link : which) {
    const auto fabric = links.fabric_of_storage(link);
    if (!fabric) continue;
    if (fleet.fabric->storage_of(*fabric) <= 0)
      throw InputError(place(""), "the fleet does not say what the " + links.name(link) + " gives",
                       "say it there: \"links\": {\"storage\": {\"gbytes_per_s\": 160}}");
    const auto& trains =
        cost.trainings ? cost.trainings->by_model : decltype(Trainings::by_model){};
    if (std::none_of(trains.begin(), trains.end(),
                     [](const auto& model) { return model.second.model.sample_kbytes > 0; }))
      throw InputError(place(""), "no job reads input, so its storage does not matter",
                       "say what jobs train: /cost/steps or /cost/named, of models with "
                       "sample_kbytes, such as resnet50");
  }
}

/// What is drawn, in place of what is given.
Disturbances::LinkProcess read_link_process(const Fleet& fleet, const Links& links,
                                            const LinkParams& p, const Place& place) {
  if (p.at != kUnknown || p.until != kUnknown)
    throw InputError(place("rate"), "draws when it begins", "leave out at and until, or rate");
  if (p.lasts != kUnknown && p.lasts <= Duration{})
    throw InputError(place("lasts"), "expected a time above 0");
  Disturbances::LinkProcess process{links_called(fleet, links, p, place), p.rate, p.capacity,
                                    p.length};
  if (p.lasts != kUnknown) process.length.lasts = p.lasts;
  return process;
}

Disturbances::LinkEvent read_link_event(const Fleet& fleet, const Links& links, const LinkParams& p,
                                        const Place& place) {
  if (p.at == kUnknown || p.at == kUnlimited)
    throw InputError(place("at"), "expected the time at which it begins",
                     "for example 36h; or \"rate\", to draw it");
  if (p.until != kUnknown && p.until <= p.at)
    throw InputError(place("until"), "expected a time after it begins");
  if (p.lasts != kUnknown)
    throw InputError(place("lasts"), "goes with rate", "with at it is over at \"until\"");
  Disturbances::LinkEvent event;
  event.from = kStart + p.at;
  event.to = p.until == kUnknown || p.until == kUnlimited ? kNever : kStart + p.until;
  event.capacity = p.capacity;
  event.links = links_called(fleet, links, p, place);
  return event;
}

void read_links(const Document& experiment, const Fleet& fleet, const CostOptions& cost,
                Disturbances& out) {
  const Json* part = experiment.find("/links");
  if (!part) return;
  if (!part->is_array()) experiment.expected("/links", "a list of objects");
  if (!cost.of_use())
    throw InputError(experiment.where("/links"), "no job communicates, so no link matters",
                     "say for what share of their time they do: /cost/communication=0.3");
  const Links links(fleet);
  for (std::size_t i = 0; i < part->size(); ++i) {
    const std::string at = "/links/" + std::to_string(i);
    const Place place = place_of(experiment, at);
    if (!(*part)[i].is_object()) experiment.expected(at, "an object");
    LinkParams p;
    read_params_object((*part)[i], [&](ParamVisitor& visit) { p.walk(visit); }, {"a link", place});
    refuse_idle_length((*part)[i], p.length, p.lasts != kUnknown, place);
    refuse_idle((*part)[i], "domain", p.level.empty(), place, "level",
                "leave it out, or \"level\": \"leaf\" in place of link, node or each");
    if (p.capacity >= 1)
      throw InputError(place("capacity"), "expected less than 1",
                       "a link that carries all it was built for is well");
    if (p.rate > 0)
      out.link_processes.push_back(read_link_process(fleet, links, p, place));
    else
      out.links.push_back(read_link_event(fleet, links, p, place));
    refuse_idle_storage(fleet, links, cost,
                        p.rate > 0 ? out.link_processes.back().links : out.links.back().links,
                        place);
  }
}

}  // namespace

std::shared_ptr<const Disturbances> read_disturbances(const Document& experiment,
                                                      const Fleet& fleet, const CostOptions& cost,
                                                      std::uint64_t seed) {
  auto out = std::make_shared<Disturbances>();
  out->seed = seed;
  read_stragglers(experiment, fleet, *out);
  read_links(experiment, fleet, cost, *out);
  if (out->empty()) return nullptr;
  return out;
}

void disturbances_text(const Document& experiment, Json& all) {
  for (const char* part : {"stragglers", "links"})
    if (const Json* given = experiment.find("/" + std::string{part})) all[part] = *given;
}

Json disturbances_schemas() {
  const auto of = [](auto params) {
    return params_schema_object([&](ParamVisitor& visit) { params.walk(visit); });
  };
  const auto list = [](Json item) { return Json{{"type", "array"}, {"items", std::move(item)}}; };
  Json cause = of(CauseParams{});
  cause["properties"]["nodes"] = {
      {"description", "which nodes can be hit; all if it is left out"},
      {"anyOf", Json::array({Json{{"type", "array"}, {"items", {{"type", "string"}}}},
                             Json{{"const", "all"}}})}};
  Json stragglers{
      {"type", "object"},
      {"additionalProperties", false},
      {"properties", {{"causes", list(std::move(cause))}, {"detection", of(DetectionParams{})}}}};
  return {{"stragglers", std::move(stragglers)}, {"links", list(of(LinkParams{}))}};
}

}  // namespace muster
