#pragma once
#include <string_view>

namespace muster {

class TraceInput;

/// "#job id,arrival time (sec),topology,shape,size,duration (sec)": the layout in which the jobs of
/// two clusters (Philly, Lingjun) were published for topology studies.
inline constexpr std::string_view kClosListHeader =
    "#job id,arrival time (sec),topology,shape,size,duration (sec)";

void read_clos_list(TraceInput& in);

}  // namespace muster
