#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "muster/policy/parts/decayed_usage.hpp"

namespace muster {

/// Accounts in a tree, users at its leaves, and Slurm's classic fair-share factor of each of them
/// (slurm.schedmd.com/classic_fair_share.html, "Normalized Shares", "Normalized Usage", "Effective
/// Usage", "The Fair-Share Factor"). With s the shares of an account, sum over it and its siblings:
///   S    = S_parent s / sum(s)                        its share of the machine
///   U    = its usage, its children's with it, over all usage
///   Ueff = U                                          below the root
///        = U + (Ueff_parent - U) s / sum(s)           deeper
///   F    = 2^(-(Ueff / S) / damping), 0 without shares
class AccountTree {
 public:
  static constexpr std::size_t kRoot = 0;

  struct Account {
    std::string path;  // "A/B/User1"
    std::size_t parent = kRoot;
    std::int64_t shares = 1;
    DecayedUsage used;                                       // its own, without its children's
    double share = 0, usage = 0, effective = 0, factor = 0;  // S, U, Ueff, F as of update()
  };

  AccountTree();

  /// The account at `path`, made with those above it (one share each) if it is not there.
  std::size_t at(std::string_view path);
  /// The account whose path is `name`, or ends in "/name"; of several the one added first. kRoot if
  /// there is none.
  std::size_t find(std::string_view name) const;

  std::size_t size() const { return accounts_.size(); }
  Account& operator[](std::size_t i) { return accounts_[i]; }
  const Account& operator[](std::size_t i) const { return accounts_[i]; }

  /// All factors anew, with usage decayed to `now`. O(accounts).
  void update(SimTime now, Duration half_life, double damping = 1);

 private:
  std::vector<Account> accounts_;                            // parents before their children
  std::map<std::string, std::size_t, std::less<>> by_name_;  // paths, and all that they end in
  std::vector<double> total_;                                // usage with the children's
  std::vector<std::int64_t> siblings_;                       // shares of all children of an account
};

}  // namespace muster
