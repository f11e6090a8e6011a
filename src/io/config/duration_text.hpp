#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "muster/core/time.hpp"

namespace muster {

/// "90", "90s", "0.5 h", "1e3": seconds unless a unit follows (ns, us, ms, s, min, h, d). Exact: what
/// is not a whole number of nanoseconds, negative or longer than kLongest is nothing.
std::optional<Duration> time_from_text(std::string_view text);

/// Seconds as an exact decimal with the unit: "7200s", "0.25s"; "unlimited" for kUnlimited.
std::string duration_text(Duration d);

}  // namespace muster
