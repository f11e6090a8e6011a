#pragma once
#include <cstdint>
#include <string_view>

#include "muster/io/text/cell.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// "2-03:04:05", "01:02:03", "04:30", "04:30.250": [days-][hours:]minutes:seconds.
Duration slurm_duration(Cell cell);

/// "COMPLETED", "CANCELLED by 4242", "TIMEOUT", ...; unknown for what Slurm does not say.
Outcome outcome_of_slurm_state(std::string_view state);
/// The same for the numbers of Slurm's database.
Outcome outcome_of_slurm_code(std::int64_t code);

/// Whether a state means that the job has not started (or never will have).
bool is_pending_state(std::string_view state);

/// GPUs in a TRES text: "cpu=64,gres/gpu=8,gres/gpu:h100=8" -> 8 (the same GPUs, named twice).
std::uint32_t gpus_of_tres(Cell cell);
/// The one type all of them are of: "h100"; "" if none or several are named.
std::string_view gpu_type_of_tres(std::string_view tres);

/// GPUs in a numeric TRES text, "1=20,1002=2", given the ids that are GPUs ("1001,1002").
std::uint32_t gpus_of_tres_ids(Cell cell, std::string_view gpu_ids);

/// A time that Slurm does not know: "", "Unknown", "None", "N/A".
bool is_unknown_time(std::string_view text);

}  // namespace muster
