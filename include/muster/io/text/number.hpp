#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "muster/core/int128.hpp"
#include "muster/core/time.hpp"

namespace muster {

/// The parsers below take the whole text or nothing: no blanks, no trailing characters, no "nan".

/// A decimal integer, with sign.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A whole number that may be written as a float, as pandas does: "8", "8.0", "1e3".
std::optional<std::int64_t> parse_whole(std::string_view text);

/// `text` (digits, a point, an exponent) times `scale`, rounded to the nearest integer: exact, no
/// double is involved. Digits beyond the 18th decimal are dropped.
std::optional<std::int64_t> parse_scaled(std::string_view text, std::int64_t scale);

/// A finite number; for quantities that decide nothing (memory, CPUs).
std::optional<double> parse_real(std::string_view text);

/// A number of `unit`s as a duration: exact to 1 ns, negative allowed.
std::optional<Duration> parse_duration(std::string_view text,
                                       Duration unit = std::chrono::seconds{1});

/// A number of seconds, or numbers with units (ns, us, ms, s, min, h, d): "90s", "15min", "1h30min".
std::optional<Duration> parse_time_span(std::string_view text);

/// A unit's length: "ms" -> 1 ms.
std::optional<Duration> parse_unit(std::string_view text);

}  // namespace muster
