#pragma once
#include <string>

#include "muster/core/time.hpp"

namespace muster {

/// Seconds as an exact decimal with the unit: "7200s", "0.25s"; "unlimited" for kUnlimited.
std::string duration_text(Duration d);

}  // namespace muster
