#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "muster/io/text/bytes.hpp"
#include "muster/workload/builder.hpp"

namespace muster {

/// Steps per second of each kind of job alone on each type of GPU, from Gavel's
/// simulation_throughputs.json: {"v100": {"('ResNet-18 (batch size 16)', 1)": {"null": 12.3}}}.
class GavelThroughputs {
 public:
  /// `worker`: the type of GPU on which steps become time.
  GavelThroughputs(std::unique_ptr<ByteSource> json, const std::string& worker);

  using Rate = Throughputs::Rate;
  /// For a job on `gpus` GPUs; if that count is not listed, for the next smaller one that is.
  Rate rate(const std::string& type, std::uint32_t gpus) const;
  /// All types that are measured with the GPUs of a job side by side go into the workload's table.
  void hand_over(WorkloadBuilder& jobs) const;

 private:
  using Kinds = std::map<std::pair<std::string, std::uint32_t>, double>;
  static Kinds read_kinds(const nlohmann::json& worker, const std::string& where);

  std::string worker_;
  std::map<std::string, Kinds> rates_;  // by type of GPU
};

}  // namespace muster
