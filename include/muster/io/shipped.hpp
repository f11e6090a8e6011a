#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// The file of a configuration that comes with muster, or an empty path if there is none of that
/// name: shipped("fleets", "philly") is .../configs/fleets/philly.json.
///
/// Where: the directory named by the environment variable MUSTER_CONFIGS if it is set, else
/// share/muster/configs or configs above the program or above libmuster: the first is an
/// installation, the second a source tree with its build in it.
std::filesystem::path shipped(std::string_view kind, std::string_view name);

/// The names of a kind that shipped() finds, sorted. For listings and for "did you mean".
std::vector<std::string> shipped_names(std::string_view kind);

}  // namespace muster
