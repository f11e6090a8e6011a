#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/cluster/placement_cost.hpp"
#include "muster/core/id.hpp"
#include "muster/policy/cost_options.hpp"
#include "muster/policy/speed.hpp"
#include "muster/policy/time_split.hpp"

namespace muster {

class JobSteps;

/// How jobs that run slow each other down: a fact about jobs and fleet, the same for every policy. It is
/// told who runs where and says whose speed that changes; the engine then settles what these have done
/// and plans their ends anew (Engine::reprice).
class Contention : public PlacementCost {
 public:
  /// Of the speed that the job has alone where it is.
  struct Factor {
    JobId job;
    std::uint32_t millionths;
    TimeSplit split{};
  };

  /// A part of the time that a unit of work takes.
  struct Term {
    std::string name;
    double units;
    std::string because;
  };

  /// `job` runs on `where` from now on; until changes() says otherwise as if it were alone.
  virtual void came(JobId job, std::span<const Slice> where) = 0;
  virtual void went(JobId job, std::span<const Slice> where) = 0;
  /// These links (topology/links.hpp) from now on carry that share of what they were built for.
  virtual void links(std::span<const std::uint32_t> links, double health) {
    static_cast<void>(links);
    static_cast<void>(health);
  }
  /// Whoever runs and has another factor, or another split of its time, than before (at first: all
  /// of its speed, and none), each once, in order of jobs.
  virtual std::span<const Factor> changes() = 0;
  /// What a unit of the work of `job`, which runs, takes by now, as a sum; empty if nobody could slow it down.
  virtual std::vector<Term> terms(JobId job) const {
    static_cast<void>(job);
    return {};
  }
};

/// What is known of the steps of jobs; null if nothing is.
std::shared_ptr<JobSteps> make_job_steps(const Workload& w, const Fleet& fleet,
                                         const CostOptions& cost);

/// What `options` ask for; null if nobody slows anybody down, and jobs only compute.
std::unique_ptr<Contention> make_contention(const Workload& w, const Fleet& fleet,
                                            const SpeedOptions& options, const CostOptions& cost,
                                            std::shared_ptr<JobSteps> steps = nullptr);

/// For how many jobs the network's part is a guess, and what of `cost` changes nothing; "" if nothing is to be
/// said.
std::string guessed_text(const Workload& w, const CostOptions& cost);

/// `speeds` in whole millionths, so that a factor of one is exact enough to be counted with.
std::unique_ptr<SpeedModel> in_millionths(std::unique_ptr<SpeedModel> speeds);

/// `alone`, in millionths, times `millionths`; never nothing.
Speed slowed(Speed alone, std::uint32_t millionths);

}  // namespace muster
