#include "muster/policy/policy.hpp"

namespace muster {

std::uint32_t Jobs::size_wanted(JobId j, SimTime now) const {
  std::uint32_t gpus = asks(j).gpus;
  const auto wishes = w_.size_requests.find(j);
  if (wishes == w_.size_requests.end()) return gpus;
  for (const SizeRequest& wish : wishes->second)
    if (later(w_.submit[j], wish.after) <= now) gpus = wish.gpus;
  return gpus;
}

}  // namespace muster
