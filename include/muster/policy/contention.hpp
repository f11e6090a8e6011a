#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/core/id.hpp"
#include "muster/policy/cost_options.hpp"
#include "muster/policy/speed.hpp"

namespace muster {

/// How jobs that run slow each other down: a fact about jobs and fleet, the same for every policy. It is
/// told who runs where and says whose speed that changes; the engine then settles what these have done
/// and plans their ends anew (Engine::reprice).
class Contention {
 public:
  /// Of the speed that the job has alone where it is.
  struct Factor {
    JobId job;
    std::uint32_t millionths;
    std::uint32_t communicating = 0;  // millionths of its time in which it waits for the network
  };

  /// A part of the time that a unit of work takes.
  struct Term {
    std::string name;
    double units;
    std::string because;
  };

  virtual ~Contention() = default;
  /// `job` runs on `where` from now on; until changes() says otherwise as if it were alone.
  virtual void came(JobId job, std::span<const Slice> where) = 0;
  virtual void went(JobId job, std::span<const Slice> where) = 0;
  /// Whoever runs and has another factor, or another share of communication, than before (at first: all
  /// of its speed, and none), each once, in order of jobs.
  virtual std::span<const Factor> changes() = 0;
  /// What a unit of the work of `job`, which runs, takes by now, as a sum; empty if nobody could slow it down.
  virtual std::vector<Term> terms(JobId job) const {
    static_cast<void>(job);
    return {};
  }
};

/// What `options` ask for; null if nobody slows anybody down.
std::unique_ptr<Contention> make_contention(const Workload& w, const Fleet& fleet,
                                            const SpeedOptions& options, const CostOptions& cost);

/// For how many jobs the network's part is a guess; "" if for none.
std::string guessed_text(const Workload& w, const CostOptions& cost);

/// `speeds` in whole millionths, so that a factor of one is exact enough to be counted with.
std::unique_ptr<SpeedModel> in_millionths(std::unique_ptr<SpeedModel> speeds);

/// `alone`, in millionths, times `millionths`; never nothing.
Speed slowed(Speed alone, std::uint32_t millionths);

}  // namespace muster
