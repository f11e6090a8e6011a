#include <array>
#include <map>

#include "muster/policy/parts/predictor.hpp"

namespace muster {
namespace {

/// How much of an older run's say is left with each newer one.
constexpr double kDecay = 0.8;

/// Run times of one kind of job: their mean, and their mean with older ones fading.
struct History {
  double sum = 0, count = 0;
  double fading_sum = 0, fading_count = 0;
  void add(Duration ran) {
    sum += seconds(ran);
    count += 1;
    fading_sum = fading_sum * kDecay + seconds(ran);
    fading_count = fading_count * kDecay + 1;
  }
};

Duration of_seconds(double s) { return Duration{static_cast<std::int64_t>(s * 1e9)}; }

/// The rolling estimate of Helios' QSSF (Hu et al., SC'21): of the user's jobs of the same
/// name the mean in which older ones fade exponentially; else the mean of the user's jobs with as many
/// GPUs; of an unknown user, that of everybody's. Where even that is missing, all of the user's, then
/// all jobs there have been.
///
/// The paper compares names by edit distance; here a name is (project, model, kind), which is all that
/// traces have, and the same or not. It does not give the rate of decay: each run counts 0.8 of the
/// next one.
class Rolling final : public Predictor {
 public:
  void ended(const Jobs& jobs, JobId j, Duration ran) override {
    for (const Key& key : keys(jobs, j)) histories_[key].add(ran);
  }

  Duration predict(const Jobs& jobs, JobId j) const override {
    for (const Key& key : keys(jobs, j)) {
      const auto it = histories_.find(key);
      if (it == histories_.end() || (key[0] == by_name && nameless(key))) continue;
      const History& h = it->second;
      return of_seconds(key[0] == by_name ? h.fading_sum / h.fading_count : h.sum / h.count);
    }
    return kUnknown;
  }

 private:
  using Key = std::array<std::uint32_t, 5>;
  enum : std::uint32_t { by_name, user_and_size, by_size, by_user, all };
  static bool nameless(const Key& k) { return k[2] == 0 && k[3] == 0 && k[4] == 0; }

  /// From the nearest relatives to the farthest.
  static std::array<Key, 5> keys(const Jobs& jobs, JobId j) {
    const std::uint32_t user = jobs.user(j).value;
    const std::uint32_t gpus = jobs.asks(j).gpus, nodes = jobs.asks(j).nodes;
    return {{{by_name, user, jobs.project(j).value, jobs.model(j).value, jobs.kind(j).value},
             {user_and_size, user, gpus, nodes},
             {by_user, user},
             {by_size, gpus, nodes},
             {all}}};
  }

  std::map<Key, History> histories_;
};

const Predictors::Add<Rolling> registered{
    "rolling", "of the same user and name, else of the same user or size (Helios, SC'21)"};

}  // namespace
}  // namespace muster
