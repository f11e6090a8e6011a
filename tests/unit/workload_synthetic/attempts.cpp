// Made-up jobs that fail by themselves before they run to their end.

#include <algorithm>
#include <chrono>
#include <vector>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/generate.hpp"
#include "muster/workload/synthetic.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// 20,000 jobs of an hour, and whatever `more` says.
SyntheticSpec spec(const std::string& more,
                   const std::string& much = R"("jobs": 20000, "jobs_per_hour": 100)") {
  return parse_synthetic_spec("{" + much + R"(, "sizes": [{"gpus": 2}],
      "durations": {"hour": [{"law": "constant", "median": "1h"}]})" +
                                  more + "}",
                              "spec");
}

std::string refusal(const std::string& attempts) {
  try {
    spec(", \"attempts\": " + attempts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the share of jobs with failed attempts, how many they have and how long these run") {
  const Workload w = generate(
      spec(
          R"(, "attempts": {"share": 0.2, "mean": 2.5, "median": "10min", "sigma": 1, "most": "2h"})"),
      1);
  std::vector<Duration> times;
  std::size_t jobs = 0, more_than_two = 0;
  for (const auto& [j, attempts] : w.truth.failed_attempts) {
    ++jobs;
    more_than_two += attempts.size() > 2;
    times.insert(times.end(), attempts.begin(), attempts.end());
  }
  const auto n = static_cast<double>(jobs);
  CHECK(n / 20000 == Approx(0.2).margin(0.01));
  CHECK(static_cast<double>(times.size()) / n == Approx(2.5).margin(0.1));
  CHECK(static_cast<double>(more_than_two) / n == Approx(0.6 * 0.6).margin(0.03));
  std::sort(times.begin(), times.end());
  CHECK(seconds(times[times.size() / 2]) == Approx(600).epsilon(0.05));
  // ln 12 = 2.48 sigmas: 0.65 % are longer than 2 h.
  CHECK(times.back() == 2h);
  CHECK(static_cast<double>(std::count(times.begin(), times.end(), Duration{2h})) /
            static_cast<double>(times.size()) ==
        Approx(0.0065).margin(0.002));
}

TEST_CASE("failed attempts change nothing else of the jobs") {
  const Workload without = generate(spec(""), 3);
  const Workload with = generate(spec(R"(, "attempts": {"share": 0.5})"), 3);
  CHECK(without.truth.failed_attempts.empty());
  CHECK(with.truth.failed_attempts.size() > 9000);
  bool same = with.size() == without.size();
  for (std::uint32_t i = 0; same && i < with.size(); ++i)
    same = with.submit[JobId{i}] == without.submit[JobId{i}] &&
           with.truth.duration[JobId{i}] == without.truth.duration[JobId{i}];
  CHECK(same);
}

TEST_CASE("their time is part of the load") {
  // Every job has one attempt of an hour before its hour: half as many of them are as much work.
  const std::string much = R"("span": "30d", "load": 1, "gpus": 64)";
  const std::string attempts =
      R"(, "attempts": {"share": 1, "mean": 1, "median": "1h", "sigma": 0})";
  const std::size_t jobs = generate(spec("", much), 1).size();
  CHECK(jobs == 30 * 24 * 64 / 2);
  CHECK(generate(spec(attempts, much), 1).size() == jobs / 2);
}

TEST_CASE("what is wrong with failed attempts is said") {
  CHECK(refusal("{}") ==
        "spec: /attempts/share: needs the share of the jobs that have failed attempts\n    for "
        "example "
        "\"share\": 0.1");
  CHECK(refusal(R"({"share": 0})") ==
        "spec: /attempts/share: expected more than 0, got 0\n    without \"attempts\" no job has "
        "failed ones");
  CHECK(refusal(R"({"share": 0.1, "most": "5min"})") ==
        "spec: /attempts/most: expected no less than the median, which is 600 s, got \"5min\"\n"
        "    a lower \"median\"; with \"sigma\": 0 all of them take that long");
  CHECK(refusal(R"({"share": 0.1, "most": "10min"})") == "accepted");
  CHECK(refusal(R"({"share": 0.1, "median": 0})") ==
        "spec: /attempts/median: expected a time above 0, at most 100 years\n    for example "
        "\"10min\"");
  CHECK_THAT(refusal(R"({"share": 0.1, "meen": 2})"),
             StartsWith("spec: /attempts/meen: the model of failed attempts has no such parameter\n"
                        "    did you mean \"mean\"?"));
}
