#pragma once
#include <map>
#include <vector>

#include "muster/workload/workload.hpp"

namespace muster {

/// Who waits for whom to end. Costs nothing for jobs without dependencies.
class Dependencies {
 public:
  explicit Dependencies(const Workload& w) {
    for (const auto& [job, before] : w.depends_on)
      for (const JobId b : before) {
        ++open_[job];
        after_[b].push_back(job);
      }
  }
  bool any() const { return !open_.empty(); }
  bool held(JobId j) const {
    const auto it = open_.find(j);
    return it != open_.end() && it->second > 0;
  }
  /// `j` has ended; visits the jobs that no longer wait for anyone.
  template <class Visit>
  void ended(JobId j, Visit visit) {
    const auto it = after_.find(j);
    if (it == after_.end()) return;
    for (const JobId next : it->second)
      if (--open_[next] == 0) visit(next);
    after_.erase(it);
  }

 private:
  std::map<JobId, std::uint32_t> open_;  // jobs it still waits for
  std::map<JobId, std::vector<JobId>> after_;
};

}  // namespace muster
