// docs/presets.md shows what each preset does, drawn: a block
//
//     ```worked PRESET FLEET [COLUMN]
//     job,submit,gpus,duration       a trace in canonical CSV
//     a,0,1,20
//
//     |aa|                           a row per node, 10 s a column if nothing else is said
//     ```
//
// (between them a table of throughputs, if there is one, which begins with its header as the trace does)
// is a run that must come out as drawn, and no preset is without one.

#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "muster/io/experiment.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace.hpp"
#include "muster/policy/prepare.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;

namespace {

struct Worked {
  int line;
  std::string preset, fleet, trace, table, drawn;
  Duration column = std::chrono::seconds{10};
};

std::vector<Worked> worked_cases(const std::string& page) {
  std::ifstream in{page};
  std::vector<Worked> found;
  enum { outside, trace, table, drawing } part = outside;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (part == outside && line.rfind("```worked ", 0) == 0) {
      std::istringstream words{line.substr(10)};
      Worked w{number, "", "", "", "", "\n", std::chrono::seconds{10}};
      std::string column;
      words >> w.preset >> w.fleet;
      if (words >> column) w.column = parse_time_span(column).value();
      found.push_back(w);
      part = trace;
    } else if (part != outside && line == "```") {
      part = outside;
    } else if ((part == trace || part == table) && line.empty()) {
      part = drawing;
    } else if (part != outside) {
      if (line.rfind("model,gpus,gpu_type", 0) == 0) part = table;
      Worked& w = found.back();
      (part == trace ? w.trace : part == table ? w.table : w.drawn) += line + "\n";
    }
  }
  return found;
}

}  // namespace

TEST_CASE("presets do what docs/presets.md draws, and none is left out") {
  std::set<std::string> missing;
  for (const PolicyPreset& preset : policy_presets()) missing.insert(preset.name);
  CHECK(missing.size() > 10);
  for (const Worked& w : worked_cases(MUSTER_SOURCE_DIR "/docs/presets.md")) {
    INFO("docs/presets.md:" << w.line << ": " << w.preset);
    missing.erase(w.preset.substr(0, w.preset.find(':')));
    const LoadedPolicy loaded = load_policy(w.preset);
    const Fleet fleet = load_fleet(w.fleet);
    ReadOptions options;
    if (!w.table.empty()) options.extra["throughputs"] = "its table";
    Workload jobs =
        read_trace_text(w.trace, "docs/presets.md", options, {{"its table", w.table}}).workload;
    keep_to_types_that_run(jobs, fleet);
    prepare(jobs, *loaded.policy);
    Gantt gantt{jobs, fleet.nodes.size(), w.column};
    simulate(fleet, jobs, *loaded.policy, {}, gantt);
    CHECK(gantt.text() == w.drawn);
  }
  std::string names;
  for (const std::string& name : missing) names += name + " ";
  CHECK(names == "");
}
