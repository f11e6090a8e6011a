#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// "backfill=easy,caps={...},depth=50" cut at the commas that separate assignments: those inside braces,
/// brackets and quotes belong to a value. At least one part, which may be empty.
std::vector<std::string> assignments(std::string_view text);

}  // namespace muster
