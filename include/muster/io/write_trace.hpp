#pragma once
#include <filesystem>

#include "muster/workload/workload.hpp"

namespace muster {

/// Writes a workload as canonical CSV into a file: whole or not at all, compressed if the name ends
/// in .gz or .zst, and always the same bytes. "-" is the standard output. Throws InputError.
void write_trace(const Workload& workload, const std::filesystem::path& file);
/// The same for its table of throughputs, the file that stands beside a canonical CSV.
void write_throughputs(const Workload& workload, const std::filesystem::path& file);

}  // namespace muster
