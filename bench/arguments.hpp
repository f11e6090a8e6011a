#pragma once
// The command line of a bench: what it measures is its --help, and what it does not know it refuses.

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

namespace muster::bench {

class Arguments {
 public:
  /// `name`: of the program. `measures`: what it prints, for --help.
  Arguments(const std::string& name, const std::string& measures) : app_(measures, name) {
    app_.get_formatter()->column_width(28);
  }
  CLI::App& app() { return app_; }
  /// Exits 0 after --help, 2 after what is wrong.
  void parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& end) {
      std::exit(app_.exit(end) == 0 ? 0 : 2);
    }
  }

 private:
  CLI::App app_;
};

}  // namespace muster::bench
