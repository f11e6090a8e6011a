// Do the traces of configs/generate/*.json have the shape of the traces they are named after? Each
// statistic is compared with the published number, for several seeds. `test_validation "[.table]"`
// prints the table that docs/generate.md shows, "[.spread]" how much each number differs from seed to
// seed, which is what the tolerances were made from.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "muster/io/generate.hpp"
#include "validation/trace_statistics.hpp"

using namespace muster;
using muster::test::TraceStatistics;

namespace {

// Where the numbers come from.
constexpr const char* kAcme = "AcmeTrace data/cluster_summary.csv (commit 6d6ac9c)";
constexpr const char* kPhillyRows =
    "rows of philly_trace.csv, 111,549 jobs (RFold commit b981455), whole file";
constexpr const char* kPhillyOctober =
    "the same file, the 58,920 rows of October 2017: the steady state (before, the trace ramps up "
    "from 19 jobs in August, which makes the CV of the whole file 19.8)";
constexpr const char* kAcmeLog = "full Kalos log as reported by others";

// Why a tolerance is what it is. Each is what the mean of 20 seeds is off by, and three standard
// deviations of one seed ("[.spread]" prints both), rounded up.
constexpr const char* kShares = "3 sd of sampling, and less than a point for the fit";
constexpr const char* kTail = "heavy tail: one seed has an sd of 1 to 6 %, the fit is within 2 %";
constexpr const char* kFit =
    "a mixture of three laws meets this quantile to a tenth, others better";
constexpr const char* kTimeShares = "a few huge jobs decide: one seed has an sd of 1 to 3.5 points";
constexpr const char* kArrivals =
    "3 sd of sampling; the rate changes slowly, so few of its values are seen";
constexpr const char* kExact = "the specification says so; the extreme of a sample comes near it";

struct Row {
  const char* preset;
  const char* statistic;
  double published;
  double tolerance;  // relative, or absolute for shares
  bool share;
  const char* reason;
  const char* source;
  std::function<double(const TraceStatistics&)> value;
};

auto quantile(double p) {
  return [p](const TraceStatistics& t) { return t.run_quantile(p); };
}
auto jobs_of(double gpus) {
  return [gpus](const TraceStatistics& t) { return t.job_share(t.exactly(gpus)); };
}
auto jobs_from(double gpus) {
  return [gpus](const TraceStatistics& t) { return t.job_share(t.at_least(gpus)); };
}
auto time_from(double gpus) {
  return [gpus](const TraceStatistics& t) { return t.gpu_time_share(t.at_least(gpus)); };
}
auto jobs_that(Outcome o) {
  return [o](const TraceStatistics& t) { return t.job_share(t.ended(o)); };
}
auto time_that(Outcome o) {
  return [o](const TraceStatistics& t) { return t.gpu_time_share(t.ended(o)); };
}
constexpr auto mean_gpus = [](const TraceStatistics& t) { return t.mean_gpus(); };
constexpr auto median_gpus = [](const TraceStatistics& t) { return t.median_gpus(); };
constexpr auto most_gpus = [](const TraceStatistics& t) { return t.most_gpus(); };
constexpr auto mean_run = [](const TraceStatistics& t) { return t.mean_run(); };
constexpr auto longest_run = [](const TraceStatistics& t) { return t.longest_run(); };
constexpr auto per_job = [](const TraceStatistics& t) { return t.gpu_seconds_per_job(); };
constexpr auto cv = [](const TraceStatistics& t) { return t.arrival_cv(); };
constexpr auto same_second = [](const TraceStatistics& t) { return t.same_second(); };
constexpr auto hourly = [](const TraceStatistics& t) { return t.jobs_per_hour(); };

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      // ---- Philly. Mean GPUs: 1.74 from the histogram (the 112,956 jobs of the summary: 1.93).
      {"philly", "jobs of 1 GPU", 0.867, 0.004, true, kShares, kPhillyRows, jobs_of(1)},
      {"philly", "jobs of 2 GPUs", 0.023, 0.003, true, kShares, kPhillyRows, jobs_of(2)},
      {"philly", "jobs of 4 GPUs", 0.049, 0.003, true, kShares, kPhillyRows, jobs_of(4)},
      {"philly", "jobs of 8 GPUs", 0.051, 0.004, true, kShares, kPhillyRows, jobs_of(8)},
      {"philly", "jobs of 16 and more GPUs", 0.0103, 0.002, true, kShares, kPhillyRows,
       jobs_from(16)},
      {"philly", "largest job, GPUs", 128, 0, false, kExact, kPhillyRows, most_gpus},
      {"philly", "run time, mean, s", 35595, 0.07, false, kTail, kPhillyRows, mean_run},
      {"philly", "run time, median, s", 1321, 0.05, false, kFit, kPhillyRows, quantile(0.5)},
      {"philly", "run time, 75th percentile, s", 5361, 0.13, false, kFit, kPhillyRows,
       quantile(0.75)},
      {"philly", "run time, 90th percentile, s", 33474, 0.08, false, kFit, kPhillyRows,
       quantile(0.9)},
      {"philly", "run time, 95th percentile, s", 123924, 0.11, false, kFit, kPhillyRows,
       quantile(0.95)},
      {"philly", "run time, 99th percentile, s", 755541, 0.1, false, kFit, kPhillyRows,
       quantile(0.99)},
      {"philly", "run time, longest, s", 5196151, 0.03, false, kExact, kPhillyRows, longest_run},
      {"philly", "GPU time per job, GPU s", 116182, 0.07, false, kTail,
       "3.6 million GPU h / 111,549 jobs, the same file", per_job},
      {"philly", "GPU time of jobs of 8 and more GPUs", 0.62, 0.03, true, kTimeShares, kPhillyRows,
       time_from(8)},
      {"philly", "completed jobs", 0.604, 0.008, true, kShares, kAcme,
       jobs_that(Outcome::completed)},
      {"philly", "failed jobs", 0.305, 0.011, true, kShares, kAcme, jobs_that(Outcome::failed)},
      {"philly", "cancelled jobs", 0.090, 0.006, true, kShares, kAcme,
       jobs_that(Outcome::cancelled)},
      {"philly", "GPU time of completed jobs", 0.321, 0.035, true, kTimeShares, kAcme,
       time_that(Outcome::completed)},
      {"philly", "GPU time of failed jobs", 0.386, 0.03, true, kTimeShares, kAcme,
       time_that(Outcome::failed)},
      {"philly", "GPU time of cancelled jobs", 0.294, 0.045, true, kTimeShares, kAcme,
       time_that(Outcome::cancelled)},
      {"philly", "arrivals per hour", 35.9, 0.002, false, kExact, kPhillyRows, hourly},
      {"philly", "CV of inter-arrival times", 2.62, 0.05, false, kArrivals, kPhillyOctober, cv},
      {"philly", "arrivals in the same second as the one before", 0.106, 0.013, true, kArrivals,
       kPhillyOctober, same_second},

