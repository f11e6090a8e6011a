// The free side of the book where nodes are out of service.

#include <utility>

#include "muster/ledger/gpu_book.hpp"

namespace muster {

/// What is given back to a node that is out of service is not free.
void GpuBook::move_on(std::uint32_t node, std::int64_t milli) {
  if (std::int64_t* out = out_of_service(service_[node])) {
    *out += milli;
    behind_[node] += milli;
  } else {
    free_[pool_of_.empty() ? 0 : pool_of_[node]] += milli;
  }
}

/// The sum over the nodes in that state; null for those in service.
std::int64_t* GpuBook::out_of_service(Service service) {
  switch (service) {
    case Service::up:
      break;
    case Service::spare:
      return &levels_.spare_milli;
    case Service::maintenance:
      return &levels_.maintenance_milli;
    case Service::down:
      return &levels_.down_milli;
  }
  return nullptr;
}

void GpuBook::node(const NodeRecord& record) {
  advance(record.at);
  const std::uint32_t n = record.node.value;
  if (service_.empty()) {
    service_.assign(nodes_, Service::up);
    behind_.assign(nodes_, 0);
  }
  if (service_[n] != record.before) blame(record.at, "a node leaves a state that it was not in");
  if (record.before == Service::up) {
    move_on(n, -record.milli);
    behind_[n] = record.milli;
  } else if (record.after == Service::up && behind_[n] != record.milli) {
    blame(record.at, "a node comes back with other GPUs than nobody held");
  }
  if (std::int64_t* out = out_of_service(record.before)) *out -= behind_[n];
  if (std::int64_t* out = out_of_service(record.after)) *out += behind_[n];
  service_[n] = record.after;
  if (record.after == Service::up) move_on(n, std::exchange(behind_[n], 0));
  stale_ = true;
}

}  // namespace muster
