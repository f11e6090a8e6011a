#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::fleet_formats {

/// One line of a configuration file of Slurm, continuation lines joined: Key=Value pairs.
struct SlurmLine {
  std::vector<std::pair<std::string, std::string>> pairs;  // keys in lower case
  std::string at;                                          // "topology.conf:12"

  bool begins_with(std::string_view key) const { return pairs.front().first == key; }
  /// Null if the line has no such key (in lower case).
  const std::string* find(std::string_view key) const;
};

/// The lines that say something. A word without "=" gets an empty value.
std::vector<SlurmLine> slurm_lines(std::string_view text, std::string_view where);

}  // namespace muster::fleet_formats