      // ---- Helios, all four clusters. Only moments and medians are published; what lies between
      // (the histogram of sizes, the quantiles) is ours.
      {"helios", "GPUs, mean", 3.716, 0.04, false, kTail, kAcme, mean_gpus},
      {"helios", "GPUs, median", 1, 0, false, kExact, kAcme, median_gpus},
      {"helios", "run time, mean, s", 6651.681, 0.08, false, kTail, kAcme, mean_run},
      {"helios", "run time, median, s", 206, 0.035, false, kFit, kAcme, quantile(0.5)},
      {"helios", "run time, longest, s", 4320009, 0.01, false, kExact, kAcme, longest_run},
      {"helios", "GPU time per job, GPU s", 49350, 0.16, false, kTail,
       "sum of *_gpu_time / gpu_job_num, the same", per_job},
      {"helios", "completed jobs", 0.624, 0.004, true, kShares, kAcme,
       jobs_that(Outcome::completed)},
      {"helios", "failed jobs", 0.155, 0.004, true, kShares, kAcme, jobs_that(Outcome::failed)},
      {"helios", "cancelled jobs", 0.221, 0.004, true, kShares, kAcme,
       jobs_that(Outcome::cancelled)},
      {"helios", "GPU time of completed jobs", 0.513, 0.095, true, kTimeShares, kAcme,
       time_that(Outcome::completed)},
      {"helios", "GPU time of failed jobs", 0.093, 0.05, true, kTimeShares, kAcme,
       time_that(Outcome::failed)},
      {"helios", "GPU time of cancelled jobs", 0.394, 0.115, true, kTimeShares, kAcme,
       time_that(Outcome::cancelled)},
      {"helios", "arrivals per hour", 359.9, 0.002, false, kExact,
       "1,580,464 GPU jobs in the 183 days of April-September 2020", hourly},

