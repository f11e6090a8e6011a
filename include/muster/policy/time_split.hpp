#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace muster {

/// What a job that runs does not compute for, in millionths of its time.
struct TimeSplit {
  std::uint32_t communicating = 0;  // waits for its network
  std::uint32_t stalled = 0;        // waits for its input
  std::uint32_t straggling = 0;     // waits for the slowest of its GPUs

  static constexpr std::size_t kParts = 3;
  std::array<std::uint32_t, kParts> parts() const { return {communicating, stalled, straggling}; }
  bool none() const { return *this == TimeSplit{}; }
  friend bool operator==(const TimeSplit&, const TimeSplit&) = default;
};

}  // namespace muster
