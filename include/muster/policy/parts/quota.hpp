#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "muster/policy/params.hpp"
#include "muster/policy/parts/quota_tree.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// Amounts are whole GPUs, by the name of a queue or cohort.
struct QuotaOptions {
  std::map<std::string, std::int64_t> caps;        // most that it may use
  std::map<std::string, std::int64_t> guarantees;  // its own
  std::map<std::string, std::int64_t> lending;     // most of its own that others may use
  std::map<std::string, std::int64_t> weights;     // of queues, for shares; not named: 1
  std::map<std::string, std::string> parents;      // the cohort above it; none: the root
  std::int64_t pool = 0;                           // GPUs that belong to nobody in particular
  bool borrowing = true;                           // false: nobody uses more than its guarantee
  bool by_weight = false;  // the queues of `weights` are guaranteed the fleet in these proportions

  void walk(ParamVisitor& visit);
  bool any() const { return !caps.empty() || shares_out(); }
  /// Whether there is anything to share out, besides caps.
  bool shares_out() const { return !guarantees.empty() || pool > 0 || by_weight; }
};

/// What is whose own, in thousandths of a GPU: the guarantees, or the weights' parts of a fleet.
std::map<std::string, std::int64_t> guaranteed_milli(const QuotaOptions& options,
                                                     std::int64_t fleet_milli);

/// The quota of each queue, and what its jobs use of it. A queue that is not named is guaranteed
/// nothing, and may borrow.
class Quota {
 public:
  /// Throws InputError where names do not fit together (a cohort above itself, a weight below 1).
  explicit Quota(const QuotaOptions& options);
  /// Before anything is charged.
  void begin(const View& view);

  /// Whether `queue` may use so much more now.
  bool admits(NameId queue, std::int64_t milli) const {
    return tree_.available(node(queue)) >= milli;
  }
  /// Whether what `queue` uses, with what is set aside for it, is allowed now.
  bool within(NameId queue) const { return tree_.within(node(queue)); }
  void charge(NameId queue, std::int64_t milli) { tree_.charge(node(queue), milli); }
  void release(NameId queue, std::int64_t milli) { tree_.release(node(queue), milli); }

  std::int64_t used(NameId queue) const { return tree_.used(node(queue)); }
  /// With so much more, `queue` would use no more than its own.
  bool within_guarantee(NameId queue, std::int64_t milli) const;
  bool borrows(NameId queue) const { return tree_.borrows(node(queue)); }
  bool anyone_borrows() const;
  /// With so much more, `queue` would have at most the share that `other` has now, by weight.
  bool fair_against(NameId queue, std::int64_t milli, NameId other) const;

  /// Why a job of `queue` that needs `milli` can never run, if so.
  std::optional<std::string> never(const View& view, NameId queue, const Demand& d) const;
  /// "queue A uses 10 GPUs: its guarantee of 9 and 1 borrowed; nothing more is lent to it"
  std::string text(const View& view, NameId queue, std::int64_t milli) const;
  /// What would have to change for it.
  std::string remedy(const View& view, NameId queue, std::int64_t milli) const;

  /// For what-ifs: who uses how much, and which node is `queue`.
  const QuotaTree& tree() const { return tree_; }
  QuotaTree& tree() { return tree_; }
  std::size_t node(NameId queue) const { return node_of_[queue]; }

 private:
  std::size_t add(const std::string& name, std::size_t depth);
  void build(std::int64_t fleet_milli);

  QuotaOptions options_;
  std::map<std::string, std::int64_t> guaranteed_;  // thousandths of a GPU
  QuotaTree tree_;
  std::map<std::string, std::size_t> nodes_;
  IdVector<NameId, std::size_t> node_of_;
};

}  // namespace muster
