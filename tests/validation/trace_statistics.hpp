#pragma once
// What studies of public traces print in their tables, computed from a Workload.
#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/workload/workload.hpp"

namespace muster::test {

class TraceStatistics {
 public:
  explicit TraceStatistics(const Workload& w) : w_(w) {
    for (std::uint32_t i = 0; i < w.size(); ++i) {
      const JobId j{i};
      const double gpus = gpus_of(j), run = seconds(w.truth.duration[j]);
      gpus_.push_back(gpus);
      runs_.push_back(run);
      gpu_time_ += gpus * run;
      if (i > 0) gaps_.push_back(seconds(w.submit[j] - w.submit[JobId{i - 1}]));
    }
    sorted_gpus_ = sorted(gpus_);
    sorted_runs_ = sorted(runs_);
  }

  double mean_gpus() const { return mean(gpus_); }
  double median_gpus() const { return quantile(sorted_gpus_, 0.5); }
  double most_gpus() const { return sorted_gpus_.back(); }
  double mean_run() const { return mean(runs_); }
  double run_quantile(double p) const { return quantile(sorted_runs_, p); }
  double longest_run() const { return sorted_runs_.back(); }
  double gpu_seconds_per_job() const { return gpu_time_ / static_cast<double>(w_.size()); }

  /// Share of the jobs, and of the GPU time, that `which` is true of.
  template <class Which>
  double job_share(Which which) const {
    double n = 0;
    for (std::uint32_t i = 0; i < w_.size(); ++i) n += which(JobId{i}) ? 1 : 0;
    return n / static_cast<double>(w_.size());
  }
  template <class Which>
  double gpu_time_share(Which which) const {
    double t = 0;
    for (std::uint32_t i = 0; i < w_.size(); ++i) t += which(JobId{i}) ? gpus_[i] * runs_[i] : 0;
    return t / gpu_time_;
  }
  auto at_least(double gpus) const {
    return [this, gpus](JobId j) { return gpus_[j.value] >= gpus; };
  }
  auto exactly(double gpus) const {
    return [this, gpus](JobId j) { return gpus_[j.value] == gpus; };
  }
  auto ended(Outcome outcome) const {
    return [this, outcome](JobId j) {
      return Workload::at_or(w_.truth.outcome, j, Outcome::completed) == outcome;
    };
  }

  /// Standard deviation of the gaps between arrivals over their mean: 1 for a Poisson process.
  double arrival_cv() const {
    const double m = mean(gaps_);
    double square = 0;
    for (const double g : gaps_) square += (g - m) * (g - m);
    return std::sqrt(square / static_cast<double>(gaps_.size())) / m;
  }
  double same_second() const {
    double n = 0;
    for (std::uint32_t i = 1; i < w_.size(); ++i)
      n += whole_seconds(JobId{i}) == whole_seconds(JobId{i - 1}) ? 1 : 0;
    return n / static_cast<double>(gaps_.size());
  }
  double jobs_per_hour() const { return 3600 / mean(gaps_); }

 private:
  double gpus_of(JobId j) const {
    const Shape& s = w_.shapes[w_.shape[j]];
    return s.gpus * (s.milli / 1000.0);
  }
  std::int64_t whole_seconds(JobId j) const {
    return w_.submit[j].time_since_epoch() / std::chrono::seconds{1};
  }
  static double mean(const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
  }
  static double quantile(const std::vector<double>& ascending, double p) {
    return ascending[static_cast<std::size_t>(p * static_cast<double>(ascending.size() - 1))];
  }
  static std::vector<double> sorted(std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return x;
  }

  const Workload& w_;
  std::vector<double> gpus_, runs_, gaps_, sorted_gpus_, sorted_runs_;
  double gpu_time_ = 0;
};

}  // namespace muster::test
