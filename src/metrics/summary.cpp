#include "muster/metrics/summary.hpp"

namespace muster {

Int128 Summary::available() const {
  return installed() - gpu_time[static_cast<std::size_t>(GpuClass::down)] -
         gpu_time[static_cast<std::size_t>(GpuClass::maintenance)];
}

double Summary::availability() const { return share(available(), installed()); }

double Summary::scheduling_goodput() const {
  return share(allocated() - gpu_time[static_cast<std::size_t>(GpuClass::hoarded)], available());
}

double Summary::runtime_goodput() const {
  return share(ran(), allocated() - gpu_time[static_cast<std::size_t>(GpuClass::hoarded)]);
}

double Summary::program_goodput() const {
  return share(gpu_time[static_cast<std::size_t>(GpuClass::run_compute)], ran());
}

double Summary::interruptions_per_day() const {
  return share(Int128{86'400'000'000'000} * interruptions, window().count());
}

std::optional<double> Summary::across(Level level) const {
  Int128 several = 0, part = 0;
  for (std::size_t l = static_cast<std::size_t>(Level::node) + 1; l < kLevels; ++l) {
    several += spread[l];
    if (l > static_cast<std::size_t>(level)) part += spread[l];
  }
  if (several == 0) return {};
  return share(part, several);
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
