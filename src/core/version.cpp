#include "muster/core/version.hpp"

namespace muster {

std::string_view version() { return MUSTER_VERSION; }

}  // namespace muster
