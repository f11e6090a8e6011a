#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "muster/cost/calibration.hpp"
#include "muster/cost/group.hpp"

namespace muster {

enum class Collective : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  send_recv,
};
inline constexpr std::size_t kCollectives = 6;
/// "all_reduce", "all_gather", ...
std::string_view name(Collective op);

/// Ways to do it, as NCCL has them. Of those that a group can use the fastest is taken.
enum class Algorithm : std::uint8_t {
  none,   // one GPU: nothing to do
  small,  // ring in the small-message protocol
  ring,
  tree,          // trees across nodes, chains inside; inside a mesh without a ring: the one tree
  nvls,          // reduction in the NVSwitch
  hierarchical,  // reduction in the NVSwitch of each domain, trees across (NCCL's NVLSTree)
  rail,          // every GPU over its own rail, inside the domain at the same time
  direct,        // one copy
};
std::string_view name(Algorithm algorithm);

/// The time of one collective, taken apart. Sizes as in nccl-tests: of all-gather and reduce-scatter
/// the total, of all-to-all what one GPU sends to all.
struct CollectiveTime {
  Algorithm algorithm = Algorithm::none;
  double latency_us = 0;
  double transfer_us = 0;  // sent kB over the rate
  double fill_us = 0;      // filling the pipeline
  double sent_kbytes = 0;  // X, per GPU
  double rate = 0;         // W, GB/s
  double us() const { return latency_us + transfer_us + fill_us; }
};

/// X over size: 2(n-1)/n of an all-reduce, (n-1)/n of all-gather, reduce-scatter and all-to-all, else 1.
double bus_factor(Collective op, std::uint32_t gpus);

/// Equations: docs/cost.md. Pure; no text is made.
CollectiveTime collective_time(const Calibration& calibration, const GpuGroup& group, Collective op,
                               double bytes);

/// A part of a time, for people.
struct CostTerm {
  std::string name;
  double us = 0;
  std::string inputs;  // the equation with its numbers
  std::string source;
};

/// The terms of a time; they sum to it exactly.
std::vector<CostTerm> terms(const Calibration& calibration, const GpuGroup& group, Collective op,
                            const CollectiveTime& time);

}  // namespace muster
