#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "muster/core/registry.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

struct OrderOptions {
  enum class ShareBy : std::uint8_t { user, queue, group };
  ShareBy share_by = ShareBy::user;
  Duration half_life = std::chrono::hours{24 * 7};
  std::map<std::string, std::int64_t> usage;  // GPU-seconds used before the origin, by name
};

/// Which waiting job goes first: the one with the smallest key, and of equal keys the one submitted
/// first, in trace order (CONVENTIONS C3). Keys are fixed when a job begins to wait, unless
/// refresh() says otherwise.
class Order {
 public:
  virtual ~Order() = default;
  virtual std::int64_t key(const View& view, JobId job) = 0;
  /// True: keys of jobs that already wait have changed since the last call.
  virtual bool refresh(const View&) { return false; }
  virtual void started(const View&, const RunningJob&) {}
  virtual void stopped(const View&, const RunningJob&) {}
};

using Orders = Registry<Order, const OrderOptions&>;

}  // namespace muster
