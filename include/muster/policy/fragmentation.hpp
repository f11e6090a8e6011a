#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/cluster/cluster.hpp"

namespace muster {

/// What the free GPUs of a cluster are good for.
struct Fragmentation {
  /// Of one pool: a type of GPU, and one way to be in MIG mode.
  struct Pool {
    std::string type;
    std::uint32_t installed = 0;  // GPUs
    std::int64_t free_milli = 0;  // shares of partly taken ones included
    /// GPUs of the largest job that could start now inside one domain of the level, by Level: on whole idle
    /// nodes and the rest on one other, as jobs are cut unless a policy says otherwise. In MIG mode 0.
    std::array<std::uint32_t, kLevels> largest{};
    /// In MIG mode: how many instances of each profile could be made now, if no other were. By profile.
    std::vector<std::uint32_t> instances;
    /// Free thousandths that a task of those asked for can't use, on average over the tasks (FGD, ATC'23).
    double fragmented_milli = 0;
  };
  std::vector<Pool> pools;  // of the fleet, in its order
};

/// `seen`: what jobs that were submitted by now ask for, with how many of them each, for `fragmented_milli`.
struct Asked {
  const Demand* demand = nullptr;
  std::int64_t jobs = 0;
};
Fragmentation fragmentation(const Cluster& cluster, const std::vector<Asked>& seen);

}  // namespace muster
