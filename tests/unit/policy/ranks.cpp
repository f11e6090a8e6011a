// Ranks by their definitions: the Gittins index over all d, and promotions of Tiresias.

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "muster/policy/parts/rank.hpp"

using namespace muster;

namespace {

// Four to a doubling, as the rank has it; jobs of the past ended at the beginning of such a bucket.
std::vector<double> bounds() {
  std::vector<double> all;
  for (double octave = 16; octave < 5000; octave *= 2)
    for (const double quarter : {1.0, 1.25, 1.5, 1.75}) all.push_back(octave * quarter);
  return all;
}

/// G(a) = max over d of P(S - a <= d | S >= a) / E[min(S - a, d) | S >= a]: a bucket is left at its end.
double index(const std::map<std::string, std::int64_t>& history, double a) {
  double best = 0;
  for (const double end : bounds()) {
    if (end <= a) continue;
    const double d = end - a;
    double ended = 0, spent = 0;
    for (const auto& [text, jobs] : history) {
      const double more = std::stod(text) - a, n = static_cast<double>(jobs);
      if (more < 0) continue;
      ended += more < d ? n : 0;
      spent += n * std::min(more, d);
    }
    if (ended > 0) best = std::max(best, ended / std::max(spent, 1.0));
  }
  return best;
}

Int128 place(Rank& rank, double gpu_seconds) {
  Standing s;
  s.job = JobId{0};
  s.milli = 1000;
  s.service = static_cast<std::int64_t>(gpu_seconds) * kGpuSecond;
  return rank.key(s, kStart).value;
}

}  // namespace

TEST_CASE("gittins: whoever has the higher index goes first") {
  const std::map<std::string, std::int64_t> histories[] = {
      {{"64", 3}, {"96", 1}, {"128", 5}, {"512", 2}, {"1024", 9}, {"2048", 1}},
      {{"32", 1}, {"160", 20}, {"192", 1}, {"1792", 4}},
      {{"16", 10}, {"256", 1}, {"320", 1}, {"640", 8}, {"4096", 2}},
  };
  for (const auto& history : histories) {
    RankOptions options;
    options.history = history;
    options.learn = false;
    const auto rank = Ranks::all().at("gittins").make(options);
    int differ = 0;
    for (const double a : bounds())
      for (const double b : bounds()) {
        const double of_a = index(history, a), of_b = index(history, b);
        if (std::abs(of_a - of_b) < 1e-9) continue;
        CAPTURE(a, b, of_a, of_b);
        CHECK((place(*rank, a) < place(*rank, b)) == (of_a > of_b));
        ++differ;
      }
    CHECK(differ > 300);
  }
}

TEST_CASE("tiresias: a second promotion takes as long as the run since the first") {
  RankOptions options;
  options.thresholds = "100s";
  options.promote = 1;
  const auto rank = Ranks::all().at("tiresias").make(options);
  using std::chrono::seconds;
  Standing s;
  s.job = JobId{0};
  s.milli = 8000;
  s.ran = seconds{20};  // 160 GPU-seconds: the second queue
  s.service = 160 * kGpuSecond;
  s.since = kStart + seconds{20};
  const RankKey waits = rank->key(s, s.since);
  CHECK(waits.value == 1);
  CHECK(waits.until == kStart + seconds{40});
  CHECK(rank->key(s, waits.until).value == 0);
  s.ran = seconds{35};  // 15 s more: 120 GPU-seconds since then
  s.service = 280 * kGpuSecond;
  s.since = kStart + seconds{60};
  const RankKey again = rank->key(s, s.since);
  CHECK(again.value == 1);
  CHECK(again.until == kStart + seconds{75});
  CHECK(rank->key(s, again.until).value == 0);
}
