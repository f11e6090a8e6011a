// Many questions in one CSV.

#include "catch.hpp"
#include "muster/io/cost.hpp"

using namespace muster;
using namespace muster::test;

TEST_CASE("answers stand in the order of the questions, bad rows say what is wrong") {
  const CostBatch batch = cost_batch(
      "kind,fleet,placement,op,bytes,model,plan\n"
      "collective,2x8:h100,4+4,all_reduce,1GiB,,\n"
      "\n"
      "collective,2x8:h100,9,all_reduce,1GiB,,\n"
      "step,2x8:h100,2x8,,,llama3-8b,\"tp=2,global_batch=16\"\n"
      "guess,2x8:h100,8,,,,\n"
      "collective,2x8:h100,8\n",
      "q.csv");
  CHECK(batch.rows == 5);
  REQUIRE(batch.errors.size() == 3);
  CHECK_THAT(batch.errors[0], StartsWith("q.csv:4: placement: the fleet has no node left"));
  CHECK_THAT(batch.errors[1], StartsWith("q.csv:6: kind: expected collective or step"));
  CHECK_THAT(batch.errors[2], StartsWith("q.csv:7: has 3 fields, the header 7"));
  CHECK_THAT(batch.csv, StartsWith("kind,op,bytes,gpus,nodes,algorithm,time_us,algbw,busbw,"
                                   "calibration,model,plan,seconds,"));
  CHECK_THAT(batch.csv, Contains("\ncollective,all_reduce,1073741824,8,2,"));
  CHECK_THAT(batch.csv, Contains("\nstep,,,16,"));
  // The same as asked one by one.
  CostQuestion one;
  one.kind = "collective";
  one.values = {{"fleet", "2x8:h100"}, {"placement", "4+4"}, {"bytes", "1GiB"}};
  one.where = [](std::string_view name) { return std::string{name}; };
  for (const auto& [name, value] : CostDesk{}.answer(one).values)
    if (name == "time_us") CHECK_THAT(batch.csv, Contains("," + value + ","));
}

TEST_CASE("a CSV that asks nothing") {
  CHECK_THROWS_WITH(cost_batch("", "q.csv"), StartsWith("q.csv: is empty"));
  CHECK_THROWS_WITH(
      cost_batch("kind,flet\n", "q.csv"),
      StartsWith("q.csv:1: there is no column \"flet\"\n    did you mean \"fleet\"?"));
  CHECK_THROWS_WITH(cost_batch("kind,fleet\n", "q.csv"),
                    StartsWith("q.csv:1: column \"placement\" is missing"));
}

TEST_CASE("a byte order mark is no part of the first column's name") {
  const CostBatch batch = cost_batch(
      "\xEF\xBB\xBFkind,fleet,placement,op,bytes\ncollective,2x8:h100,4+4,all_reduce,1GiB\n",
      "q.csv");
  CHECK(batch.rows == 1);
  CHECK(batch.errors.empty());
}
