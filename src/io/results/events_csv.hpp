#pragma once
#include "io/results/result_file.hpp"
#include "muster/engine/record.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// events.csv: everything that happened, one row each, in the order of simulated time.
class EventsCsv final : public Observer {
 public:
  EventsCsv(ResultFile& file, const Fleet& fleet, const Workload& workload);

  void on(const Record& record) override;
  void node(const NodeRecord& record) override;

 private:
  ResultFile& file_;
  const Fleet& fleet_;
  const Workload& workload_;
};

/// GPUs by number, ranges together: "0-3,6". `mask` is not empty.
std::string gpus_text(GpuMask mask);

}  // namespace muster
