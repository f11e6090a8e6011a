#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Keys that depend on the job alone.
template <std::int64_t (*Key)(const View&, JobId)>
class StaticOrder final : public Order {
 public:
  explicit StaticOrder(const OrderOptions&) {}
  bool takes(Shared) const override { return false; }
  std::int64_t key(const View& view, JobId job) override { return Key(view, job); }
};

std::int64_t submitted(const View&, JobId) { return 0; }
std::int64_t urgency(const View& v, JobId j) { return -std::int64_t{v.jobs.priority(j)}; }
std::int64_t shortest(const View& v, JobId j) { return v.jobs.planned(j).count(); }
std::int64_t smallest(const View& v, JobId j) { return gpu_time(v, j, v.jobs.planned(j)); }
std::int64_t largest(const View& v, JobId j) { return -smallest(v, j); }
std::int64_t longest(const View& v, JobId j) { return -v.jobs.planned(j).count(); }

const Orders::Add<StaticOrder<submitted>> fifo{"fifo", "by submit time, then trace order"};
const Orders::Add<StaticOrder<urgency>> priority{"priority",
                                                 "by priority, high to low, then submit time"};
const Orders::Add<StaticOrder<shortest>> sjf{"sjf",
                                             "shortest job first, by what it is planned to run"};
const Orders::Add<StaticOrder<longest>> ljf{"ljf",
                                            "longest job first, by what it is planned to run"};
const Orders::Add<StaticOrder<smallest>> saf{"saf", "smallest area first: planned time x GPUs"};
const Orders::Add<StaticOrder<largest>> laf{"laf", "largest area first: planned time x GPUs"};

}  // namespace
}  // namespace muster
