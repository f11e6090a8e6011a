#include "muster/metrics/load.hpp"

#include "catch.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/trace.hpp"

using namespace muster;
using namespace std::chrono_literals;

namespace {

Loads of(std::string_view csv, const std::string& fleet_spec) {
  const Fleet fleet = load_fleet(fleet_spec);
  const Trace trace = read_trace_text(csv, "t.csv");
  return loads(trace.workload, fleet, resolve_all(trace.workload, fleet, Cutting{}));
}

}  // namespace

TEST_CASE("four GPUs asked of three for as long as the jobs are") {
  const Loads found =
      of("job,submit,gpus,duration\nx0,0,1,100\nx1,0,1,100\nx2,0,1,100\nx3,0,1,100\n", "1x3");
  CHECK(found.fleet.from == kStart);
  CHECK(found.fleet.to == kStart + 100s);
  CHECK(found.fleet.ratio() == test::Approx(4.0 / 3));
  REQUIRE(found.fleet.above);
  CHECK(found.fleet.above->windows == 1);
  CHECK(found.fleet.above->from == kStart);
  CHECK(found.fleet.above->to == kStart + 100s);
  CHECK(found.fleet.above->peak_milli == 4000);
  CHECK(!found.recorded);
}

TEST_CASE("the load is over the time in which the jobs arrive") {
  // 8 GPUs for 10 s each, at 0, 40 and 80: 240 GPU-seconds of 8 x 80.
  const Loads found = of("job,submit,gpus,duration\na,0,8,10\nb,40,8,10\nc,80,8,10\n", "1x8");
  CHECK(found.fleet.to == kStart + 80s);
  CHECK(found.fleet.ratio() == test::Approx(240.0 / 640));
  CHECK(!found.fleet.above);
}

TEST_CASE("use is what the trace recorded, where it did") {
  // b is submitted at once but ran only when a had ended: never 12 GPUs at a time. One ends in the
  // instant in which the other begins.
  const Loads found =
      of("job,submit,gpus,duration,recorded_start,recorded_end\na,0,6,50,0,50\nb,0,6,50,50,100\n",
         "1x8");
  CHECK(found.recorded);
  CHECK(!found.fleet.above);
}

TEST_CASE("windows above capacity are counted, and the highest is told") {
  const Loads found =
      of("job,submit,gpus,duration\n"
         "a,0,8,10\nb,5,4,10\n"                 // 12 from 5 to 10
         "c,100,8,10\nd,102,8,4\ne,104,8,1\n",  // 16 from 102, 24 from 104 to 105, 16 to 106
         "1x8");
  REQUIRE(found.fleet.above);
  CHECK(found.fleet.above->windows == 2);
  CHECK(found.fleet.above->in_all == 9s);
  CHECK(found.fleet.above->from == kStart + 102s);
  CHECK(found.fleet.above->to == kStart + 106s);
  CHECK(found.fleet.above->peak_milli == 24000);
}

TEST_CASE("a load above 1 is put into the summary, of each type and of them all") {
  const std::string four =
      "job,submit,gpus,duration,gpu_type\n"
      "a,0,1,100,A10\nb,0,1,100,A10\nc,0,1,100,A10\nd,0,1,100,A10\n";
  Summary s;
  s.warnings = {"estimate_missing: 3 jobs"};
  note_load(of(four, "1x3:A10"), s);
  CHECK(s.offered_load.value() == test::Approx(4.0 / 3));
  CHECK(s.warnings ==
        std::vector<std::string>{
            "offered_load_above_1: offered load 133.3 % of 3 A10 GPUs over 100 s: the queue will "
            "grow as long as jobs arrive",
            "estimate_missing: 3 jobs"});

  // The A10s are asked for too much, the fleet is not; with one H100 more asked for, both are.
  CHECK(load_warnings(of(four, "1x3:A10+1x1:H100")).size() == 1);
  const std::vector<std::string> both =
      load_warnings(of(four + "e,0,1,100,H100\n", "1x3:A10+1x1:H100"));
  REQUIRE(both.size() == 2);
  CHECK(both[1] ==
        "offered_load_above_1: offered load 125.0 % of 4 GPUs over 100 s: the queue will grow as "
        "long as jobs arrive");

  // Exactly as much as there is is not too much.
  CHECK(load_warnings(of("job,submit,gpus,duration\na,0,3,100\n", "1x3")).empty());
}

TEST_CASE("there is no load where no time passes") {
  Summary s;
  note_load(of("job,submit,gpus,duration\na,5,1,0\n", "1x3"), s);
  CHECK(!s.offered_load);
}

TEST_CASE("jobs count for the one type they can run on, and those that can't run for none") {
  const Loads found =
      of("job,submit,gpus,duration,gpu_type\n"
         "a,0,4,100,A100\nb,0,4,100,H100\nc,0,4,100,A100|H100\nd,0,4,100,\ne,0,9,100,A100\n",
         "1x8:A100+1x4:H100");
  REQUIRE(found.pools.size() == 2);
  CHECK(found.pools[0].jobs == 1);
  CHECK(found.pools[0].ratio() == test::Approx(0.5));
  CHECK(found.pools[1].ratio() == test::Approx(1.0));
  CHECK(found.flexible == 2);
  CHECK(found.fleet.jobs == 4);
  CHECK(found.impossible == 1);
  CHECK(found.impossible_first == std::vector<JobId>{JobId{4}});
  CHECK(found.widest == JobId{4});
  CHECK(!found.widest_fits);
}
