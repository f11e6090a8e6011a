#pragma once
#include <cstdint>
#include <string>

#include "muster/engine/outages.hpp"
#include "muster/io/experiment.hpp"
#include "muster/metrics/summary.hpp"

namespace muster {

/// A job that needs so many nodes all the time, on a fleet of its own: what a plan is made for, in a few
/// numbers instead of a trace and a fleet.
struct Training {
  std::uint32_t nodes = 1;   // that it needs
  std::uint32_t spares = 0;  // that the fleet has besides; they fail as the others do
  FailureProcess failures;   // of each node
  Duration checkpoint_interval = kUnknown, checkpoint_cost{}, restart_cost{};
  Duration lasts{};  // so long is simulated, from a time when all nodes are up

  Duration node_mttf() const;    // until a node fails
  Duration mttf() const;         // until one of the nodes that it needs fails
  Duration mean_repair() const;  // of one node
};

/// The run of it with this seed.
Experiment experiment_of(const Training& training, std::uint64_t seed);

/// "2048 nodes, one fails every 3.1 h (each every 264.0 d)".
std::string training_text(const Training& training);

/// Of the time simulated: the share in which it had its nodes, and the share that was work it kept.
double up_share(const Training& training, const Summary& summary);
double kept_share(const Training& training, const Summary& summary);

/// How often something failed in a run.
double failures_in(const Summary& summary);

/// The share of time that is work which is kept where failures come every `mttf` by the exponential law:
/// interval / (M e^(R/M) (e^((interval + cost)/M) - 1)), R the restart (Daly, FGCS 22(3), 2006, eq. 20
/// without a time to end).
double daly_share(Duration mttf, Duration interval, Duration cost, Duration restart);

/// The share of time in which `needed` of `nodes` are up, once it has settled: each is up for MTTF / (MTTF +
/// MTTR) of the time, whatever the others are (a birth-death chain with a repairman for each node).
double k_out_of_n(std::uint32_t needed, std::uint32_t nodes, Duration mttf, Duration mean_repair);

}  // namespace muster
