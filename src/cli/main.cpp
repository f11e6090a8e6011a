#include <cstdio>

#include "muster/core/version.hpp"

int main() {
  const auto version = muster::version();
  std::printf("muster %.*s\n", static_cast<int>(version.size()), version.data());
}
