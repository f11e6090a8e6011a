#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/cost/max_min.hpp"
#include "muster/policy/contention.hpp"
#include "muster/policy/job_steps.hpp"
#include "muster/workload/workload.hpp"
#include "policy/contention/crossings.hpp"
#include "policy/contention/storage_reads.hpp"

namespace muster {

/// Jobs of several nodes share the links between these.
///
/// In a unit of time with all that its NICs have, B, a job computes for 1 - c and communicates for c; it sends
/// c B out of each node. Where its narrowest link leaves it r, alone, it takes 1 - c + c B / r: that is what
/// a placement over an oversubscribed link costs without any neighbour. All its rails go at one pace, so it
/// is one flow over all links that it crosses; links are shared by max-min fairness.
///
/// Where its step is known (JobSteps) that says how fast it is alone, which is part of its speed, and for how
/// much of its time something of it is on the network, at r.
///
/// demand = mean: it asks for what it sends over time, c B / (1 - c + c B / r). If it gets less it takes
/// as many times longer: neighbours take turns as well as they can. demand = steady: it asks for r all the
/// time, and communicates at what it gets.
///
/// Who reads input through storage that is shared (StorageReads) asks for what it reads over time (mean), or for
/// all that its nodes can read (steady); where it gets less it waits for what its reading takes longer than the
/// rest of its step.
class SharedLinks final : public Contention {
 public:
  SharedLinks(const Workload& w, const Fleet& fleet, const CostOptions& cost,
              std::shared_ptr<JobSteps> steps);

  void came(JobId job, std::span<const Slice> where) override;
  void went(JobId job, std::span<const Slice>) override;
  void links(std::span<const std::uint32_t> links, double health) override;
  std::span<const Factor> changes() override;
  std::vector<Term> terms(JobId job) const override;
  Price price(const Demand& d, std::span<const Slice> where) override;
  bool same_everywhere(const Demand& d) const override;

 private:
  struct Running {
    MaxMin::Flow flow = 0;
    bool sends = false;  // there is a flow
    std::vector<Slice> where;
    Crossing crossing;
    JobSteps::HerePtr here;  // of a job whose step is known
    double share = 0;  // otherwise: of its time that it communicates where nothing is in the way
    double asks = 0;   // bytes/s out of each node; 0: it is not on the network
    double alone = 1;  // what a unit of work takes without neighbours, beyond its speed
    double gpus = 0;
    double got = -1;  // by its flow when it was looked at last
    std::optional<Reading> reading;
    bool reads = false;  // among others: reads_ knows it
    double fed = -1;     // bytes/s that it got of storage when it was looked at last
    std::uint32_t factor = 1'000'000;
    TimeSplit split;
    bool talks() const { return asks > 0; }
  };

  /// What a unit of work takes, beyond its speed.
  struct Pace {
    double net = 1;    // with what it gets of the network
    double stall = 0;  // more, for its input
    double takes() const { return net + stall; }
  };

  struct Owner {
    JobId job = kNoJob;
    Running* running = nullptr;
  };

  // Who is on the network, and what flows (network.cpp).
  double share(NameId model) const;
  bool look(std::span<const Slice> where, Running& running);
  bool look_at_network(std::span<const Slice> where, Running& running);
  void look_at_storage(std::span<const Slice> where, Running& running);
  void look_again(JobId job, Running& running);
  void note_solved();
  void note_readers();
  void send(JobId job, Running& running);
  void send_all();
  double rate(const Running& running) const {
    return running.sends ? net_.rate(running.flow) : running.asks;
  }
  double fed(JobId job, const Running& running) const {
    if (running.reads) return reads_.gets(job);
    return running.reading ? reads_.alone(*running.reading) : 0;
  }

  // What a unit of work takes (network_terms.cpp).
  double worn(const Running& running) const;
  double unit(const Running& running, double got) const;
  double stall(const Running& running, double net, double fed) const;
  Pace pace(const Running& running, double got, double fed) const {
    const double net = unit(running, got);
    return {net, stall(running, net, fed)};
  }
  TimeSplit split(const Running& running, const Pace& pace) const;
  double lost_by_others();
  std::vector<Term> share_terms(const Running& r) const;
  std::vector<Term> step_terms(JobId job, const Running& r) const;
  std::string worn_storage_text(const Reading& reading) const;
  std::string readers_text(JobId job, const Running& r) const;
  std::string shares_text(const Running& r) const;

  const Workload& w_;
  const Fleet& fleet_;
  CostOptions cost_;
  std::shared_ptr<JobSteps> steps_;
  std::map<NameId, double> share_of_;  // by model
  MaxMin net_;
  Crossings crossings_;
  StorageReads reads_;
  std::map<JobId, Running> running_;
  std::vector<Owner> owner_;    // by flow
  std::vector<JobId> touched_;  // may get on at another speed than was said last
  std::vector<Factor> changes_;
  std::vector<MaxMin::Change> met_;  // scratch: by whom a price would be paid, too
  std::vector<StorageReads::Change> starved_;
};

}  // namespace muster
