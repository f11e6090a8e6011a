// Workers become ready one by one, and a gang works when its last one is.

#include <algorithm>

#include "engine.hpp"
#include "muster/core/detmath.hpp"
#include "muster/core/random.hpp"

namespace muster {
namespace {

using Readiness = OutagePlan::Readiness;

Duration draw(const Readiness& rule, Stream& stream) {
  const auto typical = static_cast<double>(rule.time.count());
  double ns = 0;
  switch (rule.law) {
    case Readiness::Law::none:
      return {};
    case Readiness::Law::fixed:
      return rule.time;
    case Readiness::Law::exponential:
      ns = stream.exponential(typical);
      break;
    case Readiness::Law::lognormal:
      ns = stream.lognormal(detmath::log(typical), rule.sigma);
      break;
  }
  return Duration{static_cast<std::int64_t>(std::min(ns, static_cast<double>(kLongest.count())))};
}

}  // namespace

/// `j` starts: it pays for its slowest worker before anything else. The scheduler does not know of it:
/// by its books the job is as long as ever. Returns the workers, if those that are ready are seen to wait.
std::span<const Record::Worker> Engine::get_ready(JobId j) {
  Availability& a = *availability_;
  const Readiness& rule = a.plan.readiness;
  a.workers.clear();
  if (rule.law == Readiness::Law::none) return {};
  Stream stream(a.plan.failures.seed, "readiness");
  stream.seek(std::uint64_t{j.value} << 32 | std::uint64_t{a.starts[j]++} << 16);
  Duration last{};
  for (const Slice& s : placements_.of(j))
    for (std::uint32_t left = s.count; left > 0; --left) {
      const Duration ready = draw(rule, stream);
      last = std::max(last, ready);
      a.workers.push_back({ready, count(s.gpus)});
    }
  live_[j].entry.overhead = std::min(live_[j].entry.overhead, kUnlimited - last) + last;
  planned_[j] = std::min(planned_[j], kUnlimited - last) + last;
  return rule.gating ? std::span<const Record::Worker>{} : a.workers;
}

}  // namespace muster