      // ---- Alibaba PAI. No outcomes are published there.
      {"pai", "GPUs, mean", 0.683, 0.02, false, kShares, kAcme, mean_gpus},
      {"pai", "GPUs, median", 0.5, 0, false, kExact, kAcme, median_gpus},
      {"pai", "largest job, GPUs", 8, 0, false, kExact, kAcme, most_gpus},
      {"pai", "run time, mean, s", 4787.109, 0.045, false, kTail, kAcme, mean_run},
      {"pai", "run time, median, s", 480.667, 0.03, false, kFit, kAcme, quantile(0.5)},
      {"pai", "run time, longest, s", 626371, 0.01, false, kExact, kAcme, longest_run},
      {"pai", "arrivals per hour", 697, 0.001, false, kExact,
       "1,037,085 GPU jobs in the 62 days of July-August 2020", hourly},

      // ---- Acme: the cluster Kalos.
      {"acme", "GPUs, mean", 26.77, 0.08, false, kTail, kAcme, mean_gpus},
      {"acme", "GPUs, median", 1, 0, false, kExact, kAcme, median_gpus},
      {"acme", "largest job, GPUs", 1024, 0, false, kExact, kAcme, most_gpus},
      {"acme", "run time, mean, s", 1259.689, 0.08, false, kTail, kAcme, mean_run},
      {"acme", "run time, median, s", 124, 0.02, false, kFit, kAcme, quantile(0.5)},
      {"acme", "run time, longest, s", 625740, 0.05, false, kExact, kAcme, longest_run},
      {"acme", "GPU time per job, GPU s", 267900, 0.20, false, kTail,
       "sum of *_gpu_time / gpu_job_num, the same", per_job},
      {"acme", "GPU time of jobs of 256 and more GPUs", 0.96, 0.012, true, kTimeShares, kAcmeLog,
       time_from(256)},
      {"acme", "completed jobs", 0.541, 0.01, true, kShares, kAcme, jobs_that(Outcome::completed)},
      {"acme", "failed jobs", 0.397, 0.011, true, kShares, kAcme, jobs_that(Outcome::failed)},
      {"acme", "cancelled jobs", 0.062, 0.003, true, kShares, kAcme, jobs_that(Outcome::cancelled)},
      {"acme", "GPU time of completed jobs", 0.313, 0.08, true, kTimeShares, kAcme,
       time_that(Outcome::completed)},
      {"acme", "GPU time of failed jobs", 0.080, 0.045, true, kTimeShares, kAcme,
       time_that(Outcome::failed)},
      {"acme", "GPU time of cancelled jobs", 0.607, 0.11, true, kTimeShares, kAcme,
       time_that(Outcome::cancelled)},
      {"acme", "arrivals per hour", 4.5, 0.004, false, kExact,
       "19,907 GPU jobs in the 184 days of March-August 2023", hourly},
      {"acme", "CV of inter-arrival times", 11.3, 0.2, false, kArrivals, kAcmeLog, cv},
      {"acme", "arrivals in the same second as the one before", 0.31, 0.025, true, kArrivals,
       kAcmeLog, same_second},
  };
  return all;
}

constexpr std::uint64_t kSeeds[] = {1, 2, 3};

