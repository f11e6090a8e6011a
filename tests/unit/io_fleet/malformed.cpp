// Fleets that can't be meant, with the whole message. One test per way to be wrong.
#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"

using namespace muster;

namespace {

std::string message(std::string_view text, std::string_view name = "f.json") {
  try {
    parse_fleet(text, name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string of_group(const std::string& members) {
  return message("{\"groups\": [{" + members + "}]}");
}

std::string of_nodes(const std::string& nodes) { return message("{\"nodes\": [" + nodes + "]}"); }

}  // namespace

TEST_CASE("not JSON: the line and the column") {
  CHECK(message("{\n  \"groups\": [{\"count\": 2,\n  \"gpus\" 8}]\n}") ==
        "f.json:3:10: not JSON: syntax error while parsing object separator - unexpected number "
        "literal; expected ':'");
}

TEST_CASE("an empty file") {
  CHECK(
      message("") ==
      "f.json:1:1: not JSON: syntax error while parsing value - unexpected end of input; expected "
      "'[', '{', or a literal");
}

TEST_CASE("NaN, which JSON does not have") {
  CHECK(of_group(R"("count": NaN)") ==
        "f.json:1:23: not JSON: syntax error while parsing value - invalid literal");
}

TEST_CASE("not an object") { CHECK(message("[1, 2]") == "f.json: expected an object, got [1,2]"); }

TEST_CASE("a key that is not there, with the one that may have been meant") {
  CHECK(of_group(R"("count": 2, "gpus": 8, "nodes_per_laef": 2)") ==
        "f.json: /groups/0/nodes_per_laef: there is no such key here\n"
        "    did you mean \"nodes_per_leaf\"?");
}

TEST_CASE("a key that resembles none") {
  CHECK(of_nodes(R"({"id": "a", "gpus": 8, "temperature/C": 40})") ==
        "f.json: /nodes/0/temperature~1C: there is no such key here\n"
        "    it takes: id, gpus, gpu_type, mig, rack, leaf, pod, fabric, nvlink");
}

TEST_CASE("a type of GPU that no job can ask for") {
  const std::string said =
      "no job can ask for a type of GPU called \"a|b\"\n"
      "    \"|\" stands between the types that a job may use: leave it out of their names";
  CHECK(of_group(R"("count": 2, "gpus": 8, "gpu_type": "a|b")") ==
        "f.json: /groups/0/gpu_type: " + said);
  CHECK(of_nodes(R"({"id": "a", "gpus": 8, "gpu_type": "a|b"})") ==
        "f.json: /nodes/0/gpu_type: " + said);
  CHECK(message("sn,cpu_milli,memory_mib,gpu,model\nx,1,1,2,a|b\n", "f.csv") == "f.csv:2: " + said);
  CHECK_THROWS_WITH(load_fleet("2x8:a|b/4"), "fleet \"2x8:a|b/4\": " + said);
}

TEST_CASE("a key given twice") {
  CHECK(of_group(R"("count": 2, "gpus": 8, "count": 3)") ==
        "f.json: /groups/count: given twice in one object\n    remove one of them");
}

TEST_CASE("neither groups nor nodes, or both") {
  constexpr const char* kAdvice =
      "\n    a fleet is {\"groups\": [{\"count\": 64, \"gpus\": 8}]} or {\"nodes\": [{\"id\": "
      "\"a0\", "
      "\"gpus\": 8}]}";
  CHECK(message("{}") == std::string{"f.json: has neither \"groups\" nor \"nodes\""} + kAdvice);
  CHECK(message(R"({"groups": [], "nodes": []})") ==
        std::string{"f.json: has \"groups\" and \"nodes\""} + kAdvice);
}

TEST_CASE("an empty list") {
  CHECK(message(R"({"groups": []})") == "f.json: /groups: is empty: expected at least one entry");
  CHECK(of_nodes("") == "f.json: /nodes: is empty: expected at least one entry");
}

TEST_CASE("a list that is not one") {
  CHECK(message(R"({"groups": {"count": 2, "gpus": 8}})") ==
        "f.json: /groups: expected an array, got {\"count\":2,\"gpus\":8}");
}

TEST_CASE("a group without a count, without gpus") {
  CHECK(of_group(R"("gpus": 8)") ==
        "f.json: /groups/0: \"count\" is missing\n"
        "    a group is either \"count\" nodes that are alike, or a list of \"nodes\"");
  CHECK(of_group(R"("count": 8)") == "f.json: /groups/0: \"gpus\" is missing");
}

TEST_CASE("a group with a count and a list") {
  CHECK(of_group(R"("count": 1, "nodes": [{"id": "a", "gpus": 8}])") ==
        "f.json: /groups/0: has a \"count\" and a list of \"nodes\"\n    keep one of them");
}

TEST_CASE("a list of nodes in a group that is wired") {
  CHECK(of_group(R"("nodes_per_leaf": 2, "nodes": [{"id": "a", "gpus": 8}])") ==
        "f.json: /groups/0/nodes_per_leaf: there is no such key here\n"
        "    it takes: nodes, count, gpus, gpu_type, mig, fabric, links, wiring");
}

TEST_CASE("numbers that are not whole, negative, too large, or no numbers") {
  const auto [value, shown] = GENERATE(table<std::string, std::string>({{"8.5", "8.5"},
                                                                        {"-1", "-1"},
                                                                        {"0", "0"},
                                                                        {"65", "65"},
                                                                        {"\"8\"", "\"8\""},
                                                                        {"true", "true"},
                                                                        {"[8]", "[8]"},
                                                                        {"1e2", "100.0"}}));
  CHECK(of_group("\"count\": 2, \"gpus\": " + value) ==
        "f.json: /groups/0/gpus: expected a whole number from 1 to 64, got " + shown);
}

TEST_CASE("null is not set") {
  CHECK(of_group(R"("count": 2, "gpus": null)") == "f.json: /groups/0: \"gpus\" is missing");
}

TEST_CASE("a number that no double holds") {
  CHECK(of_group(R"("count": 1e999)") == "f.json:1:23: not JSON: number overflow parsing '1e999'");
}

TEST_CASE("a huge fleet, in one group or in several") {
  CHECK(of_group(R"("count": 5000000, "gpus": 8)") ==
        "f.json: /groups/0/count: expected a whole number from 1 to 4194304, got 5000000");
  CHECK(message(R"({"groups": [{"count": 9, "gpus": 8}, {"count": 4194304, "gpus": 8}]})") ==
        "f.json: /groups/1: the fleet would have 4194313 nodes; expected at most 4194304");
}

TEST_CASE("texts that are not texts, or empty") {
  CHECK(of_group(R"("count": 2, "gpus": 8, "gpu_type": 100)") ==
        "f.json: /groups/0/gpu_type: expected a text in quotes, got 100");
  CHECK(of_nodes(R"({"id": "", "gpus": 8})") ==
        "f.json: /nodes/0/id: is empty\n    leave the key out if there is nothing to say");
}

TEST_CASE("a node without a name, without GPUs") {
  CHECK(of_nodes(R"({"gpus": 8})") == "f.json: /nodes/0: \"id\" is missing");
  CHECK(of_nodes(R"({"id": "a"})") == "f.json: /nodes/0: \"gpus\" is missing");
}

TEST_CASE("two nodes of one name") {
  CHECK(of_nodes(R"({"id": "a", "gpus": 8}, {"id": "a", "gpus": 8})") ==
        "f.json: there are two of node \"a\"\n    names are unique among those of a kind");
}

TEST_CASE("a rack and a leaf") {
  CHECK(of_nodes(R"({"id": "a", "gpus": 8, "rack": "A", "leaf": "A"})") ==
        "f.json: /nodes/0: has a \"rack\" and a \"leaf\"\n    they are the same: keep one");
}

TEST_CASE("a node that alone names no rack, pod or fabric") {
  const std::string what = GENERATE("rack", "pod", "fabric");
  CHECK(of_nodes(R"({"id": "a", "gpus": 8, ")" + what + R"(": "A"}, {"id": "b", "gpus": 8})") ==
        "f.json: /nodes/1: node \"b\" names no " + what + ", but node \"a\" does\n    name the " +
            what + " of every node of the list, or of none");
}

TEST_CASE("a rack in two pods") {
  CHECK(of_nodes(R"({"id": "a", "gpus": 8, "rack": "A", "pod": "P"},
                    {"id": "b", "gpus": 8, "rack": "A", "pod": "Q"})") ==
        "f.json: /nodes/1: leaf \"A\" is in one pod for node \"b\" and in another for node \"a\"\n"
        "    a domain is in one place: correct one of the nodes, or give two names");
}

TEST_CASE("an NVLink domain in two racks") {
  CHECK(of_nodes(R"({"id": "a", "gpus": 8, "rack": "A", "nvlink": "V"},
                    {"id": "b", "gpus": 8, "rack": "B", "nvlink": "V"})") ==
        "f.json: NVLink domain \"V\" is under two: leaf \"A\" (node \"a\") and leaf \"B\" (node "
        "\"b\")\n"
        "    an NVLink domain is under one leaf");
}

TEST_CASE("NVLink domains that do not fit into leaves") {
  CHECK(of_group(R"("count": 36, "gpus": 4, "nvlink_nodes": 18, "nodes_per_leaf": 32)") ==
        "f.json: /groups/0: nodes_per_leaf is 32, which is not a multiple of nvlink_nodes, 18\n"
        "    an NVLink domain is under one leaf");
}

TEST_CASE("pods without leaves") {
  CHECK(of_group(R"("count": 36, "gpus": 4, "leaves_per_pod": 2)") ==
        "f.json: /groups/0: leaves_per_pod without nodes_per_leaf\n"
        "    say how many nodes a leaf has, or leave out leaves_per_pod");
}

TEST_CASE("a link that carries nothing, or in the wrong unit") {
  CHECK(of_group(R"("count": 1, "gpus": 8, "links": {"node": {"gbytes_per_s": 0}})") ==
        "f.json: /groups/0/links/node/gbytes_per_s: expected a number from 1e-09 to 1000000.0, got "
        "0");
  CHECK(
      message(
          R"({"groups": [{"count": 1, "gpus": 8}], "links": {"leaf": {"gbytes_per_s": 4e11}}})") ==
      "f.json: /links/leaf/gbytes_per_s: expected a number from 1e-09 to 1000000.0, got "
      "400000000000.0");
  CHECK(of_group(R"("count": 1, "gpus": 8, "links": {"nodes": {}})") ==
        "f.json: /groups/0/links/nodes: there is no such key here\n    did you mean \"node\"?");
}

TEST_CASE("storage of a fabric that gives nothing, has no rate, or two") {
  CHECK(of_group(R"("count": 1, "gpus": 8, "links": {"storage": {"gbytes_per_s": 0}})") ==
        "f.json: /groups/0/links/storage/gbytes_per_s: expected a number from 1e-09 to 1000000.0, "
        "got 0");
  CHECK(of_group(R"("count": 1, "gpus": 8, "links": {"storage": {}})") ==
        "f.json: /groups/0/links/storage: \"gbytes_per_s\" is missing");
  CHECK(message(R"({"groups": [
            {"count": 1, "gpus": 8, "fabric": "A", "links": {"storage": {"gbytes_per_s": 1}}},
            {"count": 1, "gpus": 8, "fabric": "A", "links": {"storage": {"gbytes_per_s": 2}}}]})") ==
        "f.json: /groups/1: the storage of fabric \"A\" gives another rate here than what was said "
        "of it before\n"
        "    it is one for all of a fabric: say it once, or give two fabrics two names");
}

TEST_CASE("65 GPU types") {
  std::string groups;
  for (int i = 0; i < 65; ++i)
    groups += (i ? ", " : "") + std::string{"{\"count\": 1, \"gpus\": 1, \"gpu_type\": \"t"} +
              std::to_string(i) + "\"}";
  CHECK(message("{\"groups\": [" + groups + "]}") ==
        "f.json: the fleet has 65 GPU types; expected at most 64\n"
        "    GPUs that jobs may use alike can share a type");
}

TEST_CASE("nesting that would overflow the stack") {
  CHECK(message(std::string(1000000, '[')) == "f.json: nested deeper than any configuration is");
}
