#include "muster/io/experiment.hpp"

#include <algorithm>

#include <utility>

#include "io/config/cost_part.hpp"
#include "io/config/disturbances_part.hpp"
#include "io/config/document.hpp"
#include "io/config/outages_part.hpp"
#include "io/config/parts.hpp"
#include "io/config/policy_part.hpp"
#include "io/config/read_params.hpp"
#include "io/config/text_file.hpp"
#include "io/config/workload_part.hpp"
#include "io/fleet/formats.hpp"
#include "io/results/pending_commit.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/plugin.hpp"
#include "muster/io/results.hpp"
#include "muster/policy/prepare.hpp"

namespace muster {
namespace fs = std::filesystem;

struct ExperimentSpec::Document : muster::Document {
  explicit Document(muster::Document document) : muster::Document(std::move(document)) {}
  const muster::Document& values() const { return *this; }
  fs::path file;  // the experiment's own; empty = made of flags
};

namespace {

/// Letters, digits and a few marks: safe as the name of a directory everywhere.
std::string plain(std::string text) {
  for (char& c : text) {
    const bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-' || c == '=';
    if (!safe) c = '-';
  }
  return text.empty() || text[0] == '.' ? "run" + text : text;
}

void know_output(const Document& document) {
  document.know("/output", {"dir", "report", "events", "timeline", "ranks"}, "the output");
}

constexpr Duration kLongestInterval = std::chrono::hours{24 * 366};

/// Reads the engine's options; the result has all of them.
Json read_engine(Document experiment, EngineOptions& options) {
  open_engine(experiment);
  const Json* engine = experiment.find("/engine");
  Json read = read_params_object(
      engine ? *engine : Json::object(), [&](ParamVisitor& visit) { options.walk(visit); },
      {"the engine", [&](std::string_view name) {
         return experiment.where("/engine" + (name.empty() ? "" : "/" + std::string{name}));
       }});
  if (options.horizon == Duration{})
    throw InputError(experiment.where("/engine/horizon"), "expected a time above 0, got 0",
                     "left out, the run goes on until all jobs have ended");
  if (options.scheduling_interval > kLongestInterval)
    throw InputError(experiment.where("/engine/scheduling_interval"), "expected at most 366 days",
                     "passes come at its multiples only, so until then every job waits");
  return read;
}

/// The fleet as text or, inline, as an object.
Json fleet_text(const Document& experiment) {
  const Json* fleet = experiment.find("/fleet");
  if (!fleet)
    throw InputError(experiment.where(""), "no fleet is given",
                     "--fleet FLEET names one: a file, a shipped one, or NODESxGPUS such as 64x8");
  if (fleet->is_object()) return *fleet;
  if (!fleet->is_string()) experiment.expected("/fleet", "a fleet (an object, or its name)");
  // A name may be a path, which is relative to the file that it stands in.
  const std::string name = experiment.text("/fleet");
  const fs::path path = experiment.path("/fleet");
  std::error_code error;
  if (name.ends_with(".json") || name.ends_with(".csv")) {
    require_file(path, experiment.where("/fleet"));
  } else if (path == name || !fs::is_regular_file(path, error)) {
    return name;
  }
  return path.string();
}

/// What to do if `file`, which is no experiment, is something else that is at hand.
std::string taken_for_experiment(const fs::path& file) {
  if (file.filename() == "summary.json")
    return "a run's summary is no experiment; what it has under \"experiment\" is one";
  if (file.extension() == ".json") return {};
  return "an experiment's JSON file is expected here; a trace is given with --trace " +
         file.string();
}

/// What `read` makes of the file of an experiment.
template <class Read>
Document read_document(const fs::path& file, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError("", error.what(), taken_for_experiment(file));
  }
}

Fleet fleet_of(const Document& experiment) {
  const Json fleet = fleet_text(experiment);
  if (fleet.is_string()) return load_fleet(fleet.get<std::string>());
  const std::string where = experiment.where("/fleet");
  return fleet_formats::fleet_of(fleet, where, where);
}

/// The files that a run's experiment names by relative paths.
std::vector<fs::path> files_named(const Json& experiment, bool with_trace) {
  std::vector<fs::path> files;
  const auto take = [&](const char* pointer) {
    const Json::json_pointer at{pointer};
    if (!experiment.contains(at) || !experiment.at(at).is_string()) return;
    const std::string name = experiment.at(at).get<std::string>();
    if (name != "-" && fs::path{name}.is_relative()) files.emplace_back(name);
  };
  if (with_trace) take("/workload/trace");
  take("/failures/trace");
  if (experiment.contains("fleet") && experiment.at("fleet").is_string())
    if (const std::string fleet = experiment.at("fleet").get<std::string>();
        fleet.ends_with(".json") || fleet.ends_with(".csv"))
      take("/fleet");
  return files;
}

/// Where a run was called, by where the files are that it names: here, or above its results.
fs::path folder_of_run(const std::vector<fs::path>& files, const fs::path& directory,
                       const std::string& where) {
  std::error_code error;
  const auto missing = [&](const fs::path& folder) {
    return std::find_if(files.begin(), files.end(),
                        [&](const fs::path& file) { return !fs::exists(folder / file, error); });
  };
  const auto first = missing("");
  if (first == files.end()) return {};
  for (fs::path above = fs::weakly_canonical(directory, error); above.has_relative_path();) {
    above = above.parent_path();
    if (missing(above) == files.end()) return above;
  }
  throw InputError(
      where,
      "the run's \"" + first->string() + "\" is neither here nor below a folder above its results",
      "call this where `muster run` was called, or say where things are with --trace "
      "and --fleet");
}

void set_value(Document& experiment, std::string_view pointer, Json value,
               const std::string& where) {
  if (const auto tokens = pointer_tokens(pointer, where); tokens.size() > 1)
    open_part(experiment, tokens[0]);
  experiment.set(std::string{pointer}, std::move(value), {where, "", ""});
  if (pointer.starts_with("/plugins")) load_plugins(experiment);
}

}  // namespace

