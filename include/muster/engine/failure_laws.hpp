#pragma once
#include "muster/engine/outages.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// The domains whose nodes it takes down together; node if it is none.
Level level_of(FailureProcess::Scope scope);
/// How many things of a process a node has; of domains, those that it is in.
std::uint32_t things_on(const FailureProcess& process, const Fleet& fleet, NodeId node);
/// How many nanoseconds one of them lives on average, which may be more than a Duration holds; `node` is
/// (one of) its own.
double mean_life(const OutagePlan::Failures& failures, const FailureProcess& process,
                 const Fleet& fleet, NodeId node);
/// How long it takes on average until something takes a node down.
Duration mttf_of_node(const OutagePlan::Failures& failures, const Fleet& fleet, NodeId node);
/// How long a job runs on average until one of its nodes fails: with rates that add up, as those of the
/// exponential law do, and as few domains as it has room in.
Duration mttf_of_job(const OutagePlan::Failures& failures, const Fleet& fleet, const Workload& jobs,
                     JobId job);
/// On how many nodes of the fleet's widest kind it runs.
std::uint32_t nodes_of_job(const Fleet& fleet, const Workload& jobs, JobId job);

/// Work between two checkpoints that cost `cost` each, where a failure comes every `mttf`. First order:
/// sqrt(2 cost mttf) (Young, CACM 17(9), 1974).
Duration young_interval(Duration cost, Duration mttf);
/// Higher order: sqrt(2 cost mttf) (1 + sqrt(x)/3 + x/9) - cost with x = cost / (2 mttf), and mttf where the
/// cost is 2 mttf or more (Daly, FGCS 22(3), 2006).
Duration daly_interval(Duration cost, Duration mttf);

/// The share of the time of all jobs, weighted by GPUs, that is work which is kept, as Kokolis et al. (arXiv
/// 2410.21680) estimate it: (1 - N r (u0 + dt/2)) / (1 + w/dt) for N nodes, r failures per node and time,
/// restart overhead u0, checkpoint interval dt and cost w. 0 where failures leave nothing; jobs that write
/// no checkpoints count with dt = their duration. w is what a job stops for; while a checkpoint is written in the
/// background a failure throws it away as well, so that dt/2 becomes dt/2 + the time that takes.
double expected_ettr(const OutagePlan& plan, const Fleet& fleet, const Workload& jobs);

}  // namespace muster
