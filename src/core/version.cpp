#include "muster/core/version.hpp"

#include "muster/core/abi.hpp"

namespace muster {

std::string_view version() { return MUSTER_VERSION; }

}  // namespace muster