ExperimentSpec::ExperimentSpec()
    : document_(std::make_unique<Document>(muster::Document{experiment_parts()})) {}
ExperimentSpec::~ExperimentSpec() = default;
ExperimentSpec::ExperimentSpec(ExperimentSpec&&) noexcept = default;
ExperimentSpec& ExperimentSpec::operator=(ExperimentSpec&&) noexcept = default;
ExperimentSpec::ExperimentSpec(const ExperimentSpec& other)
    : document_(std::make_unique<Document>(*other.document_)) {}
ExperimentSpec& ExperimentSpec::operator=(const ExperimentSpec& other) {
  if (this != &other) *document_ = *other.document_;
  return *this;
}

ExperimentSpec ExperimentSpec::read(const fs::path& file) {
  ExperimentSpec spec;
  *spec.document_ = Document{
      read_document(file, [&] { return muster::Document::read(file, experiment_parts()); })};
  spec.document_->file = file;
  load_plugins(*spec.document_);
  return spec;
}

ExperimentSpec ExperimentSpec::parse(std::string_view json, const std::string& where,
                                     const fs::path& folder) {
  ExperimentSpec spec;
  *spec.document_ = Document{muster::Document::parse(json, where, folder, experiment_parts())};
  load_plugins(*spec.document_);
  return spec;
}

ExperimentSpec ExperimentSpec::of_run(const fs::path& directory, bool other_trace) {
  complete_commit(directory);
  const fs::path file = directory / "summary.json";
  std::error_code error;
  if (!fs::is_directory(directory, error))
    throw InputError("--run", "there is no folder \"" + directory.string() + "\"",
                     "it takes the folder that `muster run` wrote its results to");
  if (!fs::exists(file, error))
    throw InputError(directory.string(),
                     "no run has left its results here: there is no summary.json",
                     "`muster run ... --out " + directory.string() + "` makes one");
  const Json summary = parse_json(read_text(file, ""), file.string());
  if (!summary.is_object() || !summary.contains("experiment") ||
      !summary.at("experiment").is_object())
    throw InputError(file.string(), "does not say which experiment it is the summary of");
  const Json& experiment = summary.at("experiment");
  const std::string where = file.string() + ": /experiment";
  return parse(experiment.dump(), where,
               folder_of_run(files_named(experiment, !other_trace), directory, where));
}

void ExperimentSpec::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos)
    throw InputError("--set " + std::string{assignment}, "expected POINTER=VALUE",
                     "for example --set /policy/depth=50");
  const std::string_view pointer = assignment.substr(0, equals);
  set(pointer, assignment.substr(equals + 1), "--set " + std::string{pointer});
}

void ExperimentSpec::set(std::string_view pointer, std::string_view value,
                         const std::string& where) {
  set_value(*document_, pointer, json_or_text(value, where), where);
}

void ExperimentSpec::set_text(std::string_view pointer, std::string_view text,
                              const std::string& where) {
  set_value(*document_, pointer, std::string{text}, where);
}

void ExperimentSpec::add_plugin(const std::string& file, const std::string& where) {
  Json all = load_plugins(*document_);
  all.push_back(file);
  load_plugin(file, where);
  document_->set("/plugins", std::move(all), {where, "", ""});
}

bool ExperimentSpec::has(std::string_view pointer) const { return document_->find(pointer); }

