#pragma once
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "muster/core/multiples.hpp"
#include "muster/core/registry.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// What one order alone can be told, declared beside it:
/// `const OrderParameters::Add<MyParams> parameters{"my_order", ""};`
class OrderParams {
 public:
  virtual ~OrderParams() = default;
  virtual void walk(ParamVisitor& visit) = 0;
  /// The name of one that says something, where that means nothing to any other order; "" = none is refused there.
  virtual std::string_view set() const { return {}; }
};
using OrderParameters = Registry<OrderParams>;

/// What orders can be told: a few things that several of them understand, and each one's own.
struct OrderOptions {
  enum class ShareBy : std::uint8_t { user, queue, group };
  ShareBy share_by = ShareBy::user;
  Duration half_life = std::chrono::hours{24 * 7};
  std::map<std::string, std::int64_t> usage;  // GPU-seconds used before the origin, by name
  Duration calc_period = kUnknown;            // between two computations of keys that age
  std::map<std::string, std::shared_ptr<OrderParams>, std::less<>> own;  // by order

  OrderOptions();
  void walk(ParamVisitor& visit);
  template <class P>
  const P& of(std::string_view order) const {
    return dynamic_cast<const P&>(*own.find(order)->second);
  }
};

/// Whose usage `job` counts as.
NameId sharer_of(const Jobs& jobs, JobId job, const OrderOptions& options);

/// Which waiting job goes first: the one with the smallest key, and of equal keys the one submitted
/// first, in trace order (CONVENTIONS C3). Keys are fixed when a job begins to wait, unless
/// refresh() says otherwise.
class Order {
 public:
  virtual ~Order() = default;
  /// Before anything else.
  virtual void begin(const View&, std::uint64_t seed) { static_cast<void>(seed); }
  virtual std::int64_t key(const View& view, JobId job) = 0;
  /// True: keys of jobs that already wait have changed since the last call.
  virtual bool refresh(const View&) { return false; }
  /// When keys are computed anew by a clock, whatever else happens; kNever: only when somebody asks.
  virtual SimTime next_refresh() const { return kNever; }
  /// True: refresh() has to be asked after each start, not only at the beginning of a pass.
  virtual bool refresh_after_start() const { return false; }
  /// True: jobs of one queue always have the same key. Then shapes are told apart by queue, so that a change of
  /// keys moves whole lines of the waiting queue and sorts nothing.
  virtual bool by_queue() const { return false; }
  virtual void started(const View&, const RunningJob&) {}
  virtual void stopped(const View&, const RunningJob&) {}
  /// It waits no longer, and was not started.
  virtual void left(const View&, JobId) {}
  /// For explanations: the numbers by which `job` stands where it stands, if the job alone doesn't say.
  virtual std::string standing(const View&, JobId) { return {}; }
  /// At submit, of a job that could run: why it is not let in, if so.
  virtual std::optional<Rejection> refuse(const View&, JobId) { return {}; }
  /// Whether it looks at `what`: if not, who sets it is told so.
  enum class Shared : std::uint8_t { half_life, calc_period };
  virtual bool takes(Shared what) const {
    static_cast<void>(what);
    return true;
  }
  /// The predictor whose Jobs::predicted() it reads, unless another one is chosen; "" = none.
  virtual std::string_view predictor() const { return {}; }
};

using Orders = Registry<Order, const OrderOptions&>;

/// Throws InputError for what is set and means nothing to `order`, whose name is `name`.
void refuse_idle(const OrderOptions& options, std::string_view name, const Order& order);

/// A key that sorts as `score` does, to the last bit: no scaling, no rounding. Not NaN.
inline std::int64_t ascending(double score) {
  const auto bits = std::bit_cast<std::int64_t>(score);
  return bits >= 0 ? bits : INT64_MIN - bits;
}
/// The same for scores of which the largest goes first.
inline std::int64_t descending(double score) { return ascending(-score); }

/// GPU time that `job` is expected to take if it runs for `length`, in thousandths of a GPU times
/// milliseconds; what no 64 bits hold is the largest.
std::int64_t gpu_time(const View& view, JobId job, Duration length);

/// Tells when keys that change with time are due for another computation.
class CalcPeriod {
 public:
  /// kUnknown: `otherwise`; zero: at each pass.
  CalcPeriod(Duration period, Duration otherwise)
      : period_(period == kUnknown ? otherwise : period) {}
  bool due(SimTime now) {
    if (now < next_) return false;
    next_ = period_ > Duration{} ? multiple_after(now, period_) : now;
    return true;
  }
  /// As of when keys are computed if that is done at `now`: no later than the clock would have had it.
  SimTime last(SimTime now) const {
    return period_ > Duration{} ? last_multiple(now, period_) : now;
  }
  /// When that is; kNever if at each pass.
  SimTime next() const { return period_ > Duration{} ? next_ : kNever; }

 private:
  Duration period_;
  SimTime next_ = kStart;
};

}  // namespace muster
