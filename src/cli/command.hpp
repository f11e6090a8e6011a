#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace muster::cli {

/// Exit status (docs/cli.md).
inline constexpr int kDone = 0, kNo = 1, kInputWrong = 2, kMusterWrong = 3, kInterrupted = 130;

/// What a subcommand does once its flags are read.
using Action = std::function<int()>;

struct Command {
  std::string name, summary;
  std::string examples;                  // below its --help
  std::function<Action(CLI::App&)> add;  // declares the flags
};

/// All subcommands, in the order of --help.
inline std::map<int, Command>& commands() {
  static std::map<int, Command> all;
  return all;
}

/// `const AddCommand added{10, {"run", "...", "...", add}};` in its own file makes a subcommand.
struct AddCommand {
  AddCommand(int place, Command command) { commands()[place] = std::move(command); }
};

}  // namespace muster::cli