/// 200,000 jobs: the tails of 20,000 would be mere luck.
SyntheticSpec spec_of(const std::string& preset) {
  const std::filesystem::path configs = MUSTER_SOURCE_DIR "/configs/generate";
  SyntheticSpec spec = read_synthetic_spec(configs / (preset + ".json"));
  spec.jobs = std::max<std::int64_t>(spec.jobs, 200'000);
  return spec;
}

std::vector<TraceStatistics> statistics(const std::string& preset, std::vector<Workload>& keep) {
  const SyntheticSpec spec = spec_of(preset);
  keep.reserve(std::size(kSeeds));
  std::vector<TraceStatistics> all;
  for (const std::uint64_t seed : kSeeds) {
    keep.push_back(generate(spec, seed));
    all.emplace_back(keep.back());
  }
  return all;
}

void compare(const std::string& preset) {
  std::vector<Workload> keep;
  const std::vector<TraceStatistics> all = statistics(preset, keep);
  for (const Row& row : rows()) {
    if (row.preset != preset) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double generated = row.value(all[i]);
      const double margin = row.share ? row.tolerance : row.tolerance * row.published;
      INFO(preset << ", seed " << kSeeds[i] << ": " << row.statistic << "\n  published "
                  << row.published << " (" << row.source << ")\n  generated " << generated
                  << "\n  tolerance " << margin << " (" << row.reason << ")");
      CHECK(std::fabs(generated - row.published) <= margin);
    }
  }
}

}  // namespace

TEST_CASE("philly looks like the Philly trace") { compare("philly"); }
TEST_CASE("helios looks like the Helios traces") { compare("helios"); }
TEST_CASE("pai looks like the Alibaba PAI trace") { compare("pai"); }
TEST_CASE("acme looks like the Kalos trace") { compare("acme"); }

TEST_CASE("the table of the comparison", "[.table]") {
  std::printf(
      "| preset | statistic | published | generated, by seed | tolerance "
      "|\n|---|---|---|---|---|\n");
  for (const char* preset : {"philly", "helios", "pai", "acme"}) {
    std::vector<Workload> keep;
    const std::vector<TraceStatistics> all = statistics(preset, keep);
    for (const Row& row : rows()) {
      if (row.preset != std::string{preset}) continue;
      std::string generated;
      for (const TraceStatistics& t : all) {
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", row.value(t));
        generated += (generated.empty() ? "" : ", ") + std::string{text};
      }
      std::printf("| %s | %s | %.6g | %s | %s%.3g%s |\n", preset, row.statistic, row.published,
                  generated.c_str(), row.tolerance > 0 ? "±" : "",
                  row.tolerance * (row.share ? 1 : 100), row.share ? "" : " %");
    }
  }
}

TEST_CASE("how far apart seeds are", "[.spread]") {
  constexpr int kRuns = 20;
  for (const char* preset : {"philly", "helios", "pai", "acme"}) {
    const SyntheticSpec spec = spec_of(preset);
    std::map<const Row*, std::pair<double, double>> sums;
    for (int seed = 1; seed <= kRuns; ++seed) {
      const Workload w = generate(spec, static_cast<std::uint64_t>(seed));
      const TraceStatistics t(w);
      for (const Row& row : rows()) {
        if (row.preset != std::string{preset}) continue;
        const double x = row.value(t) / (row.share ? 1 : row.published);
        sums[&row].first += x;
        sums[&row].second += x * x;
      }
    }
    for (const auto& [row, sum] : sums) {
      const double mean = sum.first / kRuns;
      const double sd = std::sqrt(std::max(0.0, sum.second / kRuns - mean * mean));
      const double bias = mean - (row->share ? row->published : 1);
      std::printf("%-7s %-48s off by %+.4f, sd %.4f, tolerance %.4f = %.1f sd beyond\n", preset,
                  row->statistic, bias, sd, row->tolerance,
                  sd > 0 ? (row->tolerance - std::fabs(bias)) / sd : 0.0);
    }
  }
}
