#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "muster/policy/parts/decayed_usage.hpp"

namespace muster {

/// Accounts in a tree, users at its leaves, and the fair-share factor of each by one of Slurm's two
/// algorithms. With s the shares of an account, sum over it and its siblings:
///
/// classic (slurm.schedmd.com/classic_fair_share.html, "Normalized Shares", "Normalized Usage",
/// "Effective Usage", "The Fair-Share Factor"):
///   S    = S_parent s / sum(s)                        its share of the machine
///   U    = its usage, its children's with it, over all usage
///   Ueff = U                                          below the root
///        = U + (Ueff_parent - U) s / sum(s)           deeper
///   F    = 2^(-(Ueff / S) / damping), 0 without shares
///
/// fair tree (slurm.schedmd.com/fair_tree.html, "Level Fairshare", "The Algorithm"; the default since
/// Slurm 19.05): siblings are ranked by L = (s / sum(s)) / (usage / sum(usage)), infinite without
/// usage, and an account's users come where the account stands: nobody below a poorer account can
/// pass somebody below a richer one. F = rank / users, the best rank being `users`. Equal users share
/// a rank, the children of equal accounts are ranked together, a user stands before an equal account.
class AccountTree {
 public:
  static constexpr std::size_t kRoot = 0;
  enum class Algorithm : std::uint8_t { classic, fair_tree };

  struct Account {
    std::string path;  // "A/B/User1"
    std::size_t parent = kRoot;
    std::int64_t shares = 1;
    DecayedUsage used;                           // its own, without its children's
    double counted = 0;                          // of that, in GPU-seconds, as of update()
    double share = 0, usage = 0, effective = 0;  // S, U, Ueff as of update()
    double level = 0;                            // L
    double factor = 0;                           // F
  };

  explicit AccountTree(Algorithm algorithm = Algorithm::classic);

  /// The account at `path`, made with those above it (one share each) if it is not there.
  std::size_t at(std::string_view path);
  /// The account whose path is `name`, or ends in "/name"; of several the one added first. kRoot if
  /// there is none.
  std::size_t find(std::string_view name) const;

  std::size_t size() const { return accounts_.size(); }
  Account& operator[](std::size_t i) { return accounts_[i]; }
  const Account& operator[](std::size_t i) const { return accounts_[i]; }

  /// All factors anew, with usage decayed to `now`. O(accounts), fair tree with a logarithm.
  void update(SimTime now, Duration half_life, double damping = 1);
  /// The same by the usage of the last update(): accounts have come since.
  void rank_anew(double damping = 1);

 private:
  void rank(std::vector<std::size_t>& siblings, bool equal_to_last);
  bool is_user(std::size_t i) const { return i != kRoot && children_[i].empty(); }

  Algorithm algorithm_;
  std::vector<Account> accounts_;                            // parents before their children
  std::map<std::string, std::size_t, std::less<>> by_name_;  // paths, and all that they end in
  std::vector<double> total_;                                // usage with the children's
  std::vector<double> below_;                                // usage of all children of an account
  std::vector<std::int64_t> siblings_;                       // shares of all children of an account
  std::vector<std::vector<std::size_t>> children_;
  std::size_t rank_ = 0, next_rank_ = 0, users_ = 0;  // while ranking
};

}  // namespace muster
