#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/core/hash.hpp"
#include "muster/io/generate.hpp"
#include "muster/workload/synthetic.hpp"

using namespace muster;
using namespace std::chrono_literals;

namespace {

SyntheticSpec spec(const std::string& json) { return parse_synthetic_spec(json, "spec"); }

/// A thousand one-hour jobs of one GPU, a hundred an hour, and whatever `more` says.
SyntheticSpec plain(const std::string& more = "") {
  return spec(R"({"jobs": 1000, "jobs_per_hour": 100, "sizes": [{"gpus": 1}],
                  "durations": {"hour": [{"law": "constant", "median": "1h"}]})" +
              (more.empty() ? "" : ", " + more) + "}");
}

std::uint64_t fingerprint(const Workload& w) {
  RunHash hash;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    const Shape& s = w.shapes[w.shape[j]];
    for (const auto v : {w.submit[j].time_since_epoch().count(), w.truth.duration[j].count(),
                         w.estimate[j].count()})
      hash.add(static_cast<std::uint64_t>(v));
    hash.add(std::uint64_t{s.gpus} << 32 | s.milli);
    hash.add(static_cast<std::uint64_t>(Workload::at_or(w.priority, j, 0)));
    hash.add(static_cast<std::uint64_t>(Workload::at_or(w.truth.outcome, j, Outcome::completed)));
    for (const NameId n : {w.user[j], w.queue[j]})
      for (const char c : w.names[n]) hash.add(static_cast<unsigned char>(c));
  }
  return hash.value();
}

template <class Which>
double share(const Workload& w, Which which) {
  double n = 0;
  for (std::uint32_t i = 0; i < w.size(); ++i) n += which(JobId{i}) ? 1 : 0;
  return n / static_cast<double>(w.size());
}

double hour(const Workload& w, JobId j) { return seconds(w.submit[j]) / 3600; }

bool near(double value, double expected, double margin) {
  return std::fabs(value - expected) <= margin;
}

constexpr const char* kEverything = R"({
  "jobs": 5000, "load": 1.2, "gpus": 64,
  "arrivals": {"day": 0.5, "weekend": 0.5, "burst_sigma": 0.8, "batch_mean": 3, "batch_together": 0.5},
  "durations": {"short": [{"median": "5min", "sigma": 1.5}],
                "long": [{"law": "pareto", "alpha": 0.8, "least": "1h", "most": "7d",
                          "outcomes": {"completed": 1, "failed": 1}}, {"weight": 2, "median": "1h"}]},
  "sizes": [{"gpus": 1, "weight": 6, "durations": "short"}, {"gpus": 1, "gpu_milli": 250, "durations": "short"},
            {"nodes": 2, "gpus_per_node": 8, "durations": "long"}],
  "outcomes": {"completed": 7, "cancelled": 2},
  "estimates": {"given": 0.8, "exact": 0.1, "round": ["30min", "1h", "1d"]},
  "users": {"count": 30}, "queues": {"a": 3, "b": 1},
  "priorities": [{"weight": 9}, {"value": 10, "qos": "guaranteed"}]})";

}  // namespace

TEST_CASE("a trace is a function of the specification and the seed, on every machine") {
  const SyntheticSpec s = spec(kEverything);
  const std::uint64_t first = fingerprint(generate(s, 1));
  CHECK(first == fingerprint(generate(s, 1)));
  CHECK(first != fingerprint(generate(s, 2)));
  CHECK(first == 0x8d2d4fbddf7e90f7);
}

TEST_CASE("jobs come in order of time, from zero to the end of the span") {
  const Workload w = generate(spec(kEverything), 1);
  REQUIRE(w.size() == 5000);
  CHECK(std::is_sorted(w.submit.begin(), w.submit.end()));
  CHECK(w.submit[JobId{0}] >= kStart);
  for (const SimTime t : w.submit) CHECK_FALSE(t.time_since_epoch() % 1s != 0s);
}

TEST_CASE("a rate and a number of jobs give the span, and the other way round") {
  const Workload by_jobs = generate(plain(), 1);
  CHECK(by_jobs.size() == 1000);
  CHECK(by_jobs.submit[JobId{999}] <= kStart + 10h);
  CHECK(by_jobs.submit[JobId{999}] > kStart + 9h);

  SyntheticSpec s = plain();
  s.jobs = 0;
  s.span = 5h;
  CHECK(generate(s, 1).size() == 500);
}

