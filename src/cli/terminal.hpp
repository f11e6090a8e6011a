#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "muster/metrics/text.hpp"

namespace muster::cli {

bool is_terminal(std::FILE* stream);
/// Colour only on a terminal, and not if NO_COLOR is set; as wide as the terminal is.
TextOptions text_options();

/// To the standard output. (What goes wrong there is found by main() at the end.)
void print(std::string_view text);

}  // namespace muster::cli
