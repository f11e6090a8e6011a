#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace muster {

/// Who may use how much: queues as leaves, cohorts above them, amounts in thousandths of a GPU.
///
/// Each node is guaranteed an amount of its own. What it does not use of it is lent to its siblings,
/// but at most its lending limit: the rest is kept for it alone. A node may use what it keeps, and
/// beyond that what its parent has left, and never more than its limit. (Hierarchical cohorts as in
/// Kueue's KEP-79; with every lending limit unset and one cohort it is the elastic quota of Volcano's
/// capacity plugin and YARN's capacity scheduler.)
class QuotaTree {
 public:
  static constexpr std::int64_t kUnlimited = INT64_MAX;
  static constexpr std::size_t kRoot = 0;

  struct Node {
    std::string name;
    std::size_t parent = kRoot;
    std::int64_t guaranteed = 0;
    std::int64_t lending_limit = kUnlimited;
    std::int64_t limit = kUnlimited;
    std::int64_t weight = 1;
  };

  /// `pool`: what the root has of its own, for all of its children.
  explicit QuotaTree(std::int64_t pool = 0);
  /// Parents come before their children. Returns the node's number.
  std::size_t add(const Node& node);

  const Node& node(std::size_t n) const { return nodes_[n].node; }
  std::size_t size() const { return nodes_.size(); }

  void charge(std::size_t n, std::int64_t amount);
  void release(std::size_t n, std::int64_t amount);
  std::int64_t used(std::size_t n) const { return nodes_[n].used; }

  /// How much more `n` may use now; 0 or less if nothing.
  std::int64_t available(std::size_t n) const;
  /// What holds `n` back if so much more is not available, and by how much.
  struct Bound {
    std::size_t node;      // at its limit; kRoot: nothing more is lent
    std::int64_t too_few;  // that much of what counts against it would have to be given back
  };
  Bound bound(std::size_t n, std::int64_t amount) const;
  /// Whether what `n` uses is its own or lent to it, with all that others use.
  bool within(std::size_t n) const;
  /// How much `n` could use if nobody else used anything.
  std::int64_t most(std::size_t n) const;
  /// It uses more than it is guaranteed.
  bool borrows(std::size_t n) const { return nodes_[n].used > nodes_[n].node.guaranteed; }

  /// Whether `a`, using `amount_a`, has at most the weighted share of `b` using `amount_b`.
  bool share_at_most(std::size_t a, std::int64_t amount_a, std::size_t b,
                     std::int64_t amount_b) const;

 private:
  struct State {
    Node node;
    std::int64_t total = 0;  // guaranteed here and lent from below
    std::int64_t kept = 0;   // of `total`, what is never lent upwards
    std::int64_t used = 0;
  };
  void raise_totals(std::size_t n, std::int64_t amount);

  std::vector<State> nodes_;
};

}  // namespace muster
