#include "muster/metrics/summary.hpp"

namespace muster {

Int128 Summary::available() const {
  return installed() - gpu_time[static_cast<std::size_t>(GpuClass::down)] -
         gpu_time[static_cast<std::size_t>(GpuClass::maintenance)];
}

double share(Int128 part, Int128 whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view name(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::deadlock:
      return "deadlock";
    case Finding::Kind::livelock:
      return "livelock";
    case Finding::Kind::starvation:
      return "starvation";
  }
  return "";
}

}  // namespace muster
