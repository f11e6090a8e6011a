#include <string>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/generate.hpp"

using namespace muster;

namespace {

std::string message(const std::string& json) {
  try {
    parse_synthetic_spec(json, "week.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kExtent = R"("jobs": 10, "jobs_per_hour": 1)";
const std::string kSizes = R"("sizes": [{"gpus": 1}])";
const std::string kDurations = R"("durations": {"short": [{"median": "5min"}]})";

std::string with(const std::string& part) {
  return message("{" + kExtent + ", " + kSizes + ", " + kDurations + ", " + part + "}");
}
std::string with_size(const std::string& size) {
  return message("{" + kExtent + ", " + kDurations + ", \"sizes\": [" + size + "]}");
}
std::string with_durations(const std::string& durations) {
  return message("{" + kExtent + ", " + kSizes + ", \"durations\": " + durations + "}");
}
std::string with_extent(const std::string& extent) {
  return message("{" + extent + ", " + kSizes + ", " + kDurations + "}");
}

}  // namespace

TEST_CASE("the smallest specification is accepted") {
  CHECK(with_extent(kExtent) == "accepted");
  CHECK(with_extent(R"("span": "7d", "load": 1.1, "gpus": 64)") == "accepted");
}

TEST_CASE("a specification that is not JSON names line and column") {
  CHECK(message("{\n  \"jobs\": 1,,\n}").substr(0, 24) == "week.json:2:13: not JSON");
  CHECK(message("[]") ==
        "week.json: expected an object with the parameters of a trace specification, got []");
}

TEST_CASE("unknown keys are refused with what was meant") {
  CHECK(with(R"("arrival": {})") ==
        "week.json: /arrival: a trace specification has no such parameter\n"
        "    did you mean \"arrivals\"?");
  CHECK(
      with(R"("lod": 1.2)") ==
      "week.json: /lod: a trace specification has no such parameter\n"
      "    did you mean \"load\"?  it takes: load (number, 0.0) GPU time wanted / (gpus x span); 0 "
      "= from the rate");
  CHECK(with(R"("arrivals": {"batch_size": 3})") ==
        "week.json: /arrivals/batch_size: the arrival process has no such parameter\n"
        "    did you mean \"batch_mean\"?  it takes: batch_mean (number, 1.0) mean number of jobs "
        "submitted together, by one user and of one size");
  CHECK(with_size(R"({"gpu": 8})") ==
        "week.json: /sizes/0/gpu: a size has no such parameter\n"
        "    did you mean \"gpus\"?  it takes: gpus (int, 0) GPUs, placed as the placer likes");
  CHECK(with(R"("estimates": {"rounded": ["1h"]})") ==
        "week.json: /estimates/rounded: the estimate model has no such parameter\n"
        "    did you mean \"round\"?");
}

TEST_CASE("how much is said once, not twice and not never") {
  const std::string jobs_or_span =
      "week.json: needs either jobs or span\n"
      "    \"jobs\": 10000 or \"span\": \"7d\"";
  CHECK(with_extent(R"("jobs_per_hour": 1)") == jobs_or_span);
  CHECK(with_extent(R"("jobs": 5, "span": "7d", "jobs_per_hour": 1)") == jobs_or_span);
  const std::string rate_or_load =
      "week.json: needs either jobs_per_hour or load\n"
      "    \"jobs_per_hour\": 40 or \"load\": 1.1, \"gpus\": 128";
  CHECK(with_extent(R"("jobs": 5)") == rate_or_load);
  CHECK(with_extent(R"("jobs": 5, "jobs_per_hour": 1, "load": 1, "gpus": 8)") == rate_or_load);
  CHECK(with_extent(R"("jobs": 5, "load": 1)") ==
        "week.json: /gpus: a load needs the number of GPUs it is counted on\n"
        "    \"gpus\": 128");
}

TEST_CASE("values of another type or out of range are refused") {
  CHECK(with_extent(R"("jobs": -5, "jobs_per_hour": 1)") ==
        "week.json: /jobs: expected an integer 0..50000000, got -5");
  CHECK(with_extent(R"("span": "7 days", "jobs_per_hour": 1)") ==
        "week.json: /span: expected a time of at most 100 years (seconds, or text such as "
        "\"15min\"), "
        "got \"7 days\"");
  CHECK(with_extent(R"("span": "unlimited", "jobs_per_hour": 1)") ==
        "week.json: /span: expected a time of at most 100 years, got \"unlimited\"");
  CHECK(with(R"("arrivals": {"day": 1.5})") ==
        "week.json: /arrivals/day: expected a number 0..1, got 1.5");
  CHECK(with(R"("arrivals": {"first_day": "mondey"})") ==
        "week.json: /arrivals/first_day: expected one of monday, tuesday, wednesday, thursday, "
        "friday, saturday, sunday, got \"mondey\"\n"
        "    did you mean \"monday\"?");
  CHECK(with(R"("resolution": 0)") ==
        "week.json: /resolution: expected a time above 0, at most 1d");
}

TEST_CASE("sizes that make no sense are refused") {
  const std::string either =
      "week.json: /sizes/0: needs either gpus, or nodes and gpus_per_node\n"
      "    {\"gpus\": 16} or {\"nodes\": 2, \"gpus_per_node\": 8}";
  CHECK(with_size("{}") == either);
  CHECK(with_size(R"({"nodes": 2})") == either);
  CHECK(with_size(R"({"gpus": 16, "nodes": 2, "gpus_per_node": 8})") == either);
  CHECK(with_size(R"({"gpus": 2, "gpu_milli": 500})") ==
        "week.json: /sizes/0/gpu_milli: a share of a GPU needs gpus = 1\n"
        "    {\"gpus\": 1, \"gpu_milli\": 500}");
  CHECK(with_size(R"({"gpus": 1, "durations": "shrot"})") ==
        "week.json: /sizes/0/durations: there are no durations \"shrot\"\n"
        "    did you mean \"short\"?");
  CHECK(with_size(R"({"gpus": 1, "weight": 0})") ==
        "week.json: /sizes: all weights are 0, so nothing can be drawn\n"
        "    give one a positive weight");
  CHECK(with_size("") == "week.json: /sizes: expected a list of sizes, got []");
  CHECK(message("{" + kExtent + ", " + kSizes +
                R"(, "durations": {"a": [{"median": 1}], "b": [{"median": 2}]}})") ==
        "week.json: /sizes/0/durations: which of the durations?\n"
        "    there are: a, b");
  CHECK(message("{" + kExtent + ", " + kDurations + "}") == "week.json: needs sizes");
}

TEST_CASE("laws that cannot be drawn from are refused") {
  CHECK(with_durations(R"({"d": [{"sigma": 2}]})") ==
        "week.json: /durations/d/0: a lognormal or constant law needs a median above 0\n"
        "    for example \"median\": \"20min\"");
  CHECK(with_durations(R"({"d": [{"law": "pareto", "least": "2h", "most": "1h"}]})") ==
        "week.json: /durations/d/0: a pareto law needs least and most, 0 < least < most\n"
        "    for example \"least\": \"1h\", \"most\": \"14d\"");
  CHECK(with_durations(R"({"d": [{"median": "1h", "least": "2h", "most": "1h"}]})") ==
        "week.json: /durations/d/0/most: is less than least");
  CHECK(with_durations(R"({"d": [{"median": "1h", "most": "unlimited"}]})") ==
        "week.json: /durations/d/0/most: expected a time of at most 100 years, got \"unlimited\"");
  CHECK(with_durations(R"({"d": [{"median": "1h", "weight": 0}]})") ==
        "week.json: /durations/d: all weights are 0, so nothing can be drawn\n"
        "    give one a positive weight");
  CHECK(with_durations("{}") ==
        "week.json: /durations: expected an object of named mixtures, got {}\n"
        "    for example {\"short\": [{\"median\": \"5min\", \"sigma\": 1.5}]}");
}

TEST_CASE("outcomes, estimates, queues and priorities are checked one by one") {
  CHECK(with(R"("outcomes": {"fialed": 3})") ==
        "week.json: /outcomes/fialed: there is no such outcome\n"
        "    did you mean \"failed\"?");
  CHECK(with(R"("outcomes": {"failed": -3})") ==
        "week.json: /outcomes/failed: expected an integer >= 0, got -3");
  CHECK(with(R"("estimates": {"round": ["1h", "soon"]})") ==
        "week.json: /estimates/round/1: expected a time above 0, got \"soon\"\n"
        "    for example \"30min\"");
  CHECK(with(R"("estimates": {"round": ["2h", "1h"]})") ==
        "week.json: /estimates/round/1: expected a longer time than the one before, got \"1h\"");
  CHECK(with(R"("queues": {"a/b": -1})") ==
        "week.json: /queues/a~1b: expected an integer >= 0, got -1");
  CHECK(with(R"("priorities": [{"value": 1.5}])") ==
        "week.json: /priorities/0/value: expected an integer -2147483648..2147483647, got 1.5");
}

TEST_CASE("a file that is not there says so") {
  std::string what;
  try {
    read_synthetic_spec("no/such.json");
  } catch (const InputError& error) {
    what = error.what();
  }
  CHECK(what == "no/such.json: cannot be read");
}
