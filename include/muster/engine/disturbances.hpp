#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/core/time.hpp"

namespace muster {

/// GPUs, nodes and links that are slow for a while, and what is done about them. Part of an experiment; never
/// changes in a run.
struct Disturbances {
  /// Links carry less than they were built for, or nothing.
  struct LinkEvent {
    SimTime from{}, to = kNever;
    double capacity = 0;               // of what they were built for
    std::vector<std::uint32_t> links;  // Links::Id, ascending
  };

  enum class Of : std::uint8_t { gpu, node, neighbours };
  enum class Law : std::uint8_t { fixed, exponential, lognormal };
  /// How long something lasts: all of `lasts`, its mean, or its median.
  struct Length {
    Law law = Law::exponential;
    Duration lasts = kUnlimited;
    double sigma = 1;  // lognormal: of the logarithm
  };
  /// Links that carry less for a while, each as likely as any other.
  struct LinkProcess {
    std::vector<std::uint32_t> links;  // Links::Id, ascending
    double rate = 0;                   // times per 1000 days of one link
    double capacity = 0;
    Length length;
  };
  /// What computes takes `slowdown` times as long as usual on what it hits.
  struct Cause {
    std::string name;
    Of of = Of::gpu;   // neighbours: nodes on which several jobs are, whenever they are
    double rate = 0;   // times per 1000 days of one GPU (or node), drawn; lasts as the law says ...
    double share = 0;  // ... or of all of them, drawn, for the whole run ...
    SimTime from{};    // ... or given: those of `nodes`, from then on, for `lasts`
    std::vector<NodeId> nodes;  // ascending; that can be hit
    double slowdown = 1;
    Length length;
  };

  /// Who looks for nodes that are slower than the others of their job. Each `every`, the mean time that a node
  /// computed per step since the last look is compared with the median of the job's nodes; it is known with a
  /// relative error of `noise`. Jobs of one node have nothing to compare with.
  struct Detection {
    enum class Reaction : std::uint8_t { leave, replace, exclude };
    Duration every{};  // 0: nobody looks
    double threshold = 0.1;
    double noise = 0.03;
    Reaction reaction = Reaction::leave;
    Duration exclude_for = std::chrono::hours{24};
  };

  std::vector<LinkEvent> links;
  std::vector<LinkProcess> link_processes;
  std::vector<Cause> causes;
  Detection detection;
  std::uint64_t seed = 1;

  bool empty() const {
    return links.empty() && link_processes.empty() && causes.empty() &&
           detection.every == Duration{};
  }
};

}  // namespace muster