Fleet load_fleet_or_experiments(const std::string& spec) {
  std::error_code ignored;
  if (spec.ends_with(".json") && fs::is_regular_file(spec, ignored)) {
    Json read = parse_json(read_text(spec, ""), spec);
    if (read.is_object() && read.contains("fleet"))
      return fleet_of(read_document(spec, [&] {
        return Document::of(std::move(read), spec, fs::path{spec}.parent_path(),
                            experiment_parts());
      }));
    if (read.is_object() && (read.contains("workload") || read.contains("policy")))
      throw InputError(spec, "is an experiment without a fleet",
                       "add one, for example \"fleet\": \"16x8\"");
    return fleet_formats::fleet_of(without_nulls(std::move(read)),
                                   fs::path{spec}.lexically_normal().string(),
                                   fs::path{spec}.stem().string());
  }
  return load_fleet(spec);
}

Fleet ExperimentSpec::fleet() const { return fleet_of(*document_); }

Trace ExperimentSpec::workload() const { return load_workload(document_->values()); }

LoadedPolicy ExperimentSpec::policy() const { return make_policy(document_->values()); }

EngineOptions ExperimentSpec::engine() const {
  EngineOptions options;
  read_engine(document_->values(), options);
  read_cost(document_->values(), options.cost);
  return options;
}

std::uint64_t ExperimentSpec::seed() const { return document_->count("/seed", 1); }

std::string ExperimentSpec::name() const {
  if (has("/name")) return document_->text("/name");
  if (!document_->file.empty()) return document_->file.stem().string();
  const std::string file = workload_name(document_->values());
  // jobs.csv.gz -> jobs
  return plain(file.substr(0, file.find('.', 1)) + "-" + policy().name);
}

fs::path ExperimentSpec::out() const {
  know_output(*document_);
  if (has("/output/dir")) return document_->path("/output/dir");
  return fs::path{"out"} / plain(name());
}

ResultOptions ExperimentSpec::output() const {
  know_output(*document_);
  ResultOptions options;
  options.report = document_->flag("/output/report", options.report);
  options.events = document_->flag("/output/events", options.events);
  options.timeline = document_->flag("/output/timeline", options.timeline);
  options.ranks = document_->flag("/output/ranks", options.ranks);
  return options;
}

void ExperimentSpec::check() const {
  for (const char* text : {"/name", "/about", "/$schema"}) document_->text(text);
  static_cast<void>(output());
  if (has("/output/dir") && document_->text("/output/dir").empty())
    document_->expected("/output/dir", "the folder for the results");
  static_cast<void>(engine());
  static_cast<void>(seed());
}

std::string ExperimentSpec::text() const {
  EngineOptions options;
  const Json fleet = fleet_text(*document_);  // first: what is missing is said in this order
  Json all{{"name", name()}};
  if (has("/about")) all["about"] = document_->text("/about");
  if (has("/plugins")) all["plugins"] = load_plugins(*document_);
  all["fleet"] = fleet;
  all["workload"] = workload_text(document_->values());
  all["policy"] = parse_json(make_policy(document_->values()).json, "");
  all["engine"] = read_engine(document_->values(), options);
  if (has("/cost")) all["cost"] = read_cost(document_->values(), options.cost);
  disturbances_text(*document_, all);
  outages_text(*document_, all);
  all["seed"] = seed();
  return all.dump(2);
}

namespace {

/// All but the fleet and the trace: a wrong flag should not wait for a large trace.
Experiment cheap_parts(const ExperimentSpec& spec) {
  Experiment experiment;
  experiment.json = spec.text();
  experiment.name = spec.name();
  experiment.seed = spec.seed();
  experiment.engine = spec.engine();
  experiment.policy = spec.policy();
  return experiment;
}

Experiment completed(const Document& document, Experiment experiment, Fleet fleet, Trace trace) {
  experiment.fleet = std::move(fleet);
  experiment.trace = std::move(trace);
  experiment.engine.outages =
      read_outages(document, experiment.fleet, experiment.trace.workload, experiment.seed);
  if (experiment.engine.outages)
    check_outages(document, *experiment.engine.outages, *experiment.policy.policy,
                  experiment.policy.family, experiment.policy.name);
  read_trainings(document, experiment.trace.workload, experiment.engine.cost);
  experiment.engine.disturbances =
      read_disturbances(document, experiment.fleet, experiment.engine.cost, experiment.seed);
  keep_to_types_that_run(experiment.trace.workload, experiment.fleet);
  prepare(experiment.trace.workload, *experiment.policy.policy);
  return experiment;
}

}  // namespace

Experiment ExperimentSpec::load() const {
  check();
  Experiment experiment = cheap_parts(*this);
  Fleet with_fleet = fleet();
  return completed(*document_, std::move(experiment), std::move(with_fleet), workload());
}

Experiment ExperimentSpec::load(Fleet fleet, Trace trace) const {
  return completed(*document_, cheap_parts(*this), std::move(fleet), std::move(trace));
}

}  // namespace muster
