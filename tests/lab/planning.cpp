// What the planning commands stand on: samples, sweeps over seeds, closed forms.

#include <atomic>
#include <cmath>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/engine/failure_laws.hpp"
#include "muster/lab/checkpoints.hpp"
#include "muster/lab/spares.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Four nodes of which one fails every 25 h, and 2 min for a checkpoint.
Training four_nodes() {
  Training t;
  t.nodes = 4;
  t.failures.law = FailureProcess::Law::exponential;
  t.failures.rate = 240;
  t.failures.repair = FailureProcess::Repair::fixed;
  t.failures.repair_time = Duration{1};
  t.checkpoint_cost = 2min;
  t.restart_cost = 5min;
  t.lasts = 24h * 60;
  return t;
}

SweepOptions seeds(std::uint64_t count, std::size_t threads = 1) {
  SweepOptions options;
  options.seeds = count;
  options.threads = threads;
  return options;
}

}  // namespace

TEST_CASE("a sample's interval is Student's") {
  const Sample s{{1, 2, 3}};
  CHECK(s.mean() == 2);
  CHECK(s.half() == Approx(4.303 / std::sqrt(3.0)));
  CHECK(Sample{{5}}.half() == 0);
  CHECK(student95(29) == 2.045);
  CHECK(student95(40) == Approx(2.0211).margin(0.0005));
  CHECK(student95(120) == Approx(1.9799).margin(0.0005));
  CHECK(difference(s, Sample{{1, 1, 5}}).values == std::vector<double>{0, 1, -2});
}

TEST_CASE("a sweep runs every setting with every seed once, on any number of threads") {
  for (const std::size_t threads : {1U, 3U, 100U}) {
    std::vector<std::atomic<int>> runs(4 * 5);
    CHECK(sweep(4, seeds(5, threads), [&](std::size_t setting, std::size_t nth, const ProgressFn&) {
      ++runs[setting * 5 + nth];
    }));
    for (const auto& count : runs) CHECK(count == 1);
  }
}

TEST_CASE("a sweep that fails or is interrupted says so") {
  CHECK_THROWS_WITH(sweep(4, seeds(5, 2),
                          [](std::size_t setting, std::size_t, const ProgressFn&) {
                            if (setting == 2) throw InputError("here", "is wrong");
                          }),
                    "here: is wrong");
  SweepOptions options = seeds(5);
  std::atomic<int> runs = 0;
  options.interrupted = [&] { return runs >= 3; };
  CHECK_FALSE(sweep(4, options, [&](std::size_t, std::size_t, const ProgressFn& goes_on) {
    ++runs;
    CHECK(goes_on({}) == (runs < 3));
  }));
  CHECK(runs == 3);
}

TEST_CASE("closed forms of a few machines") {
  // One machine; two of three, each up for 0.9 of the time: 3 x 0.81 x 0.1 + 0.729.
  CHECK(k_out_of_n(1, 1, 90h, 10h) == Approx(0.9));
  CHECK(k_out_of_n(2, 3, 90h, 10h) == Approx(0.972));
  CHECK(k_out_of_n(3, 3, 90h, 10h) == Approx(0.729));
  CHECK(k_out_of_n(1, 1, 90h, 0h) == 1);
  // All of 20,000 up has a chance too small for a double, most of them being up is certain.
  CHECK(k_out_of_n(20'000, 20'000, 9h, 1h) == 0);
  CHECK(k_out_of_n(17'000, 20'000, 9h, 1h) == Approx(1));

  // Without failures to speak of only the writing costs: 10 of 11 parts are work.
  CHECK(daly_share(1'000'000h, 100min, 10min, 0min) == Approx(10.0 / 11).margin(1e-5));
  CHECK(daly_share(10h, 1h, 0h, 5h) == Approx(0.1 / (std::exp(0.5) * std::expm1(0.1))));
}

TEST_CASE("a sweep of intervals has its best where Young and Daly say") {
  const auto swept = sweep_checkpoints(four_nodes(), {}, seeds(10, 2));
  REQUIRE(swept);
  CHECK(swept->young == young_interval(2min, 25h));
  CHECK(swept->daly == daly_interval(2min, 25h));
  REQUIRE(swept->points.size() == 14);
  const CheckpointPoint& best = swept->points[swept->best];
  CHECK(best.interval > swept->daly / 2);
  CHECK(best.interval < swept->young * 2);
  for (const CheckpointPoint& p : swept->points) {
    INFO("interval " << seconds(p.interval));
    CHECK(p.ettr.values.size() == 10);
    CHECK(p.ettr.mean() <= best.ettr.mean());
    REQUIRE(p.expected);
    // Four standard errors of ten seeds.
    CHECK(std::abs(p.ettr.mean() - *p.expected) < 2 * p.ettr.half());
    // What is not work is accounted for.
    CHECK(p.writing + p.lost + p.starting == Approx(1 - p.ettr.mean()).margin(1e-9));
  }
  CHECK_FALSE(best.tied);
  CHECK_FALSE(swept->points.front().tied);
  CHECK_FALSE(swept->points.back().tied);
  const auto formula = [&](const char* name) {
    return std::find_if(swept->points.begin(), swept->points.end(),
                        [&](const auto& p) { return p.formula == name; });
  };
  REQUIRE(formula("Daly") != swept->points.end());
  CHECK(formula("Daly")->interval == swept->daly);
  CHECK((formula("Daly")->tied || &*formula("Daly") == &best));
  CHECK(formula("Young")->interval == swept->young);
}

