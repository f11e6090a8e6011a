// Published runs, reproduced from the rates of what fails: interruptions by cause, and how long jobs of a size
// run until one of their nodes fails. The tables of docs/validation.md:
//   build/release/tests/test_validation "[reliability]" -s

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <map>

#include "catch.hpp"
#include "muster/engine/failure_laws.hpp"
#include "muster/lab/replay.hpp"
#include "muster/lab/sample.hpp"
#include "muster/lab/training.hpp"

using namespace muster;
using namespace muster::test;

namespace {

constexpr std::uint64_t kSeeds = 10;

/// Runs of a shipped experiment.
std::vector<Summary> runs_of(const std::string& name, const std::string& set = "") {
  std::vector<Summary> runs;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ExperimentSpec spec =
        ExperimentSpec::read(MUSTER_SOURCE_DIR "/configs/experiments/" + name + ".json");
    spec.set("/seed", std::to_string(seed), "--seed");
    if (!set.empty()) spec.set(set);
    runs.push_back(measure(spec.load(), {}));
  }
  return runs;
}

template <class Number>
Sample sample_of(const std::vector<Summary>& runs, const Number& number) {
  Sample sample;
  for (const Summary& s : runs) sample.values.push_back(number(s));
  return sample;
}

void print_head(const char* what) {
  fmt::print("\n{:<36} {:>10} {:>20} {:>11}\n", what, "published", "ours", "difference");
}
void print_row(const std::string& what, double published, const Sample& ours, int digits) {
  fmt::print("{:<36} {:>10.{}f} {:>20} {:>10.1f}%\n", what, published, digits,
             fmt::format("{:.{}f} +- {:.{}f}", ours.mean(), digits, ours.half(), digits),
             100 * (ours.mean() / published - 1));
}

}  // namespace

TEST_CASE("Llama 3's 54 days: interruptions by cause, and how much of them was training",
          "[reliability]") {
  // Table 5 of arXiv 2407.21783, unexpected interruptions.
  const std::map<std::string, double> published{{"faulty GPU", 148},
                                                {"GPU HBM3 memory", 72},
                                                {"software bug", 54},
                                                {"network switch or cable", 35},
                                                {"host maintenance", 32},
                                                {"GPU SRAM memory", 19},
                                                {"GPU system processor", 17},
                                                {"NIC", 7},
                                                {"NCCL watchdog time-out", 7},
                                                {"silent data corruption", 6},
                                                {"GPU thermal interface or sensor", 6},
                                                {"SSD", 3},
                                                {"power supply", 3},
                                                {"server chassis", 2},
                                                {"IO expansion board", 2},
                                                {"dependency", 2},
                                                {"CPU", 2},
                                                {"system memory", 2}};
  const std::vector<Summary> runs = runs_of("llama3");
  REQUIRE(runs.front().outages.size() == published.size());
  print_head("Llama 3 405B, 54 days");
  const auto days = [](const Summary& s) { return seconds(s.window()) / 86400; };
  double all = 0;
  for (std::size_t c = 0; c < published.size(); ++c) {
    const std::string cause = runs.front().outages[c].cause;
    INFO(cause);
    REQUIRE(published.count(cause) == 1);
    const double expected = published.at(cause);
    const Sample ours = sample_of(runs, [&](const Summary& s) {
      return static_cast<double>(s.outages[c].interruptions) * 54 / days(s);
    });
    print_row(cause, expected, ours, 0);
    // Ten Poisson counts: four standard errors of their mean.
    CHECK(std::abs(ours.mean() - expected) < 4 * std::sqrt(expected / kSeeds));
    all += expected;
  }
  CHECK(all == 419);
  const Sample interruptions = sample_of(
      runs, [&](const Summary& s) { return static_cast<double>(s.interruptions) * 54 / days(s); });
  print_row("unexpected interruptions", 419, interruptions, 0);
  CHECK(std::abs(interruptions.mean() - 419) < 4 * std::sqrt(419.0 / kSeeds));
  const Sample hours = sample_of(
      runs, [&](const Summary& s) { return days(s) * 24 / static_cast<double>(s.interruptions); });
  print_row("hours between them", 3.09, hours, 2);
  const Sample ettr = sample_of(runs, [](const Summary& s) { return s.ettr; });
  fmt::print("{:<36} {:>10} {:>20}\n", "effective training time", "> 0.9",
             fmt::format("{:.3f} +- {:.3f}", ettr.mean(), ettr.half()));
  CHECK(ettr.mean() - ettr.half() > 0.9);
  // What the assumed costs make of that rate by Daly's closed form.
  using namespace std::chrono_literals;
  const Duration mttf{static_cast<std::int64_t>(54 * 86400e9 / 419)};
  const double daly = daly_share(mttf, daly_interval(10s, mttf), 10s, 8min);
  CHECK(std::abs(ettr.mean() - daly) < 0.005);
}

TEST_CASE("how long jobs run until a node fails, by their size", "[reliability]") {
  // Kokolis et al., arXiv 2410.21680: RSC-1's rate, and the MTTF that they project from it. Up to 1,024 GPUs they
  // print measured ones, of all failures of jobs, which are not this rate's (docs/validation.md).
  for (const auto& [set, rate] : {std::pair{"", 6.5}, {"/failures/rate=2.34", 2.34}}) {
    const std::vector<Summary> runs = runs_of("rsc1", set);
    print_head(rate == 6.5 ? "RSC-1, hours to a failure" : "RSC-2, hours to a failure");
    REQUIRE(runs.front().reliability.size() == 6);
    for (std::size_t c = 0; c < 6; ++c) {
      const std::string gpus = runs.front().reliability[c].gpus;
      const double nodes = std::stod(gpus.substr(gpus.find('-') + 1)) / 8;
      const double expected = 1000 * 24 / rate / nodes;
      double run = 0, interruptions = 0;
      for (const Summary& s : runs) {
        REQUIRE(s.reliability[c].gpus == gpus);
        run += static_cast<double>(s.reliability[c].run) / 3600e9;
        interruptions += static_cast<double>(s.reliability[c].interruptions);
      }
      const double ours = run / interruptions;
      INFO(gpus << " GPUs: " << interruptions << " interruptions, " << ours << " h, by the rate "
                << expected);
      fmt::print("{:<36} {:>10} {:>20.2f} {:>10.1f}%\n", gpus + " GPUs (by the rate)",
                 fmt::format("{:.2f}", expected), ours, 100 * (ours / expected - 1));
      CHECK(std::abs(ours / expected - 1) < 4 / std::sqrt(interruptions));
      if (rate == 6.5 && gpus == "8193-16384") {
        fmt::print("{:<36} {:>10} {:>20.2f} {:>10.1f}%\n", gpus + " GPUs (projected)", "1.8", ours,
                   100 * (ours / 1.8 - 1));
        CHECK(ours == Approx(1.8).epsilon(0.05));
      }
    }
  }
}
