#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace muster::fleet_formats {

/// Slurm's lists of names: "n[0-3,7],login,r[0-1]n[01-16]". Ranges keep the leading zeros of their
/// first number. In order, duplicates kept. Throws InputError, whose place is `where`.
std::vector<std::string> expand_hostlist(std::string_view list, const std::string& where);

}  // namespace muster::fleet_formats
