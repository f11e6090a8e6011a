#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

/// What a claim may be given: so many GPUs, for a gain.
struct Choice {
  double gpus = 0;
  double gain = 0;
};

inline constexpr std::size_t kNoChoice = SIZE_MAX;

/// At most one of its choices for each claim, of largest gain in all, if choices may be had in part: the answer
/// of the linear program, in O(n log n). Of each claim only choices on the upper hull of gain over GPUs count; from
/// one of these to the next wider one the gain per GPU falls, so the steps of all claims are taken by gain per
/// GPU until the room is full (of equal ones those of earlier claims). By claim: its choice; kNoChoice for who has
/// none, and for the one claim whose last step has room for a part only.
std::vector<std::size_t> best_choices(std::span<const std::vector<Choice>> claims, double room);

}  // namespace muster
