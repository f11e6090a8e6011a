#include <filesystem>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/experiment.hpp"
#include "muster/io/shipped.hpp"

using namespace muster;

TEST_CASE("every shipped policy can be made, and made again from its own text") {
  const auto names = shipped_names("policies");
  CHECK(names.size() >= 7);
  for (const std::string& name : names) {
    CAPTURE(name);
    const LoadedPolicy policy = load_policy(name);
    CHECK(policy.policy != nullptr);
    CHECK(policy.name == name);

    ExperimentSpec again;
    again.set("/policy", policy.json, "test");
    CHECK(again.policy().json == policy.json);
  }
  for (const PolicyPreset& preset : policy_presets()) CHECK(!preset.about.empty());
}

TEST_CASE("every shipped experiment can be loaded, and its text gives the same again") {
  int found = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator{MUSTER_SOURCE_DIR "/configs/experiments"}) {
    CAPTURE(entry.path());
    if (entry.path().extension() != ".json") continue;  // a trace of theirs
    const Experiment experiment = ExperimentSpec::read(entry.path()).load();
    CHECK(experiment.trace.workload.size() > 0);
    CHECK(experiment.fleet.gpus > 0);
    CHECK(experiment.policy.policy != nullptr);
    CHECK(ExperimentSpec::parse(experiment.json, "again", "").text() == experiment.json);
    ++found;
  }
  CHECK(found > 0);
}

TEST_CASE("a preset can stand under other values, and a later set wins") {
  const ExperimentSpec spec = ExperimentSpec::parse(
      R"({"policy": {"preset": "easy", "depth": 3, "name": "shallow"}})", "e.json", "");
  const LoadedPolicy policy = spec.policy();
  CHECK(policy.name == "shallow");
  CHECK_THAT(policy.json,
             test::Contains(R"("backfill": "easy")") && test::Contains(R"("depth": 3)"));

  ExperimentSpec varied = spec;  // a copy: the original stays
  varied.set("/policy/depth=4");
  varied.set("/policy/depth=5");
  CHECK_THAT(varied.policy().json, test::Contains(R"("depth": 5)"));
  CHECK(spec.policy().json == policy.json);
}

TEST_CASE("a key that is null is not set, in whatever part and however deep") {
  const std::string rest = R"("workload": {"generate": "first"}, "fleet": "4x8")";
  const auto text = [&](const std::string& parts) {
    return ExperimentSpec::parse("{" + rest + ", " + parts + "}", "e.json", "").text();
  };
  const std::string plain = text(R"("policy": "fifo")");
  for (const std::string part :
       {R"("policy": {"preset": "fifo", "depth": null, "caps": null, "skip": null})",
        R"("policy": "fifo", "engine": {"horizon": null, "passes": null})",
        R"("policy": "fifo", "output": {"dir": null}, "seed": null, "links": null)"}) {
    INFO(part);
    CHECK(text(part) == plain);
  }
  const std::string fails = R"("policy": "fifo", "failures": {"trace": "f.json")";
  CHECK(text(fails + R"(, "storage": null, "lemons": null, "repair": null}, "stragglers": null)") ==
        text(fails + "}"));
  CHECK(
      text(
          R"("policy": "fifo", "maintenance": [{"nodes": ["n1"], "from": 1, "to": 2, "name": null}])") ==
      text(R"("policy": "fifo", "maintenance": [{"nodes": ["n1"], "from": 1, "to": 2}])"));
  ExperimentSpec set =
      ExperimentSpec::parse("{" + rest + R"(, "policy": "easy:depth=5"})", "e.json", "");
  set.set("/policy/depth=null");
  CHECK_THAT(set.policy().json, test::Contains(R"("depth": 0)"));
}

