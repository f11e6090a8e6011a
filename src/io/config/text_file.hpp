#pragma once
#include <filesystem>
#include <string>

namespace muster {

/// The whole of a configuration file. One that can't be read is an InputError that `where` begins.
std::string read_text(const std::filesystem::path& file, const std::string& where);

/// InputError unless there is such a file; names the nearest one in the same folder.
void require_file(const std::filesystem::path& file, const std::string& where);

}  // namespace muster
