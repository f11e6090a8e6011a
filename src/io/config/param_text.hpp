#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace muster {

/// The values a parameter may have, as messages and tables show them: "1..1000", ">= 0", "<= 1", or
/// nothing where the type is the only limit.
std::string range_text(std::int64_t least, std::int64_t most);
std::string range_text(double least, double most);

std::string joined(std::span<const std::string_view> words, std::string_view between);

}  // namespace muster
