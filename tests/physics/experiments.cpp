// What experiments say of steps, stragglers and links: how it is read, and what is said of mistakes.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/training.hpp"
#include "muster/engine/disturbances.hpp"
#include "muster/io/experiment.hpp"
#include "muster/topology/links.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// A trace of two jobs of models, gone after the test.
struct Trace {
  Trace()
      : path(std::filesystem::temp_directory_path() /
             ("muster-physics-" + std::to_string(getpid()) + ".csv")) {
    std::ofstream(path) << "job,submit,gpus,duration,model\n"
                           "a,0,16,100,gpt\nb,0,8,100,llama3-8b:tp=2\n";
  }
  ~Trace() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

Experiment load(const std::string& parts, const std::string& fleet = "\"4x8:h100/2\"") {
  const Trace trace;
  return ExperimentSpec::parse("{\"fleet\": " + fleet + R"(, "policy": "easy", "workload": ")" +
                                   trace.path.string() + "\", " + parts + "}",
                               "x", "")
      .load();
}

std::string wrong(const std::string& parts, const std::string& fleet = "\"4x8:h100/2\"") {
  try {
    load(parts, fleet);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("what jobs train: by the trace's model, or by a name that is one") {
  const Experiment e = load(R"("cost": {"steps": {"gpt": "gpt-1.7b:tp=4"}, "named": true})");
  REQUIRE(e.engine.cost.trainings);
  const auto& all = e.engine.cost.trainings->by_model;
  REQUIRE(all.size() == 2);
  CHECK(all.at("gpt").model.name == "gpt-1.7b");
  CHECK(all.at("gpt").plan(16)->dp == 4);
  CHECK_FALSE(all.at("gpt").plan(6));
  CHECK(all.at("llama3-8b:tp=2").plan(8)->tp == 2);
  // Two jobs of different models are different shapes, as what a place costs them is.
  CHECK(e.trace.workload.shapes.size() == 2);
}

TEST_CASE("mistakes in /cost/steps") {
  CHECK_THAT(wrong(R"("cost": {"steps": {"gpt": "gpt-1.7:tp=4"}})"), Contains("gpt-1.7b"));
  CHECK_THAT(wrong(R"("cost": {"steps": {"gpt": "gpt-1.7b:tpp=4"}})"),
             StartsWith("x: /cost/steps: gpt: a plan has no word \"tpp\""));
  CHECK_THAT(wrong(R"("cost": {"steps": {"gpt": "gpt-1.7b:tp=3"}})"), Contains("no multiple of 3"));
  CHECK_THAT(wrong(R"("cost": {"steps": {"bert": "bert-base"}})"),
             StartsWith("x: /cost/steps: no job of the trace has a model that is listed"));
  CHECK_THAT(wrong(R"("cost": {"contention": true})"), Contains("no job communicates"));
  CHECK_THAT(wrong(R"("cost": {"mapping": "tp_inner", "communication": 0.1})"),
             Contains("tp_innermost"));
}

TEST_CASE("stragglers and links as an experiment writes them") {
  const Experiment e = load(R"("cost": {"communication": 0.3}, "seed": 7, "stragglers": {
      "causes": [{"name": "hot", "rate": 2, "slowdown": 1.3, "lasts": "2h"},
                 {"name": "given", "of": "node", "nodes": ["n1"], "at": "1h", "lasts": "10min",
                  "slowdown": 2}],
      "detection": {"every": "5min", "reaction": "exclude", "exclude_for": "12h"}},
    "links": [{"link": "rail 3 of leaf 1", "at": 100, "until": 200, "capacity": 0.5},
              {"level": "leaf", "domain": "leaf 0", "at": "1h"}, {"node": "n2", "at": 5}])");
  REQUIRE(e.engine.disturbances);
  const Disturbances& d = *e.engine.disturbances;
  CHECK(d.seed == 7);
  REQUIRE(d.causes.size() == 2);
  CHECK(d.causes[0].nodes.size() == 4);
  CHECK(d.causes[0].length.lasts == 2h);
  CHECK(d.causes[1].from == kStart + 1h);
  CHECK(d.causes[1].length.law == Disturbances::Law::fixed);
  CHECK(d.detection.every == 5min);
  CHECK(d.detection.exclude_for == 12h);
  REQUIRE(d.links.size() == 3);
  CHECK(d.links[0].links.size() == 1);
  CHECK(d.links[0].capacity == 0.5);
  CHECK(d.links[1].links.size() == 8);
  CHECK(d.links[1].to == kNever);
  CHECK(d.links[2].links.size() == 8);
  // The results keep what was asked for.
  CHECK_THAT(e.json, Contains("rail 3 of leaf 1") && Contains("exclude_for"));
}

TEST_CASE("a part that is null is not set") {
  const Experiment e = load(
      R"("stragglers": null, "links": null, "failures": null, "maintenance": null, "cost": null,
         "engine": null, "output": null, "reservations": null)");
  CHECK_FALSE(e.engine.disturbances);
  CHECK_FALSE(e.engine.outages);
  // Nor is what is null in one, and {"stragglers": {}} says nothing either.
  CHECK(wrong(R"("seed": 1, "stragglers": {"causes": null})") ==
        wrong(R"("seed": 1, "stragglers": {})"));
  CHECK_THAT(wrong(R"("seed": 1, "stragglers": {"causes": [null]})"),
             StartsWith("x: /stragglers/causes/0: expected "));
}

TEST_CASE("links that are drawn, as an experiment writes them") {
  const Experiment e = load(R"("cost": {"communication": 0.3}, "links": [
      {"each": "nic", "rate": 2, "capacity": 0.5, "lasts": "2h"},
      {"each": "leaf", "rate": 1, "lasts": "1h", "law": "lognormal", "sigma": 2},
      {"node": "n2", "rate": 1}])");
  const auto& drawn = e.engine.disturbances->link_processes;
  REQUIRE(drawn.size() == 3);
  CHECK(drawn[0].links.size() == 4 * 8);
  CHECK(drawn[0].rate == 2);
  CHECK(drawn[0].capacity == 0.5);
  CHECK(drawn[0].length.lasts == 2h);
  CHECK(drawn[0].length.law == Disturbances::Law::exponential);
  CHECK(drawn[1].links.size() == 2 * 8);
  CHECK(drawn[1].length.law == Disturbances::Law::lognormal);
  CHECK(drawn[1].length.sigma == 2);
  CHECK(drawn[2].links.size() == 8);
  CHECK(drawn[2].length.lasts == kUnlimited);
}

