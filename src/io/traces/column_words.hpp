#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// The column of the canonical CSV that somebody who calls it `name` may mean: by the words that are
/// in use for it, else by spelling. Empty if none is near.
std::string canonical_column(std::string_view name);

/// Advice about a header line of column names that no reader knows: which of them the canonical CSV
/// has, which it needs, and what may be meant. Empty if the line does not look like such a header.
std::string header_advice(std::string_view line);

}  // namespace muster
