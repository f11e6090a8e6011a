#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "muster/core/time.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// Chances of a job's outcome, in any whole numbers; all zero = not stated.
using OutcomeWeights = std::array<std::int64_t, 8>;  // indexed by Outcome

/// How long a job runs: one law of a mixture.
struct DurationLaw {
  enum class Kind { lognormal, pareto, constant };
  std::int64_t weight = 1;
  Kind law = Kind::lognormal;
  Duration median = kUnknown;  // lognormal; the value of a constant
  double sigma = 1;            // lognormal: standard deviation of ln(duration)
  double alpha = 1;            // pareto: P(X > x) = (least/x)^alpha, conditioned on X <= most
  Duration least = kUnknown;   // pareto: from here; others: shorter is set to this
  Duration most = kUnknown;    // pareto: to here; others: longer is set to this
  OutcomeWeights outcomes{};   // of the jobs that this law draws; not stated = the trace's
};

/// One way to ask for GPUs, and how often it is asked.
struct SizeClass {
  std::int64_t weight = 1;
  Shape shape;
  std::size_t durations = 0;  // index into SyntheticSpec::durations
};

/// A trace to be made up. Equations, units and sources: docs/generate.md.
struct SyntheticSpec {
  // How much: jobs or span, and a rate or an offered load on so many GPUs; the others follow.
  std::int64_t jobs = 0;     // 0: from the span
  Duration span = kUnknown;  // unknown: from the number of jobs
  double jobs_per_hour = 0;  // 0: from the load
  double load = 0;           // GPU time asked for / (gpus x span)
  std::int64_t gpus = 0;
  std::uint64_t seed = 1;
  Duration resolution = std::chrono::seconds{1};  // submit times and durations are multiples of it

  struct Arrivals {
    double day = 0;          // the rate swings by this share of its mean over a day
    double peak_hour = 15;   // when it is highest
    double weekend = 1;      // the rate on Saturday and Sunday / that on other days
    int first_day = 0;       // weekday of time zero, 0 = Monday
    double burst_sigma = 0;  // slow bursts: the rate times a lognormal number of mean 1, ...
    Duration burst_hold = std::chrono::hours{1};  // ... drawn anew after this time
    double batch_mean = 1;  // jobs submitted together (same user, same size): geometric, mean
    double batch_together =
        1;  // chance that a follower comes at the same instant as the one before
    Duration batch_gap = std::chrono::seconds{10};  // otherwise: exponential gap of this mean
  } arrivals;

  std::vector<SizeClass> sizes;
  std::vector<std::vector<DurationLaw>> durations;  // mixtures
  OutcomeWeights outcomes{};

  /// What users say: duration x factor, the factor lognormal; rounded up to what people type.
  struct Estimates {
    double given = 0;             // share of jobs that have an estimate at all
    double exact = 0;             // share of those whose factor is 1
    double median = 2;            // of the factor
    double sigma = 0.7;           // of ln(factor)
    double least = 1;             // smallest factor; below 1, some jobs run over their estimate
    std::vector<Duration> round;  // ascending; beyond the last: whole multiples of the last
  } estimates;

  /// Attempts that fail by themselves before the last one, which `durations` are of.
  struct Attempts {
    double share = 0;                            // of the jobs have such
    double mean = 1;                             // number of them, of those jobs: geometric from 1
    Duration median = std::chrono::minutes{10};  // of how long one runs: lognormal
    double sigma = 1;                            // of its logarithm
    Duration most = kUnknown;                    // longer ones are set to this
  } attempts;

  std::int64_t users = 0;                      // 0: no user names
  double zipf = 1;                             // the k-th busiest user of a queue: weight k^-zipf
  std::map<std::string, std::int64_t> queues;  // name -> weight; users are dealt out in proportion

  struct PriorityClass {
    std::int64_t weight = 1;
    std::int32_t priority = 0;
    Qos qos = Qos::normal;
  };
  std::vector<PriorityClass> priorities;
};

/// The most jobs one specification may ask for.
inline constexpr std::int64_t kMostSyntheticJobs = 50'000'000;

/// The trace of a specification: a pure function of (spec, seed), the same on every machine.
/// InputError, with a key of the specification as its place ("/load"), if that takes more than
/// kMostSyntheticJobs jobs or 100 years.
Workload generate(const SyntheticSpec& spec, std::uint64_t seed);

}  // namespace muster
