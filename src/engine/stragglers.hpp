#pragma once
#include <map>
#include <memory>
#include <vector>

#include "muster/engine/disturbances.hpp"
#include "muster/engine/record.hpp"
#include "muster/policy/contention.hpp"

namespace muster {

/// Which GPUs are slow by now, and whom that slows down: a synchronous job computes at the pace of its slowest
/// GPU, and the others wait for it. Sits on top of what else slows jobs down.
class Stragglers final : public Contention {
 public:
  Stragglers(std::unique_ptr<Contention> others, const Fleet& fleet, const Disturbances& plan);

  /// Something of a node becomes slow, or well again.
  struct Slow {
    std::uint32_t episode = 0;  // by which it ends
    NodeId node{};
    GpuMask gpus = 0;
    double slowdown = 1;
    const Disturbances::Cause* cause = nullptr;
  };
  void begin(const Slow& slow);
  /// False if it is over already.
  bool end(NodeId node, std::uint32_t episode);
  /// How much longer what it holds of that node computes, over usual; 1 if nothing there is slow.
  double slowdown_on(JobId job, NodeId node) const;
  struct Running {
    std::vector<Slice> where;
    std::uint32_t nodes = 0;
    Factor others;        // what the rest makes of it
    double slowdown = 1;  // of its slowest GPU
    Factor said;          // by changes()
    std::vector<PaceRecord::Rank> slow;
    double waits() const;  // of its time, what it does not compute
  };
  const Running* running(JobId job) const;
  const std::map<JobId, Running>& all() const { return running_; }
  /// Whose ranks are slow in another way than before the last changes().
  std::span<const JobId> paced() const { return paced_; }

  void came(JobId job, std::span<const Slice> where) override;
  void went(JobId job, std::span<const Slice> where) override;
  void links(std::span<const std::uint32_t> links, double health) override;
  std::span<const Factor> changes() override;
  std::vector<Term> terms(JobId job) const override;
  Price price(const Demand& d, std::span<const Slice> where) override;
  bool same_everywhere(const Demand& d) const override {
    return !others_ || others_->same_everywhere(d);
  }

 private:
  void look_again(NodeId node);
  double slowest(const Running& running, const Slow** which) const;
  std::vector<PaceRecord::Rank> slow_ranks(const Running& running) const;
  bool crowded(NodeId node) const;
  static Factor together(const Running& running);

  const Fleet& fleet_;
  std::unique_ptr<Contention> others_;  // null: nothing else does
  const Disturbances::Cause* neighbours_ = nullptr;
  std::map<NodeId, std::vector<Slow>> slow_;
  std::map<NodeId, std::uint32_t> tenants_;  // jobs by node, where neighbours matter
  std::map<JobId, Running> running_;
  std::vector<JobId> touched_;
  std::vector<Factor> changes_;
  std::vector<JobId> paced_;
};

}  // namespace muster
