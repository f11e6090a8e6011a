#include <algorithm>

#include "io/traces/pai_tasks.hpp"
#include "muster/io/text/cell.hpp"

namespace muster {
namespace {

/// Beyond this many instances, that each must live on one node is not worth a line of text.
constexpr std::uint64_t kMostTasks = 256;
constexpr std::uint32_t kWidestNode = 64;

struct Sums {
  std::uint64_t instances = 0, milli = 0, rounded = 0;
  std::uint32_t widest = 0;  // whole GPUs of the largest instance
  bool shares = false;       // some instance wants a share
};

Sums sum(const PaiDemand& demand) {
  Sums s;
  for (const PaiDemand::Task& t : demand.tasks) {
    const std::uint32_t whole_gpus = (t.milli + 999) / 1000;
    s.instances += t.instances;
    s.milli += std::uint64_t{t.instances} * t.milli;
    s.rounded += std::uint64_t{t.instances} * whole_gpus;
    s.widest = std::max(s.widest, whole_gpus);
    s.shares = s.shares || t.milli % 1000 != 0;
  }
  return s;
}

std::string task_list(const PaiDemand& demand) {
  std::string list;
  for (const PaiDemand::Task& t : demand.tasks)
    for (std::uint32_t i = 0; i < t.instances; ++i)
      list += (list.empty() ? "" : "+") + std::to_string((t.milli + 999) / 1000);
  return list;
}

}  // namespace

PaiShape pai_shape(const PaiDemand& demand) {
  PaiShape result;
  const Sums s = sum(demand);
  Shape& shape = result.shape;
  if (s.milli <= 1000) {  // one GPU holds all of it
    shape.gpus = 1;
    shape.milli = static_cast<std::uint32_t>(s.milli);
    if (s.instances > 1) {
      result.code = "shares_merged";
      result.meaning =
          "instances with shares of a GPU that fit on one: replayed as one share of their sum";
    }
    return result;
  }
  const bool small_shares = s.shares && s.widest == 1;
  const std::uint64_t gpus = small_shares ? (s.milli + 999) / 1000 : s.rounded;
  shape.gpus = gpus > static_cast<std::uint64_t>(kMostGpus) ? 0 : static_cast<std::uint32_t>(gpus);
  if (s.shares) {
    result.code = "shares_rounded_up";
    result.meaning =
        small_shares
            ? "instances with shares of a GPU: replayed as whole GPUs, their sum rounded up"
            : "an instance with a share beside whole GPUs: rounded up to whole GPUs";
  }
  if (s.instances == 1) shape.required = Level::node;
  const bool listed =
      s.instances > 1 && s.widest > 1 && s.widest <= kWidestNode && s.instances <= kMostTasks;
  if (listed) result.tasks = task_list(demand);
  return result;
}

}  // namespace muster
