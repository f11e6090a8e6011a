#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "muster/io/text/cell.hpp"
#include "muster/workload/text_index.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

class TraceInput;

/// What the tasks of one PAI job come to.
struct PaiDemand {
  struct Task {
    std::uint32_t instances = 0;
    std::uint32_t milli = 0;  // GPU share of each, in thousandths; may be above 1000
  };
  std::vector<Task> tasks;                    // those with GPUs
  Duration start = kUnknown, end = kUnknown;  // first launch, last end
  std::string types;                          // "T4" or "T4|V100"
  float cpus = 0, memory_gb = 0;
};

/// The task table (and, if it is there, the instance table), gathered by job.
class PaiTasks {
 public:
  /// Reads the tables beside the trace, or those that the options name.
  explicit PaiTasks(TraceInput& in);

  /// Null if no task names the job.
  const PaiDemand* of(std::string_view job) const;

 private:
  void read_tasks(TraceInput& in);
  void read_instances(TraceInput& in);

  TextColumn names_;
  TextIndex index_;
  std::vector<PaiDemand> demands_;
};

/// How a gang of shares is replayed, since a gang has whole GPUs and only a single GPU can be
/// shared; see docs/traces.md.
struct PaiShape {
  Shape shape;                     // 0 GPUs: more than can be counted
  std::string tasks;               // for JobRow::tasks
  std::string_view code, meaning;  // the warning to give, if any
};
PaiShape pai_shape(const PaiDemand& demand);

}  // namespace muster
