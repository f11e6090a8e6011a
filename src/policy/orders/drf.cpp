#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "muster/core/int128.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Dominant resource fairness (Ghodsi et al., NSDI'11, section 4.1, algorithm 1): after each start,
/// whoever has the smallest dominant share goes next. The resources are the fleet's GPU types (its
/// pools); the dominant share of a user is the largest, over them, of what its running jobs hold of a
/// type over what the fleet has of it. On one GPU type this is max-min fairness of what is held now,
/// and unlike fair_share forgets what was used before.
///
/// Keys are ranks of dominant shares, so each start re-sorts the queue: O(n log n) in the waiting jobs.
class DrfOrder final : public Order {
 public:
  explicit DrfOrder(const OrderOptions& o) : options_(o) {}

  void begin(const View& view, std::uint64_t) override {
    for (const Fleet::Pool& pool : view.fleet.pools)
      capacity_.push_back(std::int64_t{pool.gpus} * 1000);
  }

  std::int64_t key(const View& view, JobId job) override {
    const auto [it, fresh] = users_.try_emplace(sharer_of(view.jobs, job, options_));
    if (fresh) it->second.held.resize(capacity_.size());
    changed_ |= fresh;
    return it->second.rank;
  }

  bool refresh(const View&) override {
    if (!changed_) return false;
    changed_ = false;
    by_share_.clear();
    for (auto& [who, user] : users_) by_share_.push_back(&user);
    std::stable_sort(by_share_.begin(), by_share_.end(),
                     [&](const User* a, const User* b) { return poorer(*a, *b); });
    bool moved = false;
    for (std::size_t i = 0; i < by_share_.size(); ++i) {
      const bool equal = i > 0 && !poorer(*by_share_[i - 1], *by_share_[i]);
      const std::int64_t rank = equal ? by_share_[i - 1]->rank : static_cast<std::int64_t>(i);
      moved |= by_share_[i]->rank != rank;
      by_share_[i]->rank = rank;
    }
    return moved;
  }
  bool refresh_after_start() const override { return true; }

  void started(const View& view, const RunningJob& r) override {
    std::vector<std::int64_t> held(capacity_.size());
    for (std::size_t p = 0; p < held.size(); ++p) held[p] = held_milli(view, r, PoolMask{1} << p);
    shift(view, r.job, held, +1);
    if (r.pool == RunningJob::kSeveral) spread_[r.job] = std::move(held);
  }
  void stopped(const View& view, const RunningJob& r) override {
    std::vector<std::int64_t> held(capacity_.size());
    if (r.pool != RunningJob::kSeveral) {
      held[r.pool] = r.milli;
    } else {
      held = std::move(spread_.at(r.job));  // its placement is gone by now
      spread_.erase(r.job);
    }
    shift(view, r.job, held, -1);
  }

  std::string standing(const View& view, JobId job) override {
    const NameId who = sharer_of(view.jobs, job, options_);
    const std::string name{view.jobs.names()[who]};
    const auto user = users_.find(who);
    const std::size_t p = user == users_.end() ? 0 : user->second.dominant;
    const std::int64_t held = user == users_.end() ? 0 : user->second.held[p];
    return (name.empty() ? "unknown" : name) + " holds " + to_decimal(held, 3) + " of " +
           to_decimal(capacity_[p], 3) + " GPUs" +
           (capacity_.size() > 1 ? " of type " + view.fleet.pools[p].gpu_type : "");
  }

 private:
  struct User {
    std::vector<std::int64_t> held;  // by pool, thousandths of a GPU
    std::size_t dominant = 0;        // the pool of which it holds the largest share
    std::int64_t rank = 0;           // equal shares, equal ranks
  };

  /// Whether a / capacity(p) < b / capacity(q), exactly.
  bool smaller(std::int64_t a, std::size_t p, std::int64_t b, std::size_t q) const {
    return Int128{a} * capacity_[q] < Int128{b} * capacity_[p];
  }
  bool poorer(const User& a, const User& b) const {
    return smaller(a.held[a.dominant], a.dominant, b.held[b.dominant], b.dominant);
  }

  void shift(const View& view, JobId job, const std::vector<std::int64_t>& held, int sign) {
    User& user = users_.at(sharer_of(view.jobs, job, options_));
    for (std::size_t p = 0; p < held.size(); ++p) user.held[p] += sign * held[p];
    user.dominant = 0;
    for (std::size_t p = 1; p < held.size(); ++p)
      if (smaller(user.held[user.dominant], user.dominant, user.held[p], p)) user.dominant = p;
    changed_ = true;
  }

  OrderOptions options_;
  std::vector<std::int64_t> capacity_;
  std::map<NameId, User> users_;
  std::map<JobId, std::vector<std::int64_t>> spread_;  // running gangs on several types
  std::vector<User*> by_share_;
  bool changed_ = false;
};

const Orders::Add<DrfOrder> registered{
    "drf",
    "dominant resource fairness: least dominant share of the GPU types goes next (share_by)"};

}  // namespace
}  // namespace muster