TEST_CASE("an offered load is met to within one job") {
  const auto load = [](const Workload& w, double span_hours) {
    double work = 0;
    for (std::uint32_t i = 0; i < w.size(); ++i) {
      const Shape& s = w.shapes[w.shape[JobId{i}]];
      work += s.gpus * s.milli / 1000.0 * seconds(w.truth.duration[JobId{i}]) / 3600;
    }
    return work / (64 * span_hours);
  };
  SyntheticSpec s = spec(kEverything);
  s.jobs = 0;
  s.span = 14 * 24h;
  const Workload by_span = generate(s, 1);
  CHECK(load(by_span, 14 * 24) >= 1.2);
  CHECK(load(by_span, 14 * 24) <= 1.2 + 16 * 7 * 24.0 / (64 * 14 * 24));

  // By jobs: the span follows. 1000 GPU hours at load 0.5 on 10 GPUs take 200 h.
  SyntheticSpec by_jobs = plain();
  by_jobs.jobs_per_hour = 0;
  by_jobs.load = 0.5;
  by_jobs.gpus = 10;
  const Workload w = generate(by_jobs, 1);
  CHECK(w.submit[JobId{999}] <= kStart + 200h);
  CHECK(w.submit[JobId{999}] > kStart + 195h);
}

TEST_CASE("without cycles, bursts and batches, arrivals are a Poisson process") {
  SyntheticSpec s = plain();
  s.jobs = 100'000;
  s.resolution = 1ns;
  const Workload w = generate(s, 1);
  // Gaps are exponential: mean 36 s, as large as their standard deviation, a share 1/e above it.
  double square = 0, above = 0;
  for (std::uint32_t i = 1; i < w.size(); ++i) {
    const double gap = seconds(w.submit[JobId{i}] - w.submit[JobId{i - 1}]);
    square += gap * gap;
    above += gap > 36 ? 1 : 0;
  }
  CHECK(near(square / 99'999 / (36 * 36), 2, 0.06));  // sd of the mean: sqrt(20/n) = 0.014
  CHECK(near(above / 99'999, std::exp(-1), 0.006));   // sd 0.0015
}

TEST_CASE("the rate follows the day and the week") {
  SyntheticSpec s =
      plain(R"("arrivals": {"day": 0.6, "peak_hour": 14, "weekend": 0.25, "first_day": "friday"})");
  s.jobs = 100'000;
  s.jobs_per_hour = 100'000 / (4 * 168.0);
  const Workload w = generate(s, 1);
  const auto within = [&](double from, double to) {
    return share(w, [&](JobId j) {
      const double h = std::fmod(hour(w, j), 24);
      return h >= from && h < to;
    });
  };
  // The mean of 1 + 0.6 cos over 4 hours around its top and bottom: 1 +- 0.6 sin(pi/6)/(pi/6).
  CHECK(near(within(12, 16) / within(0, 4), 1.573 / 0.427, 0.15));
  const double weekend = share(w, [&](JobId j) {
    const int day = static_cast<int>(hour(w, j) / 24) % 7;
    return day == 1 || day == 2;
  });
  CHECK(near(weekend, 2 * 0.25 / (5 + 2 * 0.25), 0.004));
}

TEST_CASE("bursts change the rate from one hold time to the next, but not its mean") {
  SyntheticSpec s = plain(R"("arrivals": {"burst_sigma": 1, "burst_hold": "2h"})");
  s.jobs = 200'000;
  const Workload w = generate(s, 1);
  std::map<int, double> count;
  for (std::uint32_t i = 0; i < w.size(); ++i) ++count[static_cast<int>(hour(w, JobId{i}) / 2)];
  double sum = 0, square = 0;
  for (const auto& [block, n] : count) sum += std::log(n), square += std::log(n) * std::log(n);
  const double n = static_cast<double>(count.size());
  CHECK(count.size() == 1000);
  CHECK(near(std::sqrt(square / n - sum / n * (sum / n)), 1, 0.08));  // sd of ln(rate)
}

TEST_CASE("a batch has one user and one size, and its mean number of jobs") {
  SyntheticSpec s = plain(
      R"("arrivals": {"batch_mean": 4, "batch_together": 1}, "users": {"count": 100000, "zipf": 0})");
  s.jobs = 40'000;
  s.resolution = 1ns;
  s.sizes.push_back({1, {.gpus = 2}, 0});
  const Workload w = generate(s, 1);
  int batches = 1;
  for (std::uint32_t i = 1; i < w.size(); ++i) {
    const JobId j{i}, before{i - 1};
    if (w.submit[j] != w.submit[before]) {
      ++batches;
      continue;
    }
    CHECK_FALSE((w.user[j] != w.user[before] || w.shape[j] != w.shape[before]));
  }
  CHECK(near(40'000.0 / batches, 4, 0.12));  // sd: sqrt(12/10000) = 0.035
}

TEST_CASE("a batch that does not come together is spread by its gaps") {
  SyntheticSpec s =
      plain(R"("arrivals": {"batch_mean": 1000, "batch_together": 0.25, "batch_gap": "8s"})");
  s.jobs = 20'000;
  s.jobs_per_hour = 1;
  s.resolution = 1ns;
  const Workload w = generate(s, 1);
  double zero = 0, sum = 0, gaps = 0;
  for (std::uint32_t i = 1; i < w.size(); ++i) {
    const double gap = seconds(w.submit[JobId{i}] - w.submit[JobId{i - 1}]);
    if (gap == 0) {
      ++zero;
    } else if (gap < 200) {  // not the gap to the next batch
      sum += gap;
      ++gaps;
    }
  }
  CHECK(near(zero / (zero + gaps), 0.25, 0.015));
  CHECK(near(sum / gaps, 8, 0.3));
}

TEST_CASE(
    "estimates, users or priorities added to a specification leave the rest of the trace alone") {
  const Workload bare = generate(plain(), 1);
  const Workload more = generate(
      plain(
          R"("estimates": {}, "users": {"count": 9}, "queues": {"a": 1}, "priorities": [{"value": 3}],
               "outcomes": {"failed": 1})"),
      1);
  CHECK(bare.submit.items() == more.submit.items());
  CHECK(bare.truth.duration.items() == more.truth.duration.items());
}

TEST_CASE("durations follow their laws within their bounds") {
  SyntheticSpec s = plain();
  s.jobs = 100'000;
  using Kind = DurationLaw::Kind;
  SECTION("lognormal: half below the median, and 84 % below median x e^sigma") {
    s.durations[0] = {{.law = Kind::lognormal, .median = 1000s, .sigma = 0.5}};
    const Workload w = generate(s, 1);
    CHECK(near(share(w, [&](JobId j) { return w.truth.duration[j] < 1000s; }), 0.5, 0.007));
    CHECK(near(share(w, [&](JobId j) { return w.truth.duration[j] < 1649s; }), 0.8413, 0.005));
  }
  SECTION("lognormal with bounds: what is outside is set to them") {
    s.durations[0] = {
        {.law = Kind::lognormal, .median = 1000s, .sigma = 0.5, .least = 900s, .most = 1649s}};
    const Workload w = generate(s, 1);
    CHECK(near(share(w, [&](JobId j) { return w.truth.duration[j] == 1649s; }), 0.1587, 0.005));
    CHECK(share(w, [&](JobId j) { return w.truth.duration[j] < 900s; }) == 0);
  }
  SECTION("pareto: the tail falls as x^-alpha") {
    s.durations[0] = {{.law = Kind::pareto, .alpha = 1, .least = 100s, .most = 100'000s}};
    const Workload w = generate(s, 1);
    // P(X > x) = (least/x - least/most) / (1 - least/most)
    CHECK(near(share(w, [&](JobId j) { return w.truth.duration[j] > 1000s; }), 0.0991, 0.004));
    CHECK(share(w, [&](JobId j) {
            return w.truth.duration[j] < 100s || w.truth.duration[j] > 100'000s;
          }) == 0);
  }
  SECTION("a mixture takes each law by its weight, with the outcomes of the law") {
    s.durations[0] = {{.weight = 3, .law = Kind::constant, .median = 10s},
                      {.weight = 1, .law = Kind::constant, .median = 99s, .outcomes = {0, 1}}};
    const Workload w = generate(s, 1);
    CHECK(near(share(w, [&](JobId j) { return w.truth.duration[j] == 99s; }), 0.25, 0.006));
    for (std::uint32_t i = 0; i < w.size(); ++i)
      CHECK_FALSE((w.truth.duration[JobId{i}] == 99s) !=
                  (w.truth.outcome[JobId{i}] == Outcome::failed));
  }
  SECTION("no job is shorter than the resolution") {
    s.durations[0] = {{.law = Kind::lognormal, .median = 1s, .sigma = 3}};
    const Workload w = generate(s, 1);
    CHECK(share(w, [&](JobId j) { return w.truth.duration[j] < 1s; }) == 0);
  }
}

TEST_CASE("estimates are what people type") {
  SyntheticSpec s = plain(R"("estimates": {"given": 0.7, "exact": 0.2, "median": 2, "sigma": 0.8,
                                           "round": ["30min", "90min", "4h"]})");
  s.jobs = 50'000;
  const Workload w = generate(s, 1);
  std::set<std::int64_t> minutes;
  for (std::uint32_t i = 0; i < w.size(); ++i)
    if (w.estimate[JobId{i}] != kUnknown) minutes.insert(w.estimate[JobId{i}] / 1min);
  CHECK(minutes.count(30) == 0);  // never below the duration, one hour, since "least" is 1
  CHECK(*minutes.begin() == 90);
  for (const std::int64_t m : minutes)
    CHECK((m == 90 || m % 240 == 0));  // beyond the last: multiples
  CHECK(minutes.count(480) == 1);

  CHECK(near(share(w, [&](JobId j) { return w.estimate[j] == kUnknown; }), 0.3, 0.009));
  // Factor at most 1.5: 20 % exact, and of the others P(2 e^(0.8 z) <= 1.5) = P(z <= -0.3596) = 0.3596.
  const double up_to_90 = share(w, [&](JobId j) { return w.estimate[j] == 90min; }) / 0.7;
  CHECK(near(up_to_90, 0.2 + 0.8 * 0.3596, 0.01));

  s.estimates.least = 0.1;
  s.estimates.round.clear();
  const Workload under = generate(s, 1);
  const double short_ones = share(
      under, [&](JobId j) { return under.estimate[j] != kUnknown && under.estimate[j] < 1h; });
  CHECK(near(short_ones / 0.7, 0.8 * 0.1931, 0.01));  // P(z < -ln 2 / 0.8)
}

TEST_CASE("queues get their shares, and the k-th user of a queue submits like k^-zipf") {
  SyntheticSpec s =
      plain(R"("users": {"count": 40, "zipf": 1}, "queues": {"big": 30, "small": 10, "none": 0})");
  s.jobs = 100'000;
  const Workload w = generate(s, 1);
  std::map<std::string_view, std::set<std::string_view>> queues_of;
  std::map<std::string_view, double> jobs_of;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const auto user = w.names[w.user[JobId{i}]];
    queues_of[user].insert(w.names[w.queue[JobId{i}]]);
    ++jobs_of[user];
  }
  CHECK(queues_of.size() == 40);
  for (const auto& [user, queues] : queues_of) CHECK(queues.size() == 1);
  CHECK(near(share(w, [&](JobId j) { return w.names[w.queue[j]] == "big"; }), 0.75, 0.006));
  CHECK(near(jobs_of["u0001"] / jobs_of["u0002"], 2, 0.1));
  CHECK(near(jobs_of["u0001"] / jobs_of["u0010"], 10, 0.9));
  CHECK(queues_of["u0030"].count("big") == 1);
  CHECK(queues_of["u0031"].count("small") == 1);
}

TEST_CASE("sizes, priorities and qualities of service come by their weights") {
  SyntheticSpec s =
      plain(R"("priorities": [{"weight": 3}, {"weight": 1, "value": 10, "qos": "spot"}])");
  s.jobs = 50'000;
  s.sizes = {{7, {.gpus = 1}, 0},
             {0, {.gpus = 3}, 0},
             {3, {.gpus = 16, .nodes = 2, .gpus_per_node = 8}, 0}};
  const Workload w = generate(s, 1);
  CHECK(near(share(w, [&](JobId j) { return w.shapes[w.shape[j]].nodes == 2; }), 0.3, 0.009));
  CHECK(share(w, [&](JobId j) { return w.shapes[w.shape[j]].gpus == 3; }) == 0);
  CHECK(near(share(w, [&](JobId j) { return w.priority[j] == 10; }), 0.25, 0.008));
  for (std::uint32_t i = 0; i < w.size(); ++i)
    CHECK_FALSE((w.priority[JobId{i}] == 10) != (w.qos[JobId{i}] == Qos::spot));
}

TEST_CASE("what cannot be generated is refused") {
  const auto message = [](const SyntheticSpec& s) -> std::string {
    try {
      generate(s, 1);
    } catch (const InputError& error) {
      return error.what();
    }
    return "generated";
  };
  SyntheticSpec s = plain(R"("arrivals": {"weekend": 0, "first_day": "saturday"})");
  CHECK(message(s) ==
        "/arrivals: nothing would arrive: the rate is zero during the whole span\n"
        "    a span within a weekend needs /arrivals/weekend above 0");
  s = plain();
  s.jobs_per_hour = 1e-6;
  CHECK(message(s) ==
        "/jobs_per_hour: the trace would last more than 100 years\n"
        "    ask for fewer jobs or a higher rate");
  s.jobs = 0;
  s.span = 24h * 365 * 50;
  s.jobs_per_hour = 1000;
  CHECK(message(s) ==
        "/jobs_per_hour: that would be 438000000 jobs\n"
        "    at most 50000000 can be generated");
}
