#include "muster/policy/registry.hpp"

namespace muster {

std::map<std::string, PolicyInfo, std::less<>>& policies() {
  static std::map<std::string, PolicyInfo, std::less<>> all;
  return all;
}

}  // namespace muster
