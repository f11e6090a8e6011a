#pragma once
#include "muster/policy/parts/placer.hpp"

namespace muster {

/// Best fit: the node with the fewest free GPUs that still fits, lowest number first; the domain
/// with the fewest free GPUs in which the gang fits. Keeps whole nodes whole.
class PackPlacer : public Placer {
 public:
  explicit PackPlacer(std::uint64_t) {}

 protected:
  std::uint32_t one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) override;
  void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) override;
  void any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) override;
  std::size_t choose_domain(const std::vector<std::uint32_t>& free) override;
};

}  // namespace muster