TEST_CASE("a parameter that does not exist is refused also if it is null") {
  const std::string rest = R"("workload": {"generate": "first"}, "fleet": "4x8", )";
  for (const std::string part :
       {R"("policy": {"preset": "easy", "dpeth": null})", R"("policy": "easy:dpeth=null")",
        R"("policy": {"family": "batch", "dpeth": null})",
        R"("policy": "easy", "engine": {"dpeth": null})",
        R"("policy": "easy", "cost": {"dpeth": null})"}) {
    INFO(part);
    CHECK_THROWS_WITH(ExperimentSpec::parse("{" + rest + part + "}", "e.json", "").text(),
                      test::Contains("dpeth") && test::Contains("no such parameter"));
  }
  ExperimentSpec set = ExperimentSpec::parse("{" + rest + R"("policy": "easy"})", "e.json", "");
  set.set("/policy/dpeth=null");
  CHECK_THROWS_WITH(set.policy(), test::Contains("no such parameter"));
}

TEST_CASE("values on the command line are JSON or else text") {
  ExperimentSpec spec;
  spec.set("/policy=batch:caps={\"a\":1,\"b\":2},default_estimate=2h,order=sjf");
  const std::string json = spec.policy().json;
  CHECK_THAT(json, test::Contains(R"("caps": {
    "a": 1,
    "b": 2
  })") && test::Contains(R"("default_estimate": 7200)") &&
                       test::Contains(R"("order": "sjf")"));
  spec.set(R"(/policy/caps={"c": 3})");
  CHECK_THAT(spec.policy().json, !test::Contains(R"("a": 1)") && test::Contains(R"("c": 3)"));
}

TEST_CASE("values in lists are set by their place, and - adds one") {
  ExperimentSpec spec = ExperimentSpec::parse(
      R"({"workload": {"generate": "first"}, "fleet": "4x8", "policy": "fifo", "maintenance": [{"nodes": ["n1"], "from": 1, "to": 2}, {"nodes": ["n2"], "from": 1, "to": 2}]})",
      "e.json", "");
  spec.set("/maintenance/1/to=5");
  spec.set(R"(/maintenance/-={"nodes": ["n3"], "from": 7})");
  spec.set("/maintenance/2/to=9");
  spec.set("/maintenance/0/nodes/0=n0");
  std::string text = spec.text();
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  CHECK_THAT(text, test::Contains(R"({"nodes":["n0"],"from":1,"to":2},)"
                                  R"({"nodes":["n2"],"from":1,"to":5},)"
                                  R"({"nodes":["n3"],"from":7,"to":9})"));
  const auto refusal = [&](const char* assignment) {
    try {
      spec.set(assignment);
    } catch (const InputError& e) {
      return std::string{e.what()};
    }
    return std::string{"nothing"};
  };
  for (const char* place : {"3", "x", "01", "00", "01x", "-1", ""})
    CHECK(refusal(("/maintenance/" + std::string{place} + "/to=5").c_str()) ==
          "--set /maintenance/" + std::string{place} +
              "/to: /maintenance is a list of 3, which has no place \"" + place +
              "\"\n    /maintenance/0 is the first one, /maintenance/- adds one");
}

TEST_CASE("a seed, a name and a folder have defaults") {
  ExperimentSpec spec;
  CHECK(spec.seed() == 1);
  spec.set_text("/workload/trace", MUSTER_SOURCE_DIR "/traces/first/first.csv", "--trace");
  spec.set_text("/policy", "batch:backfill=easy", "--policy");
  CHECK(spec.name() == "first-batch-backfill=easy");
  CHECK(spec.out() == "out/first-batch-backfill=easy");
  spec.set("/output/dir=elsewhere");
  CHECK(spec.out() == "elsewhere");
}

TEST_CASE("a generated workload can stand inline or be named") {
  ExperimentSpec spec;
  spec.set("/workload/generate=first");
  const std::size_t jobs = spec.workload().workload.size();
  CHECK(jobs > 0);
  CHECK(spec.workload().report.replayed == jobs);
  spec.set("/workload/format=muster");
  CHECK_THROWS_WITH(
      spec.workload(),
      "--set /workload/format: is for traces that are read\n    this one is generated");
}
