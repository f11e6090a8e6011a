#pragma once
#include <string>
#include <string_view>

#include "io/config/json_text.hpp"

namespace muster {

/// The same as parse_json(), in linear time. nlohmann's parser walks over all earlier elements of an
/// array at the end of each one as soon as a callback watches it, which takes 15 s for a list of
/// 80,000 nodes.
Json parse_long_json(std::string_view text, const std::string& where);

}  // namespace muster
