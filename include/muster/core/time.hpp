#pragma once
#include <chrono>
#include <cstdint>

namespace muster {

/// The simulated clock: signed 64-bit nanoseconds since the trace origin (292 years of range).
/// It has no now(): the current time is a value you are handed, never a global you can read.
struct SimClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<SimClock, duration>;
  static constexpr bool is_steady = true;  // NOLINT: the name is the standard's
};

using Duration = SimClock::duration;
using SimTime = SimClock::time_point;

inline constexpr SimTime kStart{};
inline constexpr SimTime kNever = SimTime::max();

/// "The trace does not say": distinct from zero everywhere (no real duration is negative).
inline constexpr Duration kUnknown{-1};
/// "No limit": distinct from unknown.
inline constexpr Duration kUnlimited = Duration::max();

/// The longest time, from the origin, that any input may name: 100 years. What is longer is an
/// input error, so that sums of a few times can't overflow.
inline constexpr Duration kLongest = std::chrono::hours{24 * 365 * 100};

/// For reports only: decisions are made on integers.
constexpr double seconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }
constexpr double seconds(SimTime t) { return seconds(t.time_since_epoch()); }

/// `t + d`, or kNever if that would pass the end of time (an unlimited estimate, say).
constexpr SimTime later(SimTime t, Duration d) { return d >= kNever - t ? kNever : t + d; }

}  // namespace muster
