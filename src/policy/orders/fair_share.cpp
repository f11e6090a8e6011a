#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/policy/parts/decayed_usage.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Whoever used least goes first, by usage that decays (see DecayedUsage).
class FairShareOrder final : public Order {
 public:
  explicit FairShareOrder(const OrderOptions& o) : options_(o), period_(o.calc_period, Duration{}) {
    if (o.half_life <= Duration{})
      throw InputError(
          "/policy/half_life", "expected a time above 0",
          "usage that never decays is half_life=36500d; no fair sharing is order=fifo");
  }

  std::int64_t key(const View& view, JobId job) override {
    const NameId who = sharer(view, job);
    Account& a = account(view, who);
    if (!a.ranked) dirty_ = true;
    return a.rank;
  }

  bool refresh(const View& view) override {
    if (!period_.due(view.now) && !dirty_) return false;
    by_usage_.clear();
    for (auto& [who, a] : accounts_) {
      a.used.bring_to(view.now, options_.half_life);
      by_usage_.push_back(&a);
    }
    std::stable_sort(by_usage_.begin(), by_usage_.end(), [](const Account* a, const Account* b) {
      return a->used.gpu_seconds < b->used.gpu_seconds;
    });
    bool changed = dirty_;
    std::int64_t rank = -1;
    double last = -1;
    for (Account* a : by_usage_) {
      if (a->used.gpu_seconds != last) ++rank;
      last = a->used.gpu_seconds;
      changed |= a->rank != rank;
      a->rank = rank;
      a->ranked = true;
    }
    dirty_ = false;
    return changed;
  }

  void started(const View& view, const RunningJob& r) override { shift(view, r, +1); }
  void stopped(const View& view, const RunningJob& r) override { shift(view, r, -1); }

  std::string standing(const View& view, JobId job) override {
    static constexpr std::string_view kWhat[] = {"user", "queue", "group"};
    const NameId who = sharer(view, job);
    const std::string name{view.jobs.names()[who]};
    DecayedUsage used = account(view, who).used;  // a copy: a question changes no rounding
    used.bring_to(view.now, options_.half_life);
    return std::string{kWhat[static_cast<std::size_t>(options_.share_by)]} + " " +
           (name.empty() ? "unknown" : name) + " has used " +
           to_decimal(std::llround(used.gpu_seconds * 1e3), 3) + " GPU-seconds that still count";
  }

 private:
  struct Account {
    DecayedUsage used;
    std::int64_t rank = 0;
    bool ranked = false;
  };

  NameId sharer(const View& view, JobId j) const { return sharer_of(view.jobs, j, options_); }

  Account& account(const View& view, NameId who) {
    const auto [it, fresh] = accounts_.try_emplace(who);
    if (fresh) {
      const auto before = options_.usage.find(std::string{view.jobs.names()[who]});
      if (before != options_.usage.end())
        it->second.used.gpu_seconds = static_cast<double>(before->second);
    }
    return it->second;
  }

  void shift(const View& view, const RunningJob& r, int sign) {
    account(view, sharer(view, r.job)).used.run_on(view.now, options_.half_life, sign * r.milli);
  }

  OrderOptions options_;
  CalcPeriod period_;
  std::map<NameId, Account> accounts_;
  std::vector<Account*> by_usage_;
  bool dirty_ = false;
};

const Orders::Add<FairShareOrder> registered{
    "fair_share", "least decayed usage first (share_by, half_life), then submit time"};

}  // namespace
}  // namespace muster
