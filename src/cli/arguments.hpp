#pragma once
#include <CLI/CLI.hpp>

#include "muster/core/error.hpp"

namespace muster::cli {

/// What CLI11 found wrong with the arguments, in our words.
InputError wrong_arguments(const CLI::App& app, const CLI::ParseError& error);

/// InputError for "--flag=" with nothing behind it, whose value would be the next argument.
void refuse_empty_values(int argc, const char* const* argv);

/// InputError for the first argument that nobody asked for, if there is one: an unknown subcommand,
/// an unknown flag, a word too many.
void refuse_leftovers(const CLI::App& app);

}  // namespace muster::cli
