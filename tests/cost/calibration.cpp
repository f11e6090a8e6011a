// Calibration files.

#include "muster/io/calibration.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/shipped.hpp"

using namespace muster;
using namespace muster::test;
using nlohmann::ordered_json;

namespace {

ordered_json published() {
  std::ifstream in(MUSTER_SOURCE_DIR "/configs/calibration/published.json");
  REQUIRE(in);
  return ordered_json::parse(in);
}

std::string message_for(const ordered_json& json) {
  try {
    parse_calibration(json.dump(), "c.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every shipped calibration is read, and written back the same") {
  const std::vector<std::string> names = shipped_names("calibration");
  CHECK_FALSE(names.empty());
  for (const std::string& name : names) {
    CAPTURE(name);
    const Calibration calibration = load_calibration(name);
    const std::string text = calibration_json(calibration);
    CHECK(calibration_json(parse_calibration(text, "again")) == text);
    std::ifstream in(MUSTER_SOURCE_DIR "/configs/calibration/" + name + ".json");
    CHECK(ordered_json::parse(text) == ordered_json::parse(in));
  }
}

TEST_CASE("every number of the default calibration says where it is from") {
  const Calibration calibration = load_calibration("published");
  CHECK_THAT(calibration.description, ContainsSubstring("published numbers only"));
  walk_parameters(calibration, [&](const std::string& path, double value, std::string_view) {
    CAPTURE(path, value);
    CHECK((value == 0 || value == 1 || !calibration.source(path).empty()));
  });
  for (const GpuSpec& gpu : calibration.gpus) CHECK_FALSE(gpu.source.empty());
}

TEST_CASE("types of GPUs go by many names") {
  const Calibration calibration = load_calibration("published");
  for (const char* name : {"h100", "H100-SXM-80", "NVIDIA H100 SXM", "h100_sxm"}) {
    CAPTURE(name);
    REQUIRE(calibration.gpu(name));
    CHECK(calibration.gpu(name)->name == "H100-SXM-80");
  }
  CHECK(calibration.gpu("h101") == nullptr);
  CHECK(calibration.gpu("") == nullptr);
}

TEST_CASE("what is no calibration") {
  ordered_json json = published();
  CHECK(message_for(json) == "accepted");

  json["network"]["hop_u"] = 1;
  CHECK_THAT(message_for(json), StartsWith("c.json: /network/hop_u: there is no such key here\n"
                                           "    did you mean \"hop_us\"?"));
  json = published();
  json["network"]["hop_us"] = 34;
  CHECK(message_for(json) == "c.json: /network/hop_us: expected an object, got 34");
  json["network"]["hop_us"] = {{"value", 34}};
  CHECK(message_for(json) == "c.json: /network/hop_us: \"source\" is missing");
  json = published();
  json["network"]["efficiency"]["value"] = 0;
  CHECK(message_for(json) == "c.json: /network/efficiency: expected a number above 0, got 0.0");
  json = published();
  json["gpus"][0]["generation"] = "hoper";
  CHECK_THAT(message_for(json),
             StartsWith("c.json: /gpus/0/generation: there is no \"hoper\" among "
                        "the links\n    did you mean \"hopper\"?"));
  json = published();
  json["links"].erase("pcie");
  CHECK_THAT(message_for(json), StartsWith("c.json: /links: there is no \"pcie\" among the links"));
  CHECK_THROWS_WITH(load_calibration("publisht"),
                    StartsWith("--calibration: there is no calibration \"publisht\"\n"
                               "    did you mean \"published\"?"));
}
