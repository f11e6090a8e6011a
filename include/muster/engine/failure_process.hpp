#pragma once
#include <cstdint>
#include <string>

#include "muster/core/time.hpp"

namespace muster {

/// Things of one kind that fail, each by a clock of its own, which begins anew when it is back
/// (docs/outages.md says what the numbers are taken from).
struct FailureProcess {
  /// What fails. All but the last three take their node down with them, those all nodes of a domain.
  enum class Scope : std::uint8_t { node, gpu, nic, link, nvlink, leaf, pod };
  enum class Law : std::uint8_t { exponential, weibull, lognormal };
  enum class Repair : std::uint8_t { lognormal, exponential, fixed };
  std::string name = "node";  // by which failures are counted, and numbers drawn
  Scope scope = Scope::node;
  Law law = Law::exponential;
  double rate = 0;      // failures of one such thing per 1000 days ...
  double gpu_rate = 0;  // ... to which a node adds so many for each of its GPUs
  double shape = 1;     // Weibull's k, or the sigma of the logarithm
  Repair repair = Repair::lognormal;
  Duration repair_time{};  // its median (lognormal), its mean (exponential), or all of it (fixed)
  double repair_sigma = 0;

  bool of_domains() const { return scope >= Scope::nvlink; }
};

}  // namespace muster
