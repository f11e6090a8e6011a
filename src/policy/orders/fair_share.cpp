#include <algorithm>
#include <map>
#include <vector>

#include "muster/core/detmath.hpp"
#include "muster/core/error.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Whoever used least goes first. Usage U in GPU-seconds decays with a half-life h and accrues while
/// jobs run on g GPUs:
///   U(t + d) = U(t) 2^(-d/h) + g (h / ln 2) (1 - 2^(-d/h))
/// the continuous form of Slurm's decayed usage (PriorityDecayHalfLife, multifactor priority).
class FairShareOrder final : public Order {
 public:
  explicit FairShareOrder(const OrderOptions& o) : options_(o) {
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
    by_usage_.clear();
    for (auto& [who, a] : accounts_) {
      bring_to(a, view.now);
      by_usage_.push_back(&a);
    }
    std::stable_sort(by_usage_.begin(), by_usage_.end(),
                     [](const Account* a, const Account* b) { return a->usage < b->usage; });
    bool changed = dirty_;
    std::int64_t rank = -1;
    double last = -1;
    for (Account* a : by_usage_) {
      if (a->usage != last) ++rank;
      last = a->usage;
      changed |= a->rank != rank;
      a->rank = rank;
      a->ranked = true;
    }
    dirty_ = false;
    return changed;
  }

  void started(const View& view, const RunningJob& r) override { shift(view, r, +1); }
  void stopped(const View& view, const RunningJob& r) override { shift(view, r, -1); }

 private:
  struct Account {
    double usage = 0;        // GPU-seconds at `at`
    std::int64_t milli = 0;  // thousandths of GPUs it runs on
    SimTime at = kStart;
    std::int64_t rank = 0;
    bool ranked = false;
  };

  NameId sharer(const View& view, JobId j) const {
    switch (options_.share_by) {
      case OrderOptions::ShareBy::user:
        return view.jobs.user(j);
      case OrderOptions::ShareBy::queue:
        return view.jobs.queue(j);
      case OrderOptions::ShareBy::group:
        return view.jobs.group(j);
    }
    return {};
  }

  Account& account(const View& view, NameId who) {
    const auto [it, fresh] = accounts_.try_emplace(who);
    if (fresh) {
      const auto before = options_.usage.find(std::string{view.jobs.names()[who]});
      if (before != options_.usage.end()) it->second.usage = static_cast<double>(before->second);
    }
    return it->second;
  }

  void bring_to(Account& a, SimTime now) const {
    if (now == a.at) return;
    const double h = seconds(options_.half_life);
    const double decay = detmath::exp2(-seconds(now - a.at) / h);
    constexpr double kLn2 = 0.693147180559945309417;
    a.usage = a.usage * decay + static_cast<double>(a.milli) * 1e-3 * (h / kLn2) * (1 - decay);
    a.at = now;
  }

  void shift(const View& view, const RunningJob& r, int sign) {
    Account& a = account(view, sharer(view, r.job));
    bring_to(a, view.now);
    a.milli += sign * r.milli;
  }

  OrderOptions options_;
  std::map<NameId, Account> accounts_;
  std::vector<Account*> by_usage_;
  bool dirty_ = false;
};

const Orders::Add<FairShareOrder> registered{
    "fair_share", "least decayed usage first (share_by, half_life), then submit time"};

}  // namespace
}  // namespace muster
