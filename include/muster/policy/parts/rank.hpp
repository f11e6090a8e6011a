#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "muster/core/int128.hpp"
#include "muster/core/registry.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// All that a rank may go by: what became so far of a job that runs or waits, and what it is planned
/// to need. Never its true run time.
struct Standing {
  JobId job = kNoJob;
  bool running = false;
  std::int64_t milli = 0;        // thousandths of GPUs it asks for
  SimTime since = kStart;        // it runs, or waits, since
  SimTime first_start = kNever;  // kNever: it has not run yet
  Duration ran{};                // it held GPUs, in all of its runs
  Int128 service = 0;            // the same in GPU-thousandths x ns
  Duration remaining{};          // it will hold GPUs yet, by what is planned
};

/// One GPU-second in Standing::service.
inline constexpr Int128 kGpuSecond = Int128{1'000'000'000} * 1000;

/// Where a job stands. Smaller values go first; of equal ones the smaller `tie`; then jobs that run
/// before jobs that wait; then trace order.
struct RankKey {
  Int128 value = 0;
  std::int64_t growth = 0;  // of the value, in a nanosecond; 0 for jobs that wait
  std::int64_t tie = 0;
  SimTime until = kNever;  // then the key must be asked for anew, even if nothing happens
};

struct RankOptions {
  std::string thresholds = "5h";  // tiresias: GPU time, between its queues
  double promote = 0;             // tiresias: PROMOTEKNOB; 0 = never
  bool hold = false;              // tiresias: who runs goes before who waits, in a queue
  std::map<std::string, std::int64_t> history;  // gittins: GPU-seconds of earlier jobs -> how many
  bool learn = true;                            // gittins: from jobs that end
  Duration quantum{};
};

/// Who of all jobs in the system should have GPUs first.
class Rank {
 public:
  virtual ~Rank() = default;
  /// Asked whenever a job begins to wait or to run, and when its last key is no longer good.
  virtual RankKey key(const Standing& s, SimTime now) = 0;
  /// Whether it goes by Standing::remaining.
  virtual bool by_estimates() const { return true; }
  /// `s` has ended for good.
  virtual void ended(const Standing& s) { static_cast<void>(s); }
  /// True: all keys have changed since the last call.
  virtual bool refresh() { return false; }
  /// What the rank goes by, for this job: "120 s to go by its estimate".
  virtual std::string words(const Standing& s, SimTime now) const = 0;
};

using Ranks = Registry<Rank, const RankOptions&>;

}  // namespace muster
