#include "io/generate/spec_params.hpp"

namespace muster {
namespace {

constexpr std::int64_t kMostWeight = 1'000'000'000'000;  // sums of thousands stay within 64 bits
constexpr std::int64_t kMostGpus = 10'000'000;
constexpr std::string_view kDays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                      "friday", "saturday", "sunday"};
constexpr std::string_view kLaws[] = {"lognormal", "pareto", "constant"};
constexpr std::string_view kQos[] = {"guaranteed", "normal", "best_effort", "spot"};

}  // namespace

void SpecTop::walk(ParamVisitor& visit) {
  visit.visit("about", about, "what this trace stands for; read by people only");
  visit.visit("jobs", spec.jobs, 0, kMostSyntheticJobs,
              "how many jobs; 0 = as many as the span takes");
  visit.visit("span", spec.span, "how long jobs arrive; not set = until the jobs are there");
  visit.visit("jobs_per_hour", spec.jobs_per_hour, 0, 1e9, "mean arrival rate; 0 = from the load");
  visit.visit("load", spec.load, 0, 1000, "GPU time wanted / (gpus x span); 0 = from the rate");
  visit.visit("gpus", spec.gpus, 0, kMostGpus, "the fleet that the load is counted on");
  visit.visit("seed", seed, 0, INT64_MAX, "which of the traces of this kind");
  visit.visit("resolution", spec.resolution, "times are whole multiples of it");
  visit.visit("queues", spec.queues, "share of the jobs by queue, in any whole numbers");
  visit.visit("outcomes", outcomes, "share of the jobs by outcome: completed, failed, ...");
}

void SpecSize::walk(ParamVisitor& visit) {
  visit.visit("weight", size.weight, 0, kMostWeight, "how often, relative to the other sizes");
  visit.visit("gpus", gpus, 0, kMostGpus, "GPUs, placed as the placer likes");
  visit.visit("nodes", nodes, 0, kMostGpus, "instead of gpus: so many nodes, ...");
  visit.visit("gpus_per_node", gpus_per_node, 0, 1024, "... and so many GPUs on each");
  visit.visit("gpu_milli", gpu_milli, 1, 1000, "share of one GPU in thousandths; with gpus = 1");
  visit.visit("durations", durations, "which of the durations");
}

void SpecLaw::walk(ParamVisitor& visit) {
  visit.visit("weight", law.weight, 0, kMostWeight, "how often, relative to the other laws");
  visit.choice("law", law.law, kLaws, "kind of distribution");
  visit.visit("median", law.median,
              "lognormal: half the jobs are shorter; the value of a constant");
  visit.visit("sigma", law.sigma, 0, 10, "lognormal: standard deviation of ln(duration)");
  visit.visit("alpha", law.alpha, 1e-3, 100, "pareto: P(duration > x) falls as x^-alpha");
  visit.visit("least", law.least, "the shortest; pareto starts here");
  visit.visit("most", law.most, "the longest");
  visit.visit("outcomes", outcomes, "of the jobs of this law; not set = the outcomes of the trace");
}

void SpecPriority::walk(ParamVisitor& visit) {
  visit.visit("weight", priority.weight, 0, kMostWeight, "how often, relative to the others");
  visit.visit("value", value, INT32_MIN, INT32_MAX, "the priority; larger is more urgent");
  visit.choice("qos", priority.qos, kQos, "quality of service");
}

void walk(SyntheticSpec::Arrivals& a, ParamVisitor& visit) {
  visit.visit("day", a.day, 0, 1, "swing of the rate over a day, as a share of its mean");
  visit.visit("peak_hour", a.peak_hour, 0, 24, "hour of the day with the highest rate");
  visit.visit("weekend", a.weekend, 0, 100, "rate on Saturday and Sunday, relative to other days");
  visit.visit("first_day", a.first_day, kDays, "the day on which the trace begins, at midnight");
  visit.visit("burst_sigma", a.burst_sigma, 0, 5,
              "slow bursts: standard deviation of ln(rate), drawn anew every burst_hold");
  visit.visit("burst_hold", a.burst_hold, "how long a burst or a lull lasts");
  visit.visit("batch_mean", a.batch_mean, 1, 100'000,
              "mean number of jobs submitted together, by one user and of one size");
  visit.visit("batch_together", a.batch_together, 0, 1,
              "share of a batch's jobs that come at the same instant as the one before");
  visit.visit("batch_gap", a.batch_gap, "mean gap before the others");
}

void walk(SyntheticSpec::Estimates& e, ParamVisitor& visit) {
  visit.visit("given", e.given, 0, 1, "share of the jobs that have an estimate");
  visit.visit("exact", e.exact, 0, 1, "share of the estimates that are right, before rounding");
  visit.visit("median", e.median, 1e-3, 1e6, "median of estimate / duration, of the others");
  visit.visit("sigma", e.sigma, 0, 10, "standard deviation of ln(estimate / duration)");
  visit.visit("least", e.least, 0, 1e6, "smallest estimate / duration; below 1, some run over");
}

void walk(SyntheticSpec::Attempts& a, ParamVisitor& visit) {
  visit.visit("share", a.share, 0, 1,
              "share of the jobs that fail by themselves and are tried again");
  visit.visit("mean", a.mean, 1, 1000, "mean number of failed attempts of those, geometric");
  visit.visit("median", a.median, "half of the failed attempts are shorter");
  visit.visit("sigma", a.sigma, 0, 10, "standard deviation of ln(time of a failed attempt)");
  visit.visit("most", a.most, "longer ones are set to this");
}

void walk_users(SyntheticSpec& spec, ParamVisitor& visit) {
  visit.visit("count", spec.users, 0, 10'000'000, "how many users; 0 = unknown");
  visit.visit("zipf", spec.zipf, 0, 10, "the k-th busiest user of a queue submits like k^-zipf");
}

}  // namespace muster
