#include "muster/policy/parts/account_tree.hpp"

#include "muster/core/detmath.hpp"

namespace muster {

AccountTree::AccountTree() {
  accounts_.resize(1);
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
  total_.assign(accounts_.size(), 0);
  siblings_.assign(accounts_.size(), 0);
  for (std::size_t i = accounts_.size(); i-- > 1;) {
    Account& a = accounts_[i];
    a.used.bring_to(now, half_life);
    total_[i] += a.used.gpu_seconds;
    total_[a.parent] += total_[i];
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
  }
}

}  // namespace muster
