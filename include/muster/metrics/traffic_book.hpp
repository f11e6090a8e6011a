#pragma once
#include "muster/core/job_slots.hpp"
#include "muster/engine/record.hpp"
#include "muster/policy/job_traffic.hpp"

namespace muster {

/// What all jobs have sent over the network, over all runs up to their last stop, end or reshape; what a run
/// threw away was sent as well. Of a job it knows something where records say that it waits for its network,
/// which it does wherever it sends.
class TrafficBook final : public Observer {
 public:
  TrafficBook(const Workload& w, const Fleet& fleet, const CostOptions& cost)
      : traffic_(w, fleet, cost), runs_(w.size()) {}
  void on(const Record& record) override;
  const Traffic& all() const { return all_; }

 private:
  struct Run {
    SimTime since{};
    double at_first = 0, speed = 0;  // of its work, how much it does per unit of time
    double work_s = 0;
    void to(SimTime at);
  };
  JobTraffic traffic_;
  JobSlots<Run> runs_;
  Traffic all_;
};

}  // namespace muster
