// Decayed usage by hand, and what an explanation says of it.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "muster/io/trace.hpp"
#include "muster/policy/parts/decayed_usage.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace std::chrono_literals;
using test::Approx;

TEST_CASE("usage halves in a half-life and accrues while GPUs are held") {
  DecayedUsage used{800, 0, kStart - 300s};
  used.bring_to(kStart, 100s);
  CHECK(used.gpu_seconds == Approx(100));
  used.bring_to(kStart + 200s, 100s);
  CHECK(used.gpu_seconds == Approx(25));
  used.milli = 1000;
  used.bring_to(kStart + 210s, 100s);
  CHECK(used.gpu_seconds == Approx(32.98712));  // 25 x 2^-0.1 + (100 / ln 2)(1 - 2^-0.1)
  used.milli = 0;
  used.bring_to(kStart + 310s, 100s);
  CHECK(used.gpu_seconds == Approx(32.98712 / 2));
}

TEST_CASE("usage stays a number after thousands of half-lives, and tends to g h / ln 2") {
  DecayedUsage used{1e18, 0, kStart};
  used.bring_to(kStart + 5000s, 1s);
  CHECK(used.gpu_seconds == 0);
  used.milli = 2000;
  used.bring_to(kStart + 10000s, 1s);
  CHECK(used.gpu_seconds == Approx(2 / 0.69314718056));
}

TEST_CASE("why names the usage of who waits and of who is first") {
  const Trace trace = read_trace_text(
      "job,submit,gpus,duration,user\n"
      "x,0,4,1000,carol\n"  // all of the fleet until 1000
      "b,10,4,10,bob\n"
      "a,20,4,10,alice\n",
      "t.csv");
  const auto policy =
      test::policy(R"(batch:order=fair_share,half_life=1000,usage={"alice":100,"bob":300})");
  const Fleet fleet = Fleet::uniform(1, 4);
  const JobId bob{1};
  const WhyReport report =
      why(fleet, trace.workload, *policy, EngineOptions{}, bob, kStart + 20s, 1);
  REQUIRE(report.waiting);
  // 300 x 2^-0.02 and 100 x 2^-0.02
  CHECK_THAT(report.at.text,
             test::EndsWith("; user bob has used 295.87 GPU-seconds that still count, user alice "
                            "has used 98.623 GPU-seconds that still count, whose job a is first"));
}
