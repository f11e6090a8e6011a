#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "muster/io/text/bytes.hpp"

namespace muster {

/// Steps per second of each kind of job alone on one type of GPU, from Gavel's
/// simulation_throughputs.json: {"v100": {"('ResNet-18 (batch size 16)', 1)": {"null": 12.3}}}.
class GavelThroughputs {
 public:
  GavelThroughputs(std::unique_ptr<ByteSource> json, const std::string& worker);

  struct Rate {
    double steps_per_s = 0;  // 0: the kind of job is not listed
    std::uint32_t gpus = 0;  // that it was measured with
  };
  /// For a job on `gpus` GPUs; if that count is not listed, for the next smaller one that is.
  Rate rate(const std::string& type, std::uint32_t gpus) const;

 private:
  std::map<std::pair<std::string, std::uint32_t>, double> rates_;
};

}  // namespace muster
