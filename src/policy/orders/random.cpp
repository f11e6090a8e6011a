#include <optional>

#include "muster/core/random.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Each job draws a place when it is submitted, the same whenever it comes back: the yardstick that
/// says what an order is worth. The n-th job's number is a function of the seed and n alone.
class RandomOrder final : public Order {
 public:
  explicit RandomOrder(const OrderOptions&) {}
  void begin(const View&, std::uint64_t seed) override { stream_.emplace(seed, "order.random"); }
  std::int64_t key(const View&, JobId job) override {
    return static_cast<std::int64_t>(stream_->at(job.value) >> 1);
  }

 private:
  std::optional<Stream> stream_;
};

const Orders::Add<RandomOrder> registered{"random", "a random order (a stream of its own)"};

}  // namespace
}  // namespace muster
