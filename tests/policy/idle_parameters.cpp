// What is set and would change nothing is refused, with what would make it mean something.

#include "catch.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;

TEST_CASE("what the order does not look at is refused") {
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal("batch:backfill=easy,calc_period=1h"),
             Contains("calc_period: changes nothing: order=fifo does not look at it"));
  CHECK_THAT(refusal("batch:order=drf,half_life=1h"), Contains("order=drf does not look at it"));
  CHECK_THAT(refusal("batch:order=wfp3,half_life=1h"), Contains("order=multifactor, fair_share"));
  CHECK_THAT(refusal("batch:order=sjf,admission=reject"),
             Contains("admission: changes nothing: order=sjf does not look at it"));
  for (const char* fine :
       {"batch:order=wfp3,calc_period=1h", "batch:order=multifactor,calc_period=1h,half_life=1h",
        "batch:order=fair_share,half_life=1h,calc_period=1h", "batch:order=edf,admission=reject",
        "batch:order=sjf,admission=none", "batch:half_life=7d"})
    CHECK(refusal(fine) == "");
}

TEST_CASE("the exponent of a mean that nobody takes is refused") {
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal("elastic:sizes=afs,power=-2"),
             Contains("power: changes nothing: sizes=afs does not look at it"));
  CHECK(refusal("elastic:sizes=pollux,power=-2") == "");
  CHECK(refusal("elastic:sizes=sia,power=-2") == "");
}
