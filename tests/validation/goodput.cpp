// Simulated goodput and availability against closed forms, each over a grid and 30 seeds.

#include <cmath>

#include "catch.hpp"
#include "muster/lab/replay.hpp"
#include "muster/lab/sample.hpp"
#include "muster/lab/sweep.hpp"
#include "muster/lab/training.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kSeeds = 30;

Duration in_s(double s) { return Duration{static_cast<std::int64_t>(s * 1e9)}; }

/// Nodes with exponential lives and repairs.
Training training(std::uint32_t nodes, double mttf, double repair) {
  Training t;
  t.nodes = nodes;
  t.failures.law = FailureProcess::Law::exponential;
  t.failures.rate = 1000 * 86400 / mttf;
  t.failures.repair = FailureProcess::Repair::exponential;
  t.failures.repair_time = in_s(repair);
  return t;
}

/// What some number of a run says over 30 seeds; other ones for each cell of a grid, so that what is drawn for
/// one says nothing of the next.
template <class Number>
Sample over_seeds(std::uint64_t cell, const Training& t, const Number& number) {
  Sample sample;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    sample.values.push_back(number(measure(experiment_of(t, 1000 * cell + seed), {})));
  return sample;
}

/// How a grid of samples agrees with what theory expects: of many 95 % intervals some leave it out, none by
/// as much as one in a thousand would.
class Agreement {
 public:
  void check(const Sample& sample, double expected) {
    // Student's t with 29 degrees of freedom leaves 5 % outside of 2.045, and 0.1 % outside of 3.659.
    const double off = std::abs(sample.mean() - expected);
    INFO("mean " << sample.mean() << " +- " << sample.half() << ", expected " << expected);
    CHECK(off <= sample.half() * 3.659 / student95(kSeeds - 1) + 1e-12);
    ++cells_;
    if (off > sample.half() + 1e-12) ++outside_;
  }
  void check_all() const {
    INFO(outside_ << " of " << cells_ << " expected values lie outside of their 95 % intervals");
    CHECK(outside_ <= std::max(1, cells_ / 10));
  }

 private:
  int cells_ = 0, outside_ = 0;
};

}  // namespace

TEST_CASE("goodput under exponential failures is Daly's, over MTTF, interval, cost and restart") {
  Agreement agreement;
  std::uint64_t cell = 0;
  for (const double mttf : {3'600.0, 14'400.0, 100'000.0})
    for (const double interval : {0.02, 0.1, 0.5})  // of the MTTF
      for (const double cost : {0.001, 0.01})
        for (const double restart : {0.0, 0.05}) {
          Training t = training(1, mttf, 1e-9);
          t.checkpoint_interval = in_s(interval * mttf);
          t.checkpoint_cost = in_s(cost * mttf);
          t.restart_cost = in_s(restart * mttf);
          t.lasts = in_s(400 * mttf);
          INFO("MTTF " << mttf << " s, interval " << interval << ", cost " << cost << ", restart "
                       << restart << " of it");
          agreement.check(
              over_seeds(++cell, t, [&](const Summary& s) { return kept_share(t, s); }),
              daly_share(in_s(mttf), t.checkpoint_interval, t.checkpoint_cost, t.restart_cost));
        }
  // 64 nodes are one that fails so much oftener.
  Training t = training(64, 64 * 14'400.0, 1e-9);
  t.checkpoint_interval = 20min;
  t.checkpoint_cost = 1min;
  t.restart_cost = 10min;
  t.lasts = 4h * 400;
  agreement.check(over_seeds(++cell, t, [&](const Summary& s) { return kept_share(t, s); }),
                  daly_share(4h, 20min, 1min, 10min));
  agreement.check_all();
}

TEST_CASE("ETTR is that of Kokolis' formula where failures are few, over MTTF, interval and cost") {
  // It is of first order: intervals, restarts and costs are small beside the MTTF here.
  Agreement agreement;
  std::uint64_t cell = 100;
  for (const double mttf : {50'000.0, 500'000.0})  // of the whole job
    for (const double interval : {0.001, 0.004})
      for (const double cost : {0.002, 0.02})  // of the interval
        for (const double restart : {60.0, 300.0}) {
          Training t = training(4, 4 * mttf, 1e-9);
          t.checkpoint_interval = in_s(interval * mttf);
          t.checkpoint_cost = in_s(cost * interval * mttf);
          t.restart_cost = in_s(restart);
          t.lasts = in_s(100 * mttf);
          const double formula = (1 - (restart + interval * mttf / 2) / mttf) / (1 + cost);
          INFO("MTTF " << mttf << " s, interval " << interval << ", cost " << cost << ", restart "
                       << restart);
          agreement.check(over_seeds(++cell, t, [&](const Summary& s) { return kept_share(t, s); }),
                          formula);
        }
  agreement.check_all();
}

TEST_CASE("nodes are up for MTTF / (MTTF + MTTR), and k of n as a birth-death chain says") {
  constexpr double kMttf = 100'000;
  struct Cell {
    std::uint32_t nodes, spares;
    double repair;  // of the MTTF
  };
  Agreement single, together;
  std::uint64_t cell = 200;
  // None of which too few nodes are up so seldom that 30 runs would not see it.
  for (const Cell& c : std::initializer_list<Cell>{{1, 0, 0.1},
                                                   {1, 0, 0.5},
                                                   {1, 1, 0.1},
                                                   {1, 1, 0.5},
                                                   {1, 2, 0.1},
                                                   {1, 2, 0.5},
                                                   {8, 0, 0.01},
                                                   {8, 0, 0.1},
                                                   {8, 1, 0.01},
                                                   {8, 1, 0.1},
                                                   {8, 3, 0.1},
                                                   {8, 4, 0.5},
                                                   {64, 0, 0.003},
                                                   {64, 1, 0.003},
                                                   {64, 2, 0.01},
                                                   {64, 4, 0.03},
                                                   {64, 8, 0.1}}) {
    Training t = training(c.nodes, kMttf, c.repair * kMttf);
    t.spares = c.spares;
    t.checkpoint_interval = 1s;
    t.lasts = in_s(std::max(1000 * c.repair, 20.0) * kMttf);
    INFO(c.nodes << " + " << c.spares << " nodes, MTTR " << c.repair << " of the MTTF");
    Sample up;
    const Sample nodes_up = over_seeds(++cell, t, [&](const Summary& s) {
      up.values.push_back(up_share(t, s));
      return share(s.available(), s.installed());
    });
    single.check(nodes_up, 1 / (1 + c.repair));
    together.check(up, k_out_of_n(c.nodes, c.nodes + c.spares, in_s(kMttf), t.mean_repair()));
  }
  single.check_all();
  together.check_all();
}