namespace {

constexpr const char* kGiving = R"({"groups": [
    {"count": 2, "gpus": 8, "gpu_type": "H100", "fabric": "A",
     "links": {"storage": {"gbytes_per_s": 2}}, "wiring": {"storage_gbytes_per_s": 1}},
    {"count": 2, "gpus": 8, "gpu_type": "H100", "fabric": "B",
     "links": {"storage": {"gbytes_per_s": 3}}, "wiring": {"storage_gbytes_per_s": 1}}]})";

std::string read_and_worn(const std::string& link) {
  return R"("cost": {"steps": {"gpt": "resnet50"}}, "links": [)" + link + "]";
}

}  // namespace

TEST_CASE("storage that is worn, as an experiment writes it") {
  const Experiment e = load(read_and_worn(R"({"link": "storage of B", "at": 5, "capacity": 0.5},
                                             {"each": "storage", "rate": 1, "lasts": "1h"})"),
                            kGiving);
  const Links links(e.fleet);
  const Disturbances& d = *e.engine.disturbances;
  REQUIRE(d.links.size() == 1);
  CHECK(d.links[0].links == std::vector<std::uint32_t>{links.storage(1)});
  REQUIRE(d.link_processes.size() == 1);
  CHECK(d.link_processes[0].links ==
        std::vector<std::uint32_t>{links.storage(0), links.storage(1)});
  CHECK_THAT(wrong(read_and_worn(R"({"link": "storage of C", "at": 5})"), kGiving),
             StartsWith("x: /links/0/link: the fleet has no such NIC, uplink or storage: "
                        "\"storage of C\"") &&
                 Contains("for example \"NIC 0 of n0\", ") && Contains("or \"storage of A\""));
  // Nobody would notice it.
  CHECK_THAT(
      wrong(R"("cost": {"communication": 0.3}, "links": [{"link": "storage of A", "at": 5}])",
            kGiving),
      StartsWith("x: /links/0: no job reads input, so its storage does not matter"));
  CHECK_THAT(wrong(read_and_worn(R"({"each": "storage", "rate": 1})")),
             StartsWith("x: /links/0: the fleet does not say what the storage of ") &&
                 Contains("\"storage\": {\"gbytes_per_s\": 160}"));
}

