#pragma once
#include "muster/policy/parts/objective.hpp"
#include "shares.hpp"

namespace muster::rounds {

/// Where every job runs on GPUs of one type at most (a fleet of one type, say), programs about shares
/// have an answer in closed form, in O(n log n): what is found there does not need CLP.
inline constexpr std::size_t kNowhere = SIZE_MAX;

/// The type on which `c` runs; kNowhere if there is none.
std::size_t type_of(const Contest& contest, const Contender& c);
bool each_on_one_type(const Contest& contest);

/// max_min() of such a contest, all levels: the water rises for all, and whoever has all of the time
/// drops out.
Allocation level_out(const Contest& contest, const Coefficients& coefficients);
/// max_sum() of such a contest: by coefficient per GPU, the earlier submission first where they are equal.
Allocation best_first(const Contest& contest, const Coefficients& coefficients);

}  // namespace muster::rounds
