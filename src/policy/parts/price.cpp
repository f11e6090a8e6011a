#include "muster/policy/parts/price.hpp"

#include <string>

#include "muster/core/error.hpp"

namespace muster {

void check_price(std::string_view parameter, Duration time) {
  if (time >= Duration{} && time != kUnlimited) return;
  const std::string name{parameter};
  throw InputError("/policy/" + name,
                   std::string{"expected a time of 0 or more that ends"} +
                       (time == kUnlimited ? ", got unlimited" : ""),
                   "for example " + name + "=30s; left out, it costs nothing");
}

}  // namespace muster
