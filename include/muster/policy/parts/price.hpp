#pragma once
#include <string_view>

#include "muster/core/time.hpp"

namespace muster {

/// InputError unless `time` is 0 or more and ends: a parameter of that name that says what a job pays before its
/// work goes on. One that paid for ever would hold its GPUs for ever.
void check_price(std::string_view parameter, Duration time);

}  // namespace muster
