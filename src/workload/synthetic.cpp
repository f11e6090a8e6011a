#include "muster/workload/synthetic.hpp"

#include <algorithm>
#include <numeric>

#include "muster/core/check.hpp"
#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/workload/builder.hpp"
#include "workload/synthetic_arrivals.hpp"
#include "workload/synthetic_draws.hpp"

namespace muster {
namespace {

struct Job {
  Duration duration, estimate;
  std::uint32_t batch;
  std::int32_t priority;
  Qos qos;
  Outcome outcome;
  std::vector<Duration> failed_attempts;
};

/// The jobs, not yet in time.
struct Drawn {
  std::vector<Job> jobs;
  std::vector<synthetic::Batch> batches;
  Int128 work = 0;  // GPU-ns, in thousandths
};

/// Draws jobs until there are `jobs` of them, or, if that is 0, until they want `work`. The last
/// batch is cut short.
Drawn draw(const SyntheticSpec& spec, synthetic::Draws& draws, std::int64_t jobs, Int128 work) {
  Drawn drawn;
  const auto enough = [&] {
    return jobs > 0 ? std::ssize(drawn.jobs) >= jobs : drawn.work >= work;
  };
  while (!enough()) {
    synthetic::Batch batch = draws.batch();
    const SizeClass& size = spec.sizes[batch.size];
    const Int128 share = Int128{size.shape.gpus} * size.shape.milli;
    std::uint32_t made = 0;
    for (; made < batch.jobs && !enough(); ++made) {
      if (std::ssize(drawn.jobs) >= kMostSyntheticJobs)
        throw InputError("/load",
                         "is not reached with " + std::to_string(kMostSyntheticJobs) + " jobs",
                         "ask for a shorter span, fewer GPUs or larger jobs");
      const auto [duration, outcome] = draws.run(size);
      const auto& priority = draws.priority();
      drawn.jobs.push_back({duration, draws.estimate(duration),
                            static_cast<std::uint32_t>(drawn.batches.size()), priority.priority,
                            priority.qos, outcome, draws.attempts()});
      drawn.work += share * duration.count();
      for (const Duration attempt : drawn.jobs.back().failed_attempts)
        drawn.work += share * attempt.count();
    }
    batch.jobs = made;
    drawn.batches.push_back(batch);
  }
  return drawn;
}

/// The key that says how fast jobs come.
std::string_view rate_key(const SyntheticSpec& spec) {
  return spec.jobs_per_hour > 0 ? "/jobs_per_hour" : "/load";
}

/// How long it takes until the jobs have come: by the rate, or such that they are the load.
Duration span_of(const SyntheticSpec& spec, const Drawn& drawn) {
  const double ns =
      spec.jobs_per_hour > 0
          ? static_cast<double>(drawn.jobs.size()) / spec.jobs_per_hour * 3600e9
          : static_cast<double>(drawn.work) / 1000 / (spec.load * static_cast<double>(spec.gpus));
  if (!(ns <= static_cast<double>(kLongest.count())))
    throw InputError(rate_key(spec), "the trace would last more than 100 years",
                     "ask for fewer jobs or a higher rate");
  return Duration{std::max<std::int64_t>(1, static_cast<std::int64_t>(ns))};
}

}  // namespace

Workload generate(const SyntheticSpec& spec, std::uint64_t seed) {
  MUSTER_CHECK((spec.jobs > 0) != (spec.span > Duration{}));
  MUSTER_CHECK((spec.jobs_per_hour > 0) != (spec.load > 0 && spec.gpus > 0));

  std::int64_t count = spec.jobs;
  Int128 work = 0;
  if (count == 0 && spec.jobs_per_hour > 0) {
    const double expected = spec.jobs_per_hour * seconds(spec.span) / 3600;
    count = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(expected + 0.5, 1e18)));
  } else if (count == 0) {
    work = static_cast<Int128>(spec.load * static_cast<double>(spec.gpus) *
                               static_cast<double>(spec.span.count()) * 1000);
  }
  if (count > kMostSyntheticJobs)
    throw InputError("/jobs_per_hour", "that would be " + std::to_string(count) + " jobs",
                     "at most " + std::to_string(kMostSyntheticJobs) + " can be generated");

  synthetic::Draws draws(spec, seed);
  const Drawn drawn = draw(spec, draws, count, work);
  std::vector<std::uint32_t> batch_jobs;
  for (const synthetic::Batch& b : drawn.batches) batch_jobs.push_back(b.jobs);
  const std::vector<Duration> submit =
      synthetic::arrival_times(spec.arrivals, spec.jobs > 0 ? span_of(spec, drawn) : spec.span,
                               spec.resolution, batch_jobs, seed);

  // In order of time, so that the rows of the file are; ties in the order drawn.
  std::vector<std::uint32_t> order(drawn.jobs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return submit[a] < submit[b]; });

  TraceReport report;
  WorkloadBuilder builder(report);
  builder.reserve(order.size());
  for (const std::uint32_t i : order) {
    const Job& job = drawn.jobs[i];
    const synthetic::Batch& batch = drawn.batches[job.batch];
    const auto& user = draws.users()[batch.user];
    JobRow row;
    row.submit = submit[i];
    row.duration = job.duration;
    row.shape = spec.sizes[batch.size].shape;
    row.estimate = job.estimate;
    row.user = user.name;
    row.queue = user.queue;
    row.priority = job.priority;
    row.qos = job.qos;
    row.outcome = job.outcome;
    row.failed_attempts = job.failed_attempts;
    builder.add(row);
  }
  return builder.finish(/*keep_origin=*/true);
}

}  // namespace muster
