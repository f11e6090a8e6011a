#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

struct AgingParams final : OrderParams {
  Duration step = std::chrono::hours{1};
  void walk(ParamVisitor& visit) override {
    visit.visit("age_step", step, "aging: waiting this long is worth one level of priority");
  }
};

/// Priority plus age: priority + waited / age_step, largest first, so that nobody starves (Silberschatz,
/// Galvin & Gagne, Operating System Concepts, "Priority Scheduling"). All age at the same rate, so who
/// is ahead stays ahead, and the key is fixed: submit - priority x age_step. (A head start of more
/// than 292 years is one of 292 years.)
class AgingOrder final : public Order {
 public:
  explicit AgingOrder(const OrderOptions& o) : step_(o.of<AgingParams>("aging").step) {
    if (step_ <= Duration{})
      throw InputError("/policy/age_step", "expected a time above 0",
                       "age alone is order=fifo, priority alone is order=priority");
  }
  bool takes(Shared) const override { return false; }
  std::int64_t key(const View& view, JobId job) override {
    const Int128 key = Int128{view.jobs.submit(job).time_since_epoch().count()} -
                       Int128{view.jobs.priority(job)} * step_.count();
    return static_cast<std::int64_t>(std::clamp<Int128>(key, INT64_MIN, INT64_MAX));
  }

 private:
  Duration step_;
};

const Orders::Add<AgingOrder> registered{"aging", "priority + waited / age_step, largest first"};
const OrderParameters::Add<AgingParams> parameters{"aging", ""};

}  // namespace
}  // namespace muster
