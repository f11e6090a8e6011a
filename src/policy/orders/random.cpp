#include <string>

#include "muster/core/random.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Each job draws a place: the yardstick that says what an order is worth. The number is a function of
/// the seed and the job's id alone, so it is the same whenever the job comes back, and whoever else is
/// in the trace.
class RandomOrder final : public Order {
 public:
  explicit RandomOrder(const OrderOptions&) {}
  void begin(const View&, std::uint64_t seed) override { seed_ = seed; }
  bool takes(Shared) const override { return false; }
  std::int64_t key(const View& view, JobId job) override {
    const Stream stream(seed_, "order.random " + std::string{view.jobs.id_text(job)});
    return static_cast<std::int64_t>(stream.at(0) >> 1);
  }

 private:
  std::uint64_t seed_ = 0;
};

const Orders::Add<RandomOrder> registered{"random", "a random order (a stream of its own)"};

}  // namespace
}  // namespace muster
