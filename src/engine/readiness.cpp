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

/// A worker of a gang that has not begun to work.
struct Rank {
  Duration ready{};  // when it is, the last time
  Duration drops{};  // when it no longer is
};

Rank next_turn(const Readiness& rule, Duration from, Stream& stream) {
  Rank rank;
  rank.ready = std::min(from, kUnlimited - kLongest) + draw(rule, stream);
  rank.drops = kUnlimited;
  if (rule.stays == kUnlimited) return rank;
  const double ns = stream.exponential(static_cast<double>(rule.stays.count()));
  const Duration stays{
      static_cast<std::int64_t>(std::min(ns, static_cast<double>(kLongest.count())))};
  rank.drops = std::min(rank.ready, kUnlimited - kLongest) + stays;
  return rank;
}

/// Until all are ready at once; when each became so for good. False if that takes more turns than anybody
/// would wait for.
bool all_at_once(const Readiness& rule, std::vector<Rank>& ranks, Stream& stream) {
  constexpr std::uint32_t kMostTurns =
      1U << 14;  // of up to three numbers: a start has 2^16 of its own
  std::uint32_t turns = 0;
  Duration all{}, before{-1};
  while (all != before) {
    before = all;
    for (Rank& rank : ranks) {
      while (rank.drops <= before) {
        if (++turns > kMostTurns) return false;
        rank = next_turn(rule, rank.drops, stream);
      }
      all = std::max(all, rank.ready);
    }
  }
  return true;
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
  std::vector<Rank> ranks;
  for (const Slice& s : placements_.of(j))
    for (std::uint32_t left = s.count; left > 0; --left) {
      ranks.push_back(next_turn(rule, {}, stream));
      a.workers.push_back({{}, count(s.gpus)});
    }
  if (!all_at_once(rule, ranks, stream)) never_ready(j, ranks.size());
  Duration last{};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    a.workers[i].ready = ranks[i].ready;
    last = std::max(last, ranks[i].ready);
  }
  live_[j].entry.overhead = std::min(live_[j].entry.overhead, kUnlimited - last) + last;
  planned_[j] = std::min(planned_[j], kUnlimited - last) + last;
  return rule.gating ? std::span<const Record::Worker>{} : a.workers;
}

/// It is taken to begin all the same, after what it has waited by then.
void Engine::never_ready(JobId j, std::size_t workers) {
  constexpr std::size_t kMostSaid = 20;
  std::uint64_t& times = availability_->never_ready;
  if (++times > kMostSaid) return;
  summary_.warnings.push_back("never_ready: the " + std::to_string(workers) + " workers of job " +
                              std::string{workload_.id_text(j)} +
                              " are as good as never all ready at once; it is taken to begin after "
                              "16,384 times that one of them had to "
                              "begin anew");
}

}  // namespace muster
