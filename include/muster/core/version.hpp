#pragma once
#include <string_view>

namespace muster {

/// The version of the library that runs, as "major.minor.patch".
std::string_view version();

}  // namespace muster
