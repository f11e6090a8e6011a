#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "muster/policy/params.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/waiting_queue.hpp"
#include "muster/policy/policy.hpp"
#include "virtual_cluster.hpp"

namespace muster::cells {

struct Params {
  std::map<std::string, std::string> virtual_clusters;  // queue -> cells; empty: one for everybody
  bool skip = false;
  PreemptMode preemption = PreemptMode::requeue;
  std::string placer = "pack";
  Cutting cutting;
  Planning planning;

  void walk(ParamVisitor& visit);
};

/// Decides by cells. Jobs of a queue that has a virtual cluster run inside its cells, whatever others
/// do. The others (of other queues, of qos best_effort or spot, and MIG instances, which are in no cell)
/// are opportunistic: they run on what is free, outside of bound cells first, and make room.
class Core {
 public:
  explicit Core(const Params& params);

  const Params& params() const { return params_; }
  Planning planning() const;
  bool wants_domains(const Fleet& fleet) const { return make_placer(1)->wants_domains(fleet); }
  void begin(const View& view, std::uint64_t seed);
  std::optional<Rejection> refuse(const View& view, JobId job);
  void decide(const View& view, Plan& plan);
  Explanation explain(const View& view, JobId job);

 private:
  static constexpr std::size_t kOpportunistic = SIZE_MAX;

  struct Tenant {
    VirtualCluster cluster;
    WaitingQueue waiting;
  };
  /// A job in the system.
  struct Member {
    std::size_t tenant = kOpportunistic;
    enum class State : std::uint8_t { waiting, granted, running, leaving } state = State::waiting;
    std::vector<Slice> own;     // in a virtual cluster: what it has there,
    std::vector<Slice> slices;  // and what that is in the fleet
  };

  const Demand& demand(const View& view, JobId j) const { return view.demands[view.jobs.shape(j)]; }
  std::unique_ptr<Placer> make_placer(std::uint64_t seed) const;
  void check_room() const;
  std::size_t tenant_of(const View& view, JobId j) const;
  WaitingQueue& queue(std::size_t tenant) {
    return tenant == kOpportunistic ? others_ : tenants_[tenant].waiting;
  }
  const Demand& own_demand(const View& view, std::size_t tenant, ShapeId shape);

  void warn_of_unknown_queues(const View& view, Plan& plan) const;
  void absorb(const View& view);
  void enqueue(const View& view, JobId j, Member& m);
  void give_back(const View& view, JobId j, Member& m);

  const Waiting* next(const View& view, WaitingQueue& queue, bool skip) const;
  void start_granted(const View& view, Plan& plan);
  void start_guaranteed(const View& view, Plan& plan, std::size_t tenant);
  bool grant(const View& view, Plan& plan, JobId j, Member& m);
  bool make_room(const View& view, Plan& plan, JobId j, const Member& m);
  void start_opportunistic(const View& view, Plan& plan);
  void keep_off(Cluster& cluster, bool bound_cells) const;
  void run(const View& view, Plan& plan, JobId j, Member& m, std::span<const Slice> slices);
  void explain_shapes(const View& view, Plan& plan);
  Cause cause_of(const View& view, std::size_t tenant, ShapeId shape);

  Params params_;
  std::map<std::string, std::vector<Assigned>> assigned_;  // by queue
  std::unique_ptr<Placer> placer_;
  std::optional<Cluster> empty_;  // the fleet with nobody on it
  std::optional<CellTree> tree_;
  std::vector<Tenant> tenants_;
  std::vector<Cluster> idle_;  // the tenants', with nobody on them
  IdVector<NameId, std::size_t> tenant_of_queue_;
  WaitingQueue others_;
  std::map<JobId, Member> members_;
  std::set<JobId> granted_;  // wait for others to go
  std::set<JobId> lent_;     // opportunistic jobs that run
  std::map<std::pair<std::size_t, ShapeId>, Demand> own_demands_;
  std::uint64_t pass_ = 0;
  std::vector<Slice> slices_;
};

}  // namespace muster::cells