TEST_CASE("a sweep's answers do not depend on the threads, and its seeds are those asked for") {
  const std::vector<Duration> intervals{4h, 1h, 1h};
  const auto one = sweep_checkpoints(four_nodes(), intervals, seeds(4, 1));
  const auto three = sweep_checkpoints(four_nodes(), intervals, seeds(4, 3));
  CHECK(checkpoints_json(*one) == checkpoints_json(*three));
  REQUIRE(one->points.size() == 4);  // those, Young's and Daly's
  CHECK(one->points.front().interval == 1h);
  CHECK(one->points.back().interval == 4h);

  SweepOptions later = seeds(2);
  later.first_seed = 3;
  const auto last = sweep_checkpoints(four_nodes(), intervals, later);
  CHECK(last->points[0].ettr.values ==
        std::vector<double>{one->points[0].ettr.values[2], one->points[0].ettr.values[3]});
}

TEST_CASE(
    "spares are enough where they reach the target, and pay as long as they bring more work") {
  Training t = four_nodes();
  t.failures.repair = FailureProcess::Repair::exponential;
  t.failures.repair_time = 10h;  // each is up for 10/11 of the time
  t.checkpoint_cost = {};
  t.checkpoint_interval = 1s;
  t.lasts = 24h * 500;
  CHECK(spares_for(t, 0.5) == 0);
  CHECK(spares_for(t, 0.95) == 2);
  const auto swept = sweep_spares(t, 0.95, {}, seeds(10, 2));
  REQUIRE(swept);
  REQUIRE(swept->points.size() == 5);  // 0 to two more than that
  CHECK(swept->closed_form == 2);
  for (const SparesPoint& p : swept->points) {
    INFO(p.spares << " spares: " << p.up.mean() << " +- " << p.up.half() << ", " << p.expected);
    CHECK(p.expected == Approx(k_out_of_n(4, 4 + p.spares, 100h, 10h)));
    CHECK(std::abs(p.up.mean() - p.expected) < 2 * p.up.half());
    CHECK(p.kept.mean() < p.up.mean());  // restarts
    CHECK(p.per_node.mean() == Approx(p.kept.mean() * 4 / (4 + p.spares)));
  }
  REQUIRE(swept->enough);
  CHECK(swept->points[*swept->enough].spares == 2);
  CHECK(swept->points[swept->pays].spares == 1);  // a fifth more nodes for a third more work

  const auto none = sweep_spares(t, 0.999999, {1, 0}, seeds(2));
  CHECK_FALSE(none->enough);
  CHECK(none->points.front().spares == 0);
  CHECK_THAT(spares_text(*none, {}), Contains("\nnone of these reaches 100.00 %; "));
}

TEST_CASE("an experiment is swept with the intervals for all of its jobs") {
  ExperimentSpec spec;
  spec.set_text("/fleet", "16x8", "--fleet");
  spec.set_text("/workload/trace", MUSTER_SOURCE_DIR "/traces/first/first.csv", "--trace");
  spec.set_text("/policy", "easy", "--policy");
  CHECK_THROWS_WITH(sweep_checkpoints(spec, {}, seeds(1)),
                    StartsWith("--interval: is needed: the formulas know no interval"));
  spec.set("/failures", R"({"law": "exponential", "rate": 100, "checkpoint_cost": "1min"})",
           "--set");
  const auto swept = sweep_checkpoints(spec, {1min, 1h}, seeds(2));
  REQUIRE(swept->points.size() == 4);
  CHECK(swept->points[0].writing > 0.25);
  CHECK(swept->points[0].writing < 0.5);
  CHECK(swept->points[1].interval == 1h);
  CHECK(swept->points[1].writing < 0.02);
  CHECK(swept->points[1].ettr.mean() > swept->points[0].ettr.mean());
  CHECK(swept->points[1].expected.value() > swept->points[0].expected.value());
}
