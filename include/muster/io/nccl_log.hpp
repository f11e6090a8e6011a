#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "muster/io/cost.hpp"

namespace muster {

/// One size of an nccl-tests run, timed out of place.
struct NcclRow {
  double bytes = 0;
  double us = 0;
};

/// What nccl-tests printed: its text, whose commented header names the columns (lines may have a launcher's
/// prefix, "0:" or "[1,0]<stdout>:"), or the JSON of -J. Throws InputError, `name` in front.
std::vector<NcclRow> read_nccl_log(std::string_view text, const std::string& name);

/// A calibration with the numbers fitted on logs that matter where they were measured.
struct ImportedCalibration {
  std::string json;
  std::size_t rows = 0;
  std::vector<std::string> fitted;           // "network/hop_us"
  double error_before = 0, error_after = 0;  // mean absolute relative error on the rows
};

/// `question` says where: fleet, placement, op, and the calibration to begin with. Written to `out`.
ImportedCalibration import_nccl_logs(const std::vector<std::string>& files,
                                     const CostQuestion& question, const std::string& out);

}  // namespace muster