TEST_CASE("mistakes in /stragglers and /links") {
  const auto cause = [](const std::string& text) {
    return wrong(R"("stragglers": {"causes": [{"name": "s", )" + text + "}]}");
  };
  CHECK_THAT(cause(R"("slowdown": 2)"), Contains("expected one of rate, share and at"));
  CHECK_THAT(cause(R"("rate": 1)"),
             StartsWith("x: /stragglers/causes/0/slowdown: expected more than 1"));
  CHECK_THAT(cause(R"("rate": 1, "share": 0.5, "slowdown": 2)"), Contains("expected one of"));
  CHECK_THAT(cause(R"("of": "neighbours", "rate": 1, "slowdown": 2)"), Contains("slowdown alone"));
  CHECK_THAT(cause(R"("slowdwn": 2)"), Contains("did you mean \"slowdown\""));
  CHECK_THAT(cause(R"("rate": 1, "slowdown": 2, "nodes": ["n9"])"), Contains("n9"));
  CHECK_THAT(wrong(R"("stragglers": {"detection": {"threshold": 0.2}})"),
             StartsWith("x: /stragglers/detection/every: expected how often"));
  for (const char* reaction : {"leave", "replace"})
    CHECK_THAT(wrong(R"("stragglers": {"detection": {"every": "5min", "exclude_for": "1h",
                     "reaction": ")" +
                     std::string{reaction} + "\"}}"),
               StartsWith("x: /stragglers/detection/exclude_for: goes with reaction exclude"));
  const auto link = [](const std::string& text) {
    return wrong(R"("cost": {"communication": 0.3}, "links": [{"at": 1, )" + text + "}]");
  };
  CHECK_THAT(link(R"("link": "rail 9 of leaf 1")"), Contains("\"rail 0 of leaf 0\""));
  CHECK_THAT(link(R"("level": "leaf", "domain": "leaf 7")"), Contains("has no leaf \"leaf 7\""));
  CHECK_THAT(link(R"("level": "rack", "domain": "x")"), Contains("expected leaf or pod"));
  CHECK_THAT(link(R"("node": "n1", "until": 1)"), Contains("expected a time after it begins"));
  CHECK_THAT(link(R"("capacity": 0)"), Contains("expected one of link, level and node"));
  for (const char* other : {R"("link": "NIC 3 of n1")", R"("node": "n1")"})
    CHECK_THAT(link(other + std::string{R"(, "domain": "leaf 1")"}),
               StartsWith("x: /links/0/domain: goes with level"));
  CHECK_THAT(link(R"("node": "n1", "capacity": 1)"),
             StartsWith("x: /links/0/capacity: expected less than 1"));
  CHECK_THAT(link(R"("each": "nic")"), Contains("needs a rate"));
  CHECK_THAT(link(R"("each": "nic", "rate": 1)"), Contains("draws when it begins"));
  CHECK_THAT(link(R"("node": "n1", "lasts": "1h")"), Contains("goes with rate"));
  const auto drawn = [](const std::string& text) {
    return wrong(R"("cost": {"communication": 0.3}, "links": [{"rate": 1, )" + text + "}]");
  };
  CHECK_THAT(drawn(R"("each": "rack")"),
             Contains("expected nic, leaf, pod or storage, got \"rack\""));
  CHECK_THAT(drawn(R"("each": "nic", "node": "n1")"), Contains("says which links already"));
  CHECK_THAT(drawn(R"("each": "nic", "capacity": 1)"), Contains("expected less than 1"));
  CHECK_THAT(drawn(R"("each": "nic", "lasts": 0)"), Contains("expected a time above 0"));
  CHECK_THAT(drawn(R"("each": "nic", "law": "fixed")"),
             StartsWith("x: /links/0/law: goes with lasts: without it there is no end"));
  CHECK_THAT(drawn(R"("each": "nic", "lasts": "1h", "sigma": 2)"),
             StartsWith("x: /links/0/sigma: goes with lasts, and law lognormal"));
  CHECK_THAT(cause(R"("rate": 1, "slowdown": 2, "law": "fixed")"),
             StartsWith("x: /stragglers/causes/0/law: goes with lasts"));
  CHECK_THAT(cause(R"("of": "neighbours", "slowdown": 2, "lasts": "1h")"),
             StartsWith("x: /stragglers/causes/0/lasts: goes with rate or at"));
  CHECK_THAT(wrong(R"("links": [{"node": "n1", "at": 1}])"),
             StartsWith("x: /links: no job communicates"));
}
