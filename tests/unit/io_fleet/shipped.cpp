#include "muster/io/shipped.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"
#include "muster/topology/fabric.hpp"

using namespace muster;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json read(const fs::path& file) {
  std::ifstream in(file);
  REQUIRE(in);
  return json::parse(in);
}

json schema() { return read(MUSTER_SOURCE_DIR "/configs/schema/fleet.schema.json"); }

/// A schema, or the one it refers to ("#/$defs/group").
const json& resolved(const json& root, const json& part) {
  return part.contains("$ref")
             ? root.at(json::json_pointer(part["$ref"].get<std::string>().substr(1)))
             : part;
}

/// The part of JSON Schema that fleet.schema.json needs to say which keys there are.
void check_keys(const json& root, const json& part, const json& value, const std::string& where) {
  const json& here = resolved(root, part);
  INFO(where);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      check_keys(root, here.at("items"), value[i], where + "/" + std::to_string(i));
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    INFO(key);
    REQUIRE(here.at("properties").contains(key));
    check_keys(root, here["properties"][key], member, where + "/" + key);
  }
}

/// Sets an environment variable for the length of a test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }

 private:
  const char* name_;
  std::string old_;
};

}  // namespace

TEST_CASE("every shipped fleet loads, and has the size that its source gives") {
  const std::map<std::string, std::pair<std::size_t, std::uint32_t>> sizes{
      {"acme-kalos", {302, 2416}},        {"acme-seren", {286, 2288}},
      {"dgx-a100-superpod", {140, 1120}}, {"dgx-b200-superpod", {128, 1024}},
      {"dgx-h100-superpod", {127, 1016}}, {"dgx-h200-superpod", {127, 1016}},
      {"gb200-nvl72", {144, 576}},        {"helios-earth", {143, 1144}},
      {"helios-saturn", {262, 2096}},     {"helios-uranus", {264, 2112}},
      {"helios-venus", {133, 1064}},      {"lingjun", {847, 6776}},
      {"llama3-24k", {3072, 24576}},      {"openb", {1213, 6212}},
      {"pai2020", {1814, 6742}},          {"philly", {552, 2490}},
      {"philly-vc", {352, 2816}},         {"supercloud", {224, 448}}};
  std::vector<std::string> names;
  for (const auto& [name, size] : sizes) {
    INFO(name);
    names.push_back(name);
    const Fleet fleet = load_fleet(name);
    CHECK(fleet.name == name);
    CHECK(fleet.nodes.size() == size.first);
    CHECK(fleet.gpus == size.second);
    CHECK(fleet.source.size() > 40);
  }
  CHECK(shipped_names("fleets") == names);
}

TEST_CASE("an NVL72 rack is one NVLink domain of 18 nodes") {
  const Fleet fleet = load_fleet("gb200-nvl72");
  const auto& nvlink = fleet.domains[static_cast<std::size_t>(Level::nvlink)];
  CHECK(nvlink.size() == 8);
  for (const NodeRange& rack : nvlink) CHECK(rack.size() == 18);
}

TEST_CASE("the Llama 3 cluster has full bisection in its pods, and 7:1 above them") {
  const Fleet fleet = load_fleet("llama3-24k");
  CHECK(fleet.domains[static_cast<std::size_t>(Level::pod)].size() == 8);
  CHECK(oversubscription(fleet, Level::leaf, 0) == 1);
  CHECK(std::abs(oversubscription(fleet, Level::pod, 7) - 7) < 1e-9);
}

TEST_CASE("the schema has the keys of every shipped fleet") {
  const json root = schema();
  for (const std::string& name : shipped_names("fleets"))
    check_keys(root, root, read(shipped("fleets", name)), name + ": ");
}

TEST_CASE("the schema has no key that the reader refuses") {
  const json root = schema();
  const std::map<std::string, json> parts{{"group", {{"count", 1}, {"gpus", 1}}},
                                          {"node", {{"id", "a"}, {"gpus", 1}}}};
  for (const auto& [part, least] : parts) {
    for (const auto& [key, about] : root.at("$defs").at(part).at("properties").items()) {
      INFO(part << " " << key);
      json value = least;
      const json& about_it = resolved(root, about);
      const json type =
          (about_it.contains("oneOf") ? about_it["oneOf"][0] : about_it).value("type", "");
      if (!value.contains(key))
        value[key] = type == "integer"   ? json(1)
                     : type == "string"  ? json("x")
                     : type == "boolean" ? json(true)
                                         : json::object();
      if (key == "leaves_per_pod" || key == "pods_per_fabric") value["nodes_per_leaf"] = 1;
      if (key == "pods_per_fabric") value["leaves_per_pod"] = 1;
      if (key == "dragonfly") value[key] = {{"local_gbytes_per_s", 1}, {"global_gbytes_per_s", 1}};
      if (key == "torus") value[key] = {{"gbytes_per_s", 1}};
      if (key == "nodes") value = {{"nodes", {{{"id", "a"}, {"gpus", 1}}}}};
      const json fleet{{part == "group" ? "groups" : "nodes", json::array({value})}};
      CHECK_NOTHROW(parse_fleet(fleet.dump(), "schema"));
    }
  }
}

TEST_CASE("a name that nothing shipped has") {
  CHECK_THROWS_WITH(load_fleet("phily"),
                    "fleet \"phily\": there is no such file or shipped fleet\n"
                    "    did you mean \"philly\"?\n"
                    "    a fleet is a .json, .csv or .conf file, the name of a shipped one, or "
                    "NODESxGPUS such as 64x8");
}

TEST_CASE("a file that is not there, or is a directory") {
  CHECK_THROWS_WITH(load_fleet("no/such/fleet.json"),
                    "no/such/fleet.json: can't be read: No such file or directory");
  const fs::path directory = fs::path(MUSTER_BINARY_DIR) / "directory.json";
  fs::create_directory(directory);
  CHECK_THROWS_WITH(load_fleet(directory.string()),
                    directory.string() + ": is a directory, not a fleet");
  const fs::path device = fs::path(MUSTER_BINARY_DIR) / "device.json";
  fs::remove(device);
  fs::create_symlink("/dev/zero", device);
  CHECK_THROWS_WITH(load_fleet(device.string()), device.string() + ": is a device, not a fleet");
}

TEST_CASE("shipped() does not climb out of its directory") {
  CHECK(shipped("fleets", "philly").filename() == "philly.json");
  CHECK(shipped("fleets", "../fleets/philly").empty());
  CHECK(shipped("..", "philly").empty());
  CHECK(shipped("fleets", "").empty());
  CHECK(shipped("fleets", "nothing").empty());
  CHECK(shipped_names("nothing").empty());
}

TEST_CASE("MUSTER_CONFIGS goes before what is shipped, and replaces it") {
  const fs::path root = fs::path(MUSTER_BINARY_DIR) / "own_configs";
  fs::create_directories(root / "fleets");
  std::ofstream(root / "fleets" / "mine.json") << R"({"groups": [{"count": 3, "gpus": 2}]})";
  const Environment environment("MUSTER_CONFIGS", root.string());
  CHECK(shipped_names("fleets") == std::vector<std::string>{"mine"});
  CHECK(load_fleet("mine").gpus == 6);
  CHECK(load_fleet("mine").name == "mine");
  CHECK(shipped("fleets", "philly").empty());
}
