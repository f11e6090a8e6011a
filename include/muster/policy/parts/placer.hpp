#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "muster/cluster/cluster.hpp"
#include "muster/cluster/fit.hpp"
#include "muster/core/registry.hpp"

namespace muster {

/// Chooses which GPUs a gang gets. What fits does not depend on the placer (see fit.hpp); where it
/// goes does. A placer answers a few questions about nodes; the cutting of requests into nodes and
/// the choice among domains is the same for all of them.
class Placer {
 public:
  virtual ~Placer() = default;

  /// Fills `out` with GPUs for `d`, in node order. False, leaving `out` unspecified, if it does not
  /// fit now.
  virtual bool place(const Cluster& cluster, const Demand& d, std::vector<Slice>& out);

  /// Whether this placer needs Cluster's counters per domain even if no job asks for a level.
  virtual bool wants_domains(const Fleet&) const { return false; }
  /// What place() last said was done. Until then it is only a question, and asked again in the same
  /// state it gives the same answer: placers that draw go on to the next number here.
  virtual void started() {}
  /// A job that asks for `d` was submitted, and not rejected: placers that learn what is asked for
  /// learn it here.
  virtual void submitted(const Demand& d, const Fleet& fleet) {
    static_cast<void>(d);
    static_cast<void>(fleet);
  }

 protected:
  /// A question begins.
  virtual void begin() {}
  /// Where a question is asked: a cluster, the pools allowed, a range of nodes.
  struct Scope {
    const Cluster& cluster;
    PoolMask pools;
    NodeRange range;
  };
  /// One node of the scope with at least `k` free GPUs that is not in `taken`; kNone if none is.
  virtual std::uint32_t one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) = 0;
  /// `n` nodes with at least `k` free GPUs each; as many as there are if fewer. Appended to `out`
  /// with the GPUs they give.
  virtual void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) = 0;
  /// Nodes to take any free GPUs from, until `gpus` are found. Appended to `out`.
  virtual void any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) = 0;
  /// The tightest level that is tried first, before wider ones up to what is required.
  virtual Level preferred(const Demand& d, const Fleet& fleet) const {
    static_cast<void>(fleet);
    return d.preferred;
  }
  /// Of the domains in which the gang fits, with their free GPUs: which one.
  virtual std::size_t choose_domain(const std::vector<std::uint32_t>& free) = 0;
  /// The first node from `from` on, in pools of the scope, with at least `k` free GPUs (k = 0: all of
  /// its GPUs). May lie behind the scope's range; kNone.
  static std::uint32_t next_with(const Scope& s, std::uint32_t k, std::uint32_t from);
  /// The first node of the scope with exactly `free` free GPUs that is not in `taken`; kNone.
  static std::uint32_t first_with(const Scope& s, std::uint32_t free,
                                  const std::vector<Slice>& taken);
  /// The node of the scope with most free GPUs, at least `k`, that is not in `taken`; kNone.
  static std::uint32_t emptiest(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken);
  /// The partly taken GPU for a share, or nothing to open a whole one first.
  virtual const Cluster::Share* share(const Scope& s, std::uint32_t milli);
  /// A node whose whole free GPU is opened for a share, asked if share() said nothing; kNone.
  virtual std::uint32_t whole_for_share(const Scope& s, std::uint32_t milli) {
    static_cast<void>(milli);
    return one(s, 1, {});
  }

 private:
  bool place_in(const Scope& s, const Demand& d, std::vector<Slice>& out);
  bool place_share(const Scope& s, const Demand& d, std::vector<Slice>& out);
  bool place_in_level(const Cluster& cluster, const Demand& d, Level level,
                      std::vector<Slice>& out);
  std::vector<std::uint32_t> domains_, domain_free_;
};

using Placers = Registry<Placer, std::uint64_t>;  // made with the run's seed

/// Appends `gpus` of node `n`, joining runs of consecutive nodes with the same GPUs.
void append(std::vector<Slice>& out, std::uint32_t n, GpuMask gpus);
void append_run(std::vector<Slice>& out, std::uint32_t first, std::uint32_t count, GpuMask gpus);

/// Whether node `n` is in `slices`.
bool contains(const std::vector<Slice>& slices, std::uint32_t n);

/// Calls `visit(first, count)` for runs of members of `set` inside `range`, until `n` nodes were
/// seen or visit returned false; returns how many were visited.
template <class Visit>
std::uint32_t each_run(const NodeSet& set, NodeRange range, std::uint32_t n, Visit visit) {
  std::uint32_t seen = 0;
  for (std::uint32_t at = set.next(range.first); seen < n && at < range.last; at = set.next(at)) {
    const std::uint32_t left = n - seen < range.last - at ? n - seen : range.last - at;
    const std::uint32_t length = set.run_length(at, left);
    visit(at, length);
    seen += length;
    at += length;
  }
  return seen;
}

}  // namespace muster
