#pragma once
#include <map>
#include <vector>

#include "io/results/result_file.hpp"
#include "muster/engine/record.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// ranks.csv: which ranks of a job were slower than usual, from when to when, by how much. All others computed as
/// usual, and are not in it.
class RanksCsv final : public Observer {
 public:
  RanksCsv(ResultFile& file, const Fleet& fleet, const Workload& workload);

  void on(const Record& record) override;
  void paced(const PaceRecord& record) override;
  /// The window closes.
  void finish(SimTime at);

 private:
  struct Paces {
    SimTime since;
    std::vector<PaceRecord::Rank> slow;
    double computing = 1, step_s = 0;
    bool operator==(const Paces&) const = default;
  };
  void write(JobId job, const Paces& paces, SimTime to);
  void close(JobId job, SimTime at);

  ResultFile& file_;
  const Fleet& fleet_;
  const Workload& workload_;
  std::map<JobId, Paces> open_;
};

}  // namespace muster
