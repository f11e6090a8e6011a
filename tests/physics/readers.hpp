#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fabric.hpp"
#include "muster/engine/why.hpp"
#include "muster/policy/contention.hpp"
#include "muster/policy/job_steps.hpp"

namespace muster::test {

constexpr double kNode = 1e9;  // bytes/s that a node reads at

/// Leaves of two nodes, each of which reads 1 GB/s, in as many fabrics as are given, whose storage gives so
/// many GB/s in all (0: that is not said).
inline Fleet fed(std::uint64_t nodes_each, const std::vector<double>& all, double up = 400) {
  GraphBuilder builder;
  for (std::size_t i = 0; i < all.size(); ++i) {
    NodeGroup group;
    group.count = nodes_each;
    group.gpus = 8;
    group.gpu_type = "H100";
    group.nodes_per_leaf = 2;
    group.fabric = std::string(1, static_cast<char>('A' + i));
    group.links.leaf.bytes_per_s = up * 1e9;
    group.wiring.storage_bytes_per_s = kNode;
    if (all[i] > 0) group.links.storage_bytes_per_s = all[i] * 1e9;
    builder.add(group, "test");
  }
  return compile(builder.take(), "test", "test");
}

/// "gpt" reads so many GB/s where nothing is in its way, on each of its nodes; "more" 1.8 times as much, and "quiet",
/// which trains the same, nothing.
inline std::shared_ptr<Trainings> readers(double gbytes_per_s,
                                          const std::string& model = "resnet50",
                                          const std::string& plan = "micro_batch=128") {
  auto all = trains(model, plan);
  Training& t = all->by_model["gpt"];
  t.model.sample_kbytes = 0;
  all->by_model["quiet"] = t;
  const double us = step_on(fed(2, {0}), *all, {nodes(0, 1)}).total_us();
  // 1 GB/s is 1 kB/us.
  t.model.sample_kbytes = gbytes_per_s * us / t.plan(8)->global_batch;
  all->by_model["more"] = t;
  all->by_model["more"].model.sample_kbytes *= 1.8;
  return all;
}

inline EngineOptions with(std::shared_ptr<Trainings> trainings, bool contention = true) {
  EngineOptions options;
  options.cost.trainings = std::move(trainings);
  options.cost.contention = contention;
  return options;
}

inline TestJob reads(Duration submit, Duration work, const char* model = "gpt") {
  return job(submit, 8, work).model(model);
}

/// Units and reasons by the name of their term, of job 1 at 10 s.
inline std::map<std::string, Contention::Term> terms(const Fleet& fleet, const Workload& w,
                                                     const EngineOptions& options) {
  const auto p = policy("batch:placer=first");
  std::map<std::string, Contention::Term> out;
  for (const Contention::Term& t :
       why_cost(fleet, w, *p, options, JobId{1}, SimTime{std::chrono::seconds{10}}).terms)
    out[t.name] = t;
  return out;
}

/// What jobs were last told, of a contention.
class Told {
 public:
  Told(const Workload& w, const Fleet& fleet, const CostOptions& cost)
      : contention_(make_contention(w, fleet, {}, cost, make_job_steps(w, fleet, cost))) {}
  void came(std::uint32_t job, std::span<const Slice> where) {
    contention_->came(JobId{job}, where);
    now_[job] = {JobId{job}, 1'000'000};
    note();
  }
  void went(std::uint32_t job, std::span<const Slice> where) {
    contention_->went(JobId{job}, where);
    now_.erase(job);
    note();
  }
  double speed(std::uint32_t job) const { return now_.at(job).millionths * 1e-6; }
  void links(const std::vector<std::uint32_t>& links, double health) {
    contention_->links(links, health);
    note();
  }
  PlacementCost::Price price(const Demand& d, const std::vector<Slice>& where) {
    return contention_->price(d, where);
  }
  const Contention::Factor& of(std::uint32_t job) const { return now_.at(job); }

 private:
  void note() {
    for (const Contention::Factor& f : contention_->changes()) now_[f.job.value] = f;
  }
  std::unique_ptr<Contention> contention_;
  std::map<std::uint32_t, Contention::Factor> now_;
};

}  // namespace muster::test
