#include "muster/cost/calibration.hpp"

#include <algorithm>

namespace muster {
namespace {

/// "NVIDIA A100-SXM4-80GB" -> "a100sxm480gb"
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z')
      out.push_back(static_cast<char>(c - 'A' + 'a'));
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out.push_back(c);
  }
  constexpr std::string_view maker = "nvidia";
  if (out.starts_with(maker) && out.size() > maker.size()) out.erase(0, maker.size());
  return out;
}

}  // namespace

const GpuSpec* Calibration::gpu(std::string_view type) const {
  const std::string wanted = plain(type);
  for (const GpuSpec& gpu : gpus) {
    const auto is_wanted = [&](const std::string& other) { return plain(other) == wanted; };
    if (is_wanted(gpu.name) || std::any_of(gpu.aliases.begin(), gpu.aliases.end(), is_wanted))
      return &gpu;
  }
  return nullptr;
}

std::size_t Calibration::links_of(std::string_view wanted) const {
  std::size_t i = 0;
  while (i < links.size() && links[i].name != wanted) ++i;
  return i;
}

const GpuCompute* Calibration::compute_of(std::string_view wanted) const {
  for (const GpuCompute& known : compute)
    if (known.name == wanted) return &known;
  return nullptr;
}

std::string Calibration::source(std::string_view path) const {
  const auto found = sources.find(path);
  return found == sources.end() ? std::string{} : found->second;
}

}  // namespace muster
