#include "muster/core/registry.hpp"

namespace muster {

Registrations& registrations() {
  static Registrations all;
  return all;
}

}  // namespace muster
