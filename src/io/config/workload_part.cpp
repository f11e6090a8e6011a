#include "io/config/workload_part.hpp"

#include <filesystem>

#include "io/config/parts.hpp"
#include "io/config/text_file.hpp"
#include "muster/core/error.hpp"
#include "muster/io/generate.hpp"
#include "muster/io/shipped.hpp"
#include "muster/io/text/time_zone.hpp"

namespace muster {
namespace fs = std::filesystem;
namespace {

constexpr const char* kGenerate = "/workload/generate";

/// Checks the keys. Afterwards there is either a trace or something to generate.
void check_keys(Document& experiment) {
  open_workload(experiment);
  const Json* workload = experiment.find("/workload");
  if (!workload)
    throw InputError(experiment.where(""), "no workload is given", "--trace T names a trace");
  experiment.know("/workload",
                  {"trace", "format", "options", "skip_bad_rows", "time_zone", "generate", "seed"},
                  "a workload");
  const bool trace = workload->contains("trace");
  if (trace == workload->contains("generate"))
    throw InputError(
        experiment.where("/workload"),
        trace ? "has both a \"trace\" and something to \"generate\"" : "\"trace\" is missing",
        trace ? "leave one of the two out" : "a trace's file; or \"generate\", what to make up");
  for (const auto& [key, value] : workload->items())
    if (!trace && key != "generate" && key != "seed")
      throw InputError(experiment.where("/workload/" + key), "is for traces that are read",
                       "this one is generated");
  if (trace && workload->contains("seed"))
    throw InputError(experiment.where("/workload/seed"), "is for traces that are generated",
                     "this one is read; /seed is the seed of the run");
}

fs::path trace_path(const Document& experiment) {
  if (experiment.text("/workload/trace") == "-") return "-";
  const fs::path path = experiment.path("/workload/trace");
  require_file(path, experiment.where("/workload/trace"));
  return path;
}

/// What is to be generated: a file, a shipped specification, or inline.
struct Specification {
  Json json;
  std::string where, name;
};

Specification specification(const Document& experiment) {
  const Json* value = experiment.find(kGenerate);
  if (value->is_object()) return {*value, experiment.where(kGenerate), "generated"};
  if (!value->is_string())
    experiment.expected(kGenerate, "a specification (an object, or its name)");
  const std::string name = experiment.text(kGenerate);
  fs::path file = shipped("generate", name);
  if (name.ends_with(".json")) file = experiment.path(kGenerate);
  if (file.empty())
    throw InputError(experiment.where(kGenerate),
                     "there is no trace to generate called \"" + name + "\"",
                     did_you_mean(name, shipped_names("generate")) + "\nor a .json file");
  return {without_nulls(parse_json(read_text(file, experiment.where(kGenerate)), file.string())),
          file.string(), file.stem().string()};
}

ReadOptions read_options(const Document& experiment) {
  ReadOptions options;
  options.format = experiment.text("/workload/format");
  options.skip_bad_rows = experiment.flag("/workload/skip_bad_rows", false);
  options.time_zone = experiment.text("/workload/time_zone");
  // Refused even where no time needs it: whoever writes it takes it to be used.
  if (!options.time_zone.empty())
    static_cast<void>(TimeZone::named(options.time_zone, experiment.where("/workload/time_zone")));
  if (const Json* extra = experiment.find("/workload/options")) {
    if (!extra->is_object()) experiment.expected("/workload/options", "an object");
    for (const auto& [key, value] : extra->items())
      options.extra[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return options;
}

/// What can't be generated names a key of its specification; the user wants the file, too.
Workload generated(const SyntheticSpec& spec, std::uint64_t seed, const std::string& where) {
  try {
    return generate(spec, seed);
  } catch (const InputError& error) {
    throw InputError(where, error.what());
  }
}

}  // namespace

Json workload_text(Document experiment) {
  check_keys(experiment);
  Json text = *experiment.find("/workload");
  if (text.contains("trace")) {
    text["trace"] = trace_path(experiment).string();
  } else {
    text["generate"] = specification(experiment).json;
  }
  return text;
}

Trace load_workload(Document experiment) {
  check_keys(experiment);
  if (experiment.find("/workload/trace"))
    return read_trace(trace_path(experiment), read_options(experiment));
  const Specification wanted = specification(experiment);
  const SyntheticSpec spec = parse_synthetic_spec(wanted.json.dump(), wanted.where);
  Trace trace;
  trace.workload = generated(spec, experiment.count("/workload/seed", spec.seed), wanted.where);
  trace.report.format = "generated";
  trace.report.source = wanted.name;
  trace.report.rows = trace.report.replayed = trace.workload.size();
  return trace;
}

std::string workload_name(Document experiment) {
  check_keys(experiment);
  if (experiment.find("/workload/trace")) return trace_path(experiment).filename().string();
  return specification(experiment).name;
}

}  // namespace muster
