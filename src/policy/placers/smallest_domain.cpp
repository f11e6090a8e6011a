#include <algorithm>

#include "pack.hpp"

namespace muster {
namespace {

/// pack, with a wish for every gang: the smallest domain that has room for it, at whatever level. Of
/// the domains of that level the tightest.
class SmallestDomainPlacer final : public PackPlacer {
 public:
  explicit SmallestDomainPlacer(std::uint64_t seed) : PackPlacer(seed) {}
  bool wants_domains(const Fleet& fleet) const override {
    return domains(fleet, Level::leaf) > 1 || domains(fleet, Level::nvlink) < fleet.nodes.size();
  }

 protected:
  Level preferred(const Demand& d, const Fleet& fleet) const override {
    // Where each node is an NVLink domain of its own there is nothing to look for in them.
    const bool wide = domains(fleet, Level::nvlink) < fleet.nodes.size();
    return std::min(d.preferred, wide ? Level::nvlink : Level::leaf);
  }

 private:
  static std::size_t domains(const Fleet& fleet, Level level) {
    return fleet.domains[static_cast<std::size_t>(level)].size();
  }
};

const Placers::Add<SmallestDomainPlacer> registered{
    "smallest_domain", "the smallest domain that fits, of any level; of its level the tightest"};

}  // namespace
}  // namespace muster
