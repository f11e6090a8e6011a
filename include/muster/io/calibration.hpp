#pragma once
#include <string>
#include <string_view>

#include "muster/cost/calibration.hpp"

namespace muster {

inline constexpr std::string_view kDefaultCalibration = "published";

/// A calibration: a .json file, or the name of one that is shipped in configs/calibration. `where`
/// starts the message if there is none. Throws InputError.
Calibration load_calibration(const std::string& spec, const std::string& where = "--calibration");
Calibration parse_calibration(std::string_view text, const std::string& where);

/// The text of the file that parse_calibration reads back the same.
std::string calibration_json(const Calibration& calibration);

}  // namespace muster
