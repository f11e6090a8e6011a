#pragma once
#include <memory>
#include <string>
#include <vector>

#include "muster/core/error.hpp"
#include "muster/engine/listeners.hpp"
#include "muster/engine/simulate.hpp"
#include "muster/io/experiment.hpp"
#include "muster/policy/prepare.hpp"

namespace muster::test {

/// A policy as the command line names it: "batch:backfill=easy,depth=50".
inline std::unique_ptr<Policy> policy(const std::string& spec) {
  return load_policy(spec, "test").policy;
}

/// What is said of a policy that is refused; "" if it is not.
inline std::string refusal(const std::string& spec) {
  try {
    policy(spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Shapes told apart as this policy needs it.
inline Workload prepared(Workload w, const Policy& p) {
  prepare(w, p);
  return w;
}

/// First start, end and final state of each job.
class Timetable final : public Observer {
 public:
  explicit Timetable(std::size_t jobs)
      : start(jobs, kNever), end(jobs, kNever), state(jobs, JobState::never_submitted) {}
  void on(const Record& r) override {
    state[r.job] = r.state;
    if (r.what == Record::What::start && start[r.job] == kNever) start[r.job] = r.at;
    if (r.what == Record::What::end) end[r.job] = r.at;
  }
  IdVector<JobId, SimTime> start, end;
  IdVector<JobId, JobState> state;
};

}  // namespace muster::test
