#include "muster/io/params_json.hpp"
#include "catch.hpp"
#include "muster/core/error.hpp"

using namespace muster;

namespace {

constexpr std::string_view kBackfill[] = {"none", "easy", "conservative"};

/// One parameter of each kind.
struct Sample {
  enum class Backfill { none, easy, conservative };
  bool skip = false;
  std::int64_t depth = 100;
  double share = 0.5;
  Duration patience = kUnknown;
  std::string label;
  Backfill backfill = Backfill::none;
  std::map<std::string, std::int64_t> caps;

  void walk(ParamVisitor& visit) {
    visit.visit("skip", skip, "whoever fits starts");
    visit.visit("depth", depth, 1, 1000, "waiting jobs tried behind the reservation");
    visit.visit("share", share, 0.0, 1.0, "part of the fleet");
    visit.visit("patience", patience, "how long a job waits");
    visit.visit("label", label, "for reports");
    visit.choice("backfill", backfill, kBackfill, "who may overtake");
    visit.visit("caps", caps, "GPUs per queue");
  }
};

std::string read(Sample& sample, std::string_view json) {
  return read_params(json, [&](ParamVisitor& visit) { sample.walk(visit); },
                     {"policy \"batch\"", [](std::string_view name) {
                        return name.empty() ? std::string{"easy.json"}
                                            : "easy.json: /policy/" + std::string{name};
                      }});
}

std::string message(std::string_view json) {
  Sample sample;
  try {
    read(sample, json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("parameters are read, and what is not given keeps its default") {
  Sample s;
  read(s, R"({"skip": true, "depth": 7, "share": 1, "patience": "1.5h", "label": "x", // a comment
              "backfill": "easy", "caps": {"a": 8, "b/c": 0} })");
  CHECK(s.skip);
  CHECK(s.depth == 7);
  CHECK(s.share == 1.0);
  CHECK(s.patience == std::chrono::minutes{90});
  CHECK(s.label == "x");
  CHECK(s.backfill == Sample::Backfill::easy);
  CHECK(s.caps == std::map<std::string, std::int64_t>{{"a", 8}, {"b/c", 0}});

  Sample untouched;
  read(untouched, R"({"depth": null, "patience": null, "share": null, "caps": null})");
  CHECK(untouched.depth == 100);
  CHECK(untouched.patience == kUnknown);
}

TEST_CASE("times are exact") {
  const auto time = [](std::string_view json) {
    Sample s;
    read(s, "{\"patience\": " + std::string{json} + "}");
    return s.patience.count();
  };
  CHECK(time("0") == 0);
  CHECK(time("90") == 90'000'000'000);
  CHECK(time("0.1") == 100'000'000);
  CHECK(time("864000.000000001") == 864'000'000'000'001);
  CHECK(time("\"8640000.000000001\"") == 8'640'000'000'000'001);  // a double would say ...002
  CHECK(time("1e-9") == 1);
  CHECK(time("\"3d\"") == 3 * 86'400'000'000'000);
  CHECK(time("\"1h30min\"") == 5'400'000'000'000);
  CHECK(time("\"250ms\"") == 250'000'000);
  CHECK(time("\"unlimited\"") == kUnlimited.count());
  CHECK(time("null") == kUnknown.count());
}

TEST_CASE("reading what was written back gives the same") {
  Sample s;
  const std::string all = read(s, R"({"patience": 0.000000001, "caps": {"a": 1}, "share": 0.1,
                                       "backfill": "conservative"})");
  Sample again;
  CHECK(read(again, all) == all);
  CHECK(again.patience.count() == 1);
  CHECK(again.share == s.share);
  CHECK(dump_params([&](ParamVisitor& visit) { again.walk(visit); }) == all);
  CHECK(all == R"({
  "skip": false,
  "depth": 100,
  "share": 0.1,
  "patience": "0.000000001s",
  "label": "",
  "backfill": "conservative",
  "caps": {
    "a": 1
  }
})");
}

TEST_CASE("a wrong parameter says what would be right") {
  const auto [json, text] = GENERATE(table<std::string, std::string>({
      {R"({"depht": 5})",
       "easy.json: /policy/depht: policy \"batch\" has no such parameter\n"
       "    did you mean \"depth\"?  it takes: depth (int, 100) waiting jobs tried behind the "
       "reservation"},
      {R"({"zzzzzzzzzzzz": 5})",
       "easy.json: /policy/zzzzzzzzzzzz: policy \"batch\" has no such parameter\n"
       "    it takes: skip, depth, share, patience, label, backfill, caps"},
      {R"({"skip": "yes"})", "easy.json: /policy/skip: expected true or false, got \"yes\""},
      {R"({"skip": 1})", "easy.json: /policy/skip: expected true or false, got 1"},
      {R"({"depth": 0})", "easy.json: /policy/depth: expected an integer 1..1000, got 0"},
      {R"({"depth": 2.5})", "easy.json: /policy/depth: expected an integer 1..1000, got 2.5"},
      {R"({"depth": "7"})", "easy.json: /policy/depth: expected an integer 1..1000, got \"7\""},
      {R"({"depth": 18446744073709551615})",
       "easy.json: /policy/depth: expected an integer 1..1000, got 18446744073709551615"},
      {R"({"share": 1.5})", "easy.json: /policy/share: expected a number 0..1, got 1.5"},
      {R"({"patience": "2 fortnights"})",
       "easy.json: /policy/patience: expected a time of at most 100 years (seconds, or text such "
       "as "
       "\"15min\"), got \"2 fortnights\""},
      {R"({"patience": -1})",
       "easy.json: /policy/patience: expected a time of at most 100 years (seconds, or text such "
       "as "
       "\"15min\"), got -1"},
      {R"({"patience": 1e300})",
       "easy.json: /policy/patience: expected a time of at most 100 years (seconds, or text such "
       "as "
       "\"15min\"), got 1e+300"},
      {R"({"label": 5})", "easy.json: /policy/label: expected text, got 5"},
      {R"({"backfill": "eazy"})",
       "easy.json: /policy/backfill: expected one of none, easy, conservative, got \"eazy\"\n"
       "    did you mean \"easy\"?"},
      {R"({"backfill": 1})",
       "easy.json: /policy/backfill: expected one of none, easy, conservative, got 1"},
      {R"({"caps": [1]})",
       "easy.json: /policy/caps: expected an object such as {\"a\": 8, \"b\": 16}, got [1]"},
      {R"({"caps": {"a/b": "8"}})",
       "easy.json: /policy/caps/a~1b: expected an integer >= 0, got \"8\""},
      {R"([])", "easy.json: expected an object with the parameters of policy \"batch\", got []"},
      {R"({"depth": 1, "depth": 2})",
       "easy.json: /depth: given twice in one object\n    remove one of them"},
      {"{\n  \"depth\": 1,\n  \"skip\" true\n}",
       "easy.json:3:13: not JSON: syntax error while parsing object separator - unexpected true "
       "literal; expected ':'"},
      {"",
       "easy.json:1:1: not JSON: syntax error while parsing value - unexpected end of input; "
       "expected '[', '{', or a literal"},
  }));
  CHECK(message(json) == text);
}

TEST_CASE("parameters are listed with their defaults and limits") {
  Sample s;
  std::string text;
  for (const ParamInfo& param : list_params([&](ParamVisitor& visit) { s.walk(visit); }))
    text += describe(param) + "\n";
  CHECK(text == R"(skip (true | false, false) whoever fits starts
depth (int, 100) waiting jobs tried behind the reservation
share (number, 0.5) part of the fleet
patience (time, not set) how long a job waits
label (text, not set) for reports
backfill (none | easy | conservative, none) who may overtake
caps (name: int, ..., not set) GPUs per queue
)");
}

TEST_CASE("whoever refuses his defaults is listed, and takes other values") {
  std::int64_t value = 1;
  const ParamWalk walk = [&](ParamVisitor& visit) {
    value = 1;
    visit.visit("value", value, 1, 9, "2 or more");
    if (value < 2) throw InputError("/policy/value", "expected 2 or more");
  };
  CHECK(list_params(walk).at(0).name == "value");
  CHECK_THAT(params_schema(walk), muster::test::Contains("\"value\""));
  const ParamSource source{"it", [](std::string_view) { return "f"; }};
  CHECK_NOTHROW(read_params(R"({"value": 2})", walk, source));
  CHECK(value == 2);
  CHECK_THROWS_WITH(read_params("{}", walk, source), "/policy/value: expected 2 or more");
}

TEST_CASE("the schema says what the reader accepts") {
  Sample s;
  const std::string schema = params_schema([&](ParamVisitor& visit) { s.walk(visit); });
  CHECK_THAT(schema, test::Contains(R"("additionalProperties": false)"));
  CHECK_THAT(schema, test::Contains(R"("depth": {
      "type": "integer",
      "minimum": 1,
      "maximum": 1000,
      "default": 100,
      "description": "waiting jobs tried behind the reservation"
    })"));
  CHECK_THAT(schema, test::Contains(R"("enum": [
        "none",
        "easy",
        "conservative"
      ])"));
}
