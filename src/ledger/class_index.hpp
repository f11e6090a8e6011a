#pragma once
#include <cstddef>

#include "muster/ledger/gpu_class.hpp"

namespace muster {

/// Its place in a table of the classes.
inline std::size_t index(GpuClass c) { return static_cast<std::size_t>(c); }

}  // namespace muster
