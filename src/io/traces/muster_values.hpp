#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/io/text/cell.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// The words and small notations of the canonical CSV. Each throws RowError for what it is not.
Qos qos_of(Cell cell);                                         // empty: normal
Outcome outcome_of(Cell cell);                                 // empty: completed
std::string_view kind_of(Cell cell);                           // batch, service, interactive
MigId mig_of(Cell cell);                                       // "3g.40gb" -> 3g
std::uint64_t task_sum(Cell cell);                             // "4+8" -> 12; empty: 0
std::vector<std::string> id_list(Cell cell);                   // "a;b" or "a|b"
std::pair<std::uint32_t, std::uint32_t> gpu_range(Cell cell);  // "2-8" or "1|2|4"
std::vector<SizeRequest> size_list(Cell cell);                 // "10min:8;1h:4", by time
std::vector<Duration> time_list(Cell cell);                    // "2h;30min" or "2h|30min"

/// "leaf", "prefer:leaf", or both: "pod;prefer:leaf".
void set_locality(Cell cell, Shape& shape);
std::string locality_text(const Shape& shape);

}  // namespace muster
