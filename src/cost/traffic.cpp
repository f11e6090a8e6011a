#include "muster/cost/traffic.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "cost/messages.hpp"
#include "muster/cost/collective.hpp"

namespace muster {
namespace {

/// How many ranks of a group are in each domain of a level that it has some in.
using Members = std::vector<std::uint32_t>;

/// Bytes out of all of these domains in one call of `bytes`, as nccl-tests counts them. Across domains: an
/// all-reduce goes up a tree and down again, over D - 1 links twice; gathering and scattering go round
/// a ring; all-to-all is straight, and what stays in a domain is not sent.
double out_of(Collective op, double bytes, const Members& members) {
  if (members.size() < 2) return 0;
  const auto domains = static_cast<double>(members.size());
  double ranks = 0, pairs = 0;  // ordered pairs of ranks in different domains
  for (const std::uint32_t here : members) ranks += here;
  for (const std::uint32_t here : members) pairs += here * (ranks - here);
  switch (op) {
    case Collective::all_reduce:
      return 2 * (domains - 1) * bytes;
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return domains * bus_factor(op, static_cast<std::uint32_t>(ranks)) * bytes;
    case Collective::all_to_all:
      return pairs / ranks * bytes;
    case Collective::broadcast:
      return (domains - 1) * bytes;
    case Collective::send_recv:
      return bytes;
  }
  return 0;
}

class StepTraffic {
 public:
  StepTraffic(const Fleet& fleet, std::span<const Slice> slices, const ModelSpec& model,
              const ParallelPlan& plan, const Mapping& mapping)
      : fleet_(fleet), ranks_(slices, plan, mapping), model_(model), plan_(plan) {}

  Traffic all() {
    if (model_.is_transformer()) transformer();
    replicas();
    return sum_;
  }

 private:
  void transformer() {
    const ParameterCount count = count_parameters(model_);
    const double m = plan_.micro_batches(), tokens = tokens_of(model_, plan_);
    const double layers =
        model_.layers / plan_.pp * m;  // of a stage, through which micro-batches go
    const std::uint32_t cp = ranks_.stride(Axis::cp), dp = ranks_.stride(Axis::dp);
    const double tensor = tensor_calls(plan_) * layers;
    if (plan_.sequence_parallel) {
      along(ranks_.stride(Axis::tp), plan_.tp, Collective::reduce_scatter,
            tensor * tensor_bytes(model_, tokens));
      along(ranks_.stride(Axis::tp), plan_.tp, Collective::all_gather,
            tensor * tensor_bytes(model_, tokens));
    } else {
      along(ranks_.stride(Axis::tp), plan_.tp, Collective::all_reduce,
            tensor * tensor_bytes(model_, tokens));
    }
    along(cp, plan_.cp, Collective::all_gather,
          kContextCalls * layers * context_bytes(model_, plan_, tokens));
    if (count.moe_layers > 0)
      along(dp, plan_.ep, Collective::all_to_all,
            expert_calls(plan_) * layers * count.moe_layers / model_.layers *
                expert_bytes(model_, plan_, tokens));
    stages(m * pipeline_calls(plan_) * pipeline_bytes(model_, plan_, tokens));
  }

  void replicas() {
    const ParameterCount count = count_parameters(model_);
    const std::uint32_t cp = ranks_.stride(Axis::cp), dp = ranks_.stride(Axis::dp);
    const double shards = double{1} * plan_.tp * plan_.pp;
    if (dp == cp * plan_.cp)
      gradients(cp, plan_.cp * plan_.dp, count.dense / shards);
    else
      gradients(dp, plan_.dp, count.dense / shards);
    gradients(dp * plan_.ep, plan_.dp / plan_.ep, count.expert / shards / plan_.ep);
  }

  /// What replicas of so many parameters send: see zero in docs/cost.md.
  void gradients(std::uint32_t stride, std::uint32_t replicas, double parameters) {
    const double gradients = plan_.gradient_bytes * parameters;
    if (plan_.zero == 0) return along(stride, replicas, Collective::all_reduce, gradients);
    const double m = plan_.zero == 3 ? plan_.micro_batches() : 1;
    along(stride, replicas, Collective::reduce_scatter, m * gradients);
    along(stride, replicas, Collective::all_gather,
          m * (plan_.zero == 3 ? 2 : 1) * kBytesOfHalf * parameters);
  }

  /// All groups of `count` ranks `stride` apart do this.
  void along(std::uint32_t stride, std::uint32_t count, Collective op, double bytes) {
    if (count < 2 || bytes <= 0) return;
    ranks_.for_each_group(stride, count,
                          [&](std::uint32_t first) { add(first, stride, count, op, bytes); });
  }

  /// Neighbours, two by two.
  void stages(double bytes) {
    const std::uint32_t stride = ranks_.stride(Axis::pp);
    if (plan_.pp < 2) return;
    ranks_.for_each_group(stride, plan_.pp, [&](std::uint32_t first) {
      for (std::uint32_t i = 0; i + 1 < plan_.pp; ++i)
        add(first + i * stride, stride, 2, Collective::send_recv, bytes);
    });
  }

  void add(std::uint32_t first, std::uint32_t stride, std::uint32_t count, Collective op,
           double bytes) {
    const auto out = [&](Level level) {
      members_.clear();
      std::uint32_t last = UINT32_MAX;
      for (std::uint32_t i = 0; i < count;
           ++i) {  // in node order, so domains come one after another
        const NodeId node = ranks_.gpu(first + i * stride).node;
        const std::uint32_t domain = fleet_.domain_of[static_cast<std::size_t>(level)][node];
        if (domain != last) members_.push_back(0);
        last = domain;
        ++members_.back();
      }
      return out_of(op, bytes, members_);
    };
    sum_ += {out(Level::nvlink), out(Level::leaf), out(Level::pod)};
  }

  const Fleet& fleet_;
  RankMap ranks_;
  const ModelSpec& model_;
  const ParallelPlan& plan_;
  Members members_;
  Traffic sum_;
};

}  // namespace

Traffic step_traffic(const Fleet& fleet, std::span<const Slice> slices, const ModelSpec& model,
                     const ParallelPlan& plan, const Mapping& mapping) {
  return StepTraffic(fleet, slices, model, plan, mapping).all();
}

}  // namespace muster
