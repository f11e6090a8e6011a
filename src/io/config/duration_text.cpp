#include "io/config/duration_text.hpp"

#include "muster/core/int128.hpp"

namespace muster {

std::string duration_text(Duration d) {
  if (d == kUnlimited) return "unlimited";
  return to_decimal(d.count(), 9) + "s";
}

}  // namespace muster
