#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/core/random.hpp"
#include "muster/workload/synthetic.hpp"

namespace muster::synthetic {

/// What the jobs of one batch share.
struct Batch {
  std::uint32_t jobs;
  std::uint32_t size;  // index into SyntheticSpec::sizes
  std::uint32_t user;  // index into users()
};

/// Draws batches and jobs, one after another. Each property has a stream of its own and takes one
/// number per batch or job, so a change of one part of a specification leaves the others' draws alone.
class Draws {
 public:
  Draws(const SyntheticSpec& spec, std::uint64_t seed);

  Batch batch();

  /// How long, and how it ended.
  struct Run {
    Duration duration;
    Outcome outcome;
  };
  Run run(const SizeClass& size);
  /// What the user says of a job of this duration; kUnknown if nothing.
  Duration estimate(Duration duration);
  const SyntheticSpec::PriorityClass& priority();
  /// How long its attempts before the last one run; most jobs have none.
  std::vector<Duration> attempts();

  struct User {
    std::string name, queue;
  };
  const std::vector<User>& users() const { return users_; }

 private:
  /// A mixture with the outcomes of each of its laws.
  struct Mixture {
    WeightedChoice law;
    std::vector<std::optional<WeightedChoice>> outcome;
  };
  void deal_users();
  Duration draw(const DurationLaw& law);
  Duration whole(double ns) const;

  const SyntheticSpec& spec_;
  Stream batch_jobs_, sizes_, users_drawn_, laws_, durations_, outcomes_, estimates_given_,
      estimates_exact_, estimates_, priorities_, attempts_given_, attempts_number_, attempts_;
  WeightedChoice size_choice_, user_choice_;
  std::optional<WeightedChoice> outcome_choice_, priority_choice_;
  std::vector<Mixture> mixtures_;
  std::vector<User> users_;
  double batch_log_ = 0;     // ln(1 - 1/mean batch size)
  double attempts_log_ = 0;  // the same of the number of failed attempts
};

}  // namespace muster::synthetic
