// Average bounded slowdowns of EASY on four logs, as published: Gaussier, Glesser, Reis, Trystram,
// "Improving backfilling by using machine learning to predict running times", SC'15.

#include <cmath>

#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Mean of max(1, (wait + run) / max(run, 10 s)).
double mean_bounded_slowdown(const Workload& w, const Timetable& times) {
  double sum = 0;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    const double run = seconds(times.end[j] - times.start[j]);
    const double wait = seconds(times.start[j] - w.submit[j]);
    sum += std::max(1.0, (wait + run) / std::max(run, 10.0));
  }
  return sum / static_cast<double>(w.size());
}

void published(const std::filesystem::path& file, std::uint32_t processors, double slowdown) {
  if (!present(file)) return;
  ReadOptions read;
  read.format = "hpc-list";
  const Workload w = read_trace(file, read).workload;
  EngineOptions options;
  options.passes = Passes::event;
  const Timetable times =
      timetable(Fleet::uniform(processors, 1), w, "batch:backfill=easy", options);
  CHECK(std::round(mean_bounded_slowdown(w, times) * 1e4) * 1e-4 == Approx(slowdown).epsilon(1e-9));
}

}  // namespace

TEST_CASE("SC'15: KTH-SP2") { published(oracles() / "hpc/KTH-SP2/jobs.csv.gz", 100, 92.5765); }
TEST_CASE("SC'15: CTC-SP2") { published(traces() / "hpc_sc15/CTC-SP2.csv.gz", 338, 49.5713); }
TEST_CASE("SC'15: SDSC-SP2") { published(traces() / "hpc_sc15/SDSC-SP2.csv.gz", 128, 87.8703); }
TEST_CASE("SC'15: CEA-Curie") {
  published(traces() / "hpc_sc15/CEA-curie.csv.gz", 80'640, 202.1332);
}
