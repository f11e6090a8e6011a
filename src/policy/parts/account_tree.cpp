#include "muster/policy/parts/account_tree.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "muster/core/detmath.hpp"

namespace muster {

AccountTree::AccountTree(Algorithm algorithm) : algorithm_(algorithm) {
  accounts_.resize(1);
  children_.resize(1);
  accounts_[kRoot].share = 1;
}

std::size_t AccountTree::at(std::string_view path) {
  for (std::size_t i = 1; i < accounts_.size(); ++i)
    if (accounts_[i].path == path) return i;
  const std::size_t slash = path.rfind('/');
  const std::size_t parent = slash == std::string_view::npos ? kRoot : at(path.substr(0, slash));
  const std::size_t index = accounts_.size();
  accounts_.push_back({});
  accounts_.back().path = path;
  accounts_.back().parent = parent;
  children_.emplace_back();
  children_[parent].push_back(index);
  std::string_view end = path;
  for (;;) {
    by_name_.try_emplace(std::string{end}, index);
    const std::size_t next = end.find('/');
    if (next == std::string_view::npos) return index;
    end.remove_prefix(next + 1);
  }
}

std::size_t AccountTree::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? kRoot : it->second;
}

void AccountTree::update(SimTime now, Duration half_life, double damping) {
  for (Account& a : accounts_) {
    a.used.bring_to(now, half_life);
    a.counted = a.used.gpu_seconds;
  }
  rank_anew(damping);
}

void AccountTree::rank_anew(double damping) {
  total_.assign(accounts_.size(), 0);
  below_.assign(accounts_.size(), 0);
  siblings_.assign(accounts_.size(), 0);
  for (std::size_t i = accounts_.size(); i-- > 1;) {
    Account& a = accounts_[i];
    total_[i] += a.counted;
    total_[a.parent] += total_[i];
    below_[a.parent] += total_[i];
    siblings_[a.parent] += a.shares;
  }
  for (std::size_t i = 1; i < accounts_.size(); ++i) {
    Account& a = accounts_[i];
    const Account& parent = accounts_[a.parent];
    const std::int64_t sum = siblings_[a.parent];
    const double part = sum > 0 ? static_cast<double>(a.shares) / static_cast<double>(sum) : 0;
    a.share = parent.share * part;
    a.usage = total_[kRoot] > 0 ? total_[i] / total_[kRoot] : 0;
    a.effective = a.parent == kRoot ? a.usage : a.usage + (parent.effective - a.usage) * part;
    a.factor = a.share > 0 ? detmath::exp2(-a.effective / a.share / damping) : 0;
    a.level = part <= 0        ? 0
              : total_[i] <= 0 ? std::numeric_limits<double>::infinity()
                               : part / (total_[i] / below_[a.parent]);
  }
  if (algorithm_ == Algorithm::classic) return;
  users_ = 0;
  for (std::size_t i = 0; i < accounts_.size(); ++i) users_ += is_user(i) ? 1 : 0;
  rank_ = next_rank_ = users_;
  rank(children_[kRoot], false);
}

/// Gives all users below `siblings` their ranks, counting down from `next_rank_`. The children of equal
/// accounts become siblings; the first of them is equal to who came last if these accounts were.
void AccountTree::rank(std::vector<std::size_t>& siblings, bool equal_to_last) {
  std::stable_sort(siblings.begin(), siblings.end(), [&](std::size_t a, std::size_t b) {
    return std::make_tuple(-accounts_[a].level, !is_user(a)) <
           std::make_tuple(-accounts_[b].level, !is_user(b));
  });
  for (std::size_t i = 0; i < siblings.size();) {
    const double level = accounts_[siblings[i]].level;
    const bool equal = i == 0 ? equal_to_last : level == accounts_[siblings[i - 1]].level;
    if (is_user(siblings[i])) {
      if (!equal) rank_ = next_rank_;
      accounts_[siblings[i]].factor = static_cast<double>(rank_) / static_cast<double>(users_);
      --next_rank_;
      ++i;
      continue;
    }
    std::vector<std::size_t> merged;
    for (; i < siblings.size() && accounts_[siblings[i]].level == level; ++i)
      merged.insert(merged.end(), children_[siblings[i]].begin(), children_[siblings[i]].end());
    rank(merged, equal);
  }
}

}  // namespace muster
