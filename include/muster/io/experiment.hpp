#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "muster/engine/simulate.hpp"
#include "muster/io/trace.hpp"
#include "muster/policy/parts/quota.hpp"
#include "muster/policy/policy.hpp"
#include "muster/topology/fleet.hpp"

namespace muster {

struct ResultOptions;

/// A policy that is ready to run, with the text that makes the same one again.
struct LoadedPolicy {
  std::unique_ptr<Policy> policy;
  std::string family;              // "batch"
  std::string name;                // what reports call it: "easy", or what the user wrote
  std::string about;               // one sentence, if whoever wrote it wrote one
  std::string json;                // {"family": "batch", all of its parameters}
  std::vector<std::string> given;  // the parameters that are set, and not left at their defaults
};

/// The value that a parameter of it has, as one writes it: easy, 4h, {"a": 8}.
std::string param_text(const LoadedPolicy& policy, const std::string& name);

/// The quotas of a policy, as far as it has such parameters.
QuotaOptions quotas_of(const LoadedPolicy& policy);

/// Everything one run needs.
struct Experiment {
  std::string name;
  Fleet fleet;
  Trace trace;
  LoadedPolicy policy;
  EngineOptions engine;
  std::uint64_t seed = 1;
  std::string json;  // the experiment with every value spelled out: reproduces the run
};

/// An experiment before anything of it is loaded: one JSON document with the parts /fleet,
/// /workload, /policy, /engine and /cost, each inline or named (a file, relative to the one it stands in;
/// what is shipped; a shorthand). docs/experiments.md describes it. Any value can be set, and
/// remembers where it came from, for messages. All functions throw InputError.
class ExperimentSpec {
 public:
  ExperimentSpec();  // without parts: set() them
  static ExperimentSpec read(const std::filesystem::path& file);
  /// `where` starts the messages; relative paths are relative to `folder`.
  static ExperimentSpec parse(std::string_view json, const std::string& where,
                              const std::filesystem::path& folder);
  /// What a run left in DIR/summary.json, to run it again. Its relative paths, which are relative to
  /// the folder in which it was called, are looked for from the working directory, then from each
  /// folder above DIR. `other_trace`: the run's own is not needed.
  static ExperimentSpec of_run(const std::filesystem::path& directory, bool other_trace = false);
  ~ExperimentSpec();
  ExperimentSpec(ExperimentSpec&&) noexcept;
  ExperimentSpec& operator=(ExperimentSpec&&) noexcept;
  ExperimentSpec(const ExperimentSpec&);  // a sweep varies copies
  ExperimentSpec& operator=(const ExperimentSpec&);

  /// "/policy/backfill=easy": a JSON pointer and a value, which is JSON or else plain text. Looks
  /// inside a part that is named by loading it first.
  void set(std::string_view assignment);
  /// The same, with what messages call it.
  void set(std::string_view pointer, std::string_view value, const std::string& where);
  /// The same for a value that is text whatever it looks like.
  void set_text(std::string_view pointer, std::string_view text, const std::string& where);
  /// Loads a plug-in (io/plugin.hpp) and notes it in /plugins; relative to the working directory.
  void add_plugin(const std::string& file, const std::string& where);
  bool has(std::string_view pointer) const;

  // Each part on its own, so that runs that differ in one part share the others.
  Fleet fleet() const;
  Trace workload() const;
  LoadedPolicy policy() const;
  EngineOptions engine() const;
  std::uint64_t seed() const;
  /// /name, or else the name of the file, or else of the trace and the policy.
  std::string name() const;
  /// /output/dir, or else out/<name>.
  std::filesystem::path out() const;
  /// Which files /output asks for.
  ResultOptions output() const;

  /// Throws where what stands beside the parts (name, about, output, seed) or the engine is wrong;
  /// load() begins with it.
  void check() const;

  /// The document with every parameter spelled out and every path relative to the working
  /// directory.
  std::string text() const;

  Experiment load() const;
  /// The same on a fleet and a trace that are loaded already, for runs that share them.
  Experiment load(Fleet fleet, Trace trace) const;

 private:
  struct Document;
  std::unique_ptr<Document> document_;
};

/// What load_fleet() takes, or the file of an experiment, of which it is the fleet.
Fleet load_fleet_or_experiments(const std::string& spec);

/// A policy as the command line names it: a file, a shipped preset (configs/policies), or a family
/// with parameters: "batch:backfill=easy,depth=50". `where` starts messages about it.
LoadedPolicy load_policy(const std::string& spec, const std::string& where = {});

/// What configs/policies holds.
struct PolicyPreset {
  std::string name, family, about;
};
std::vector<PolicyPreset> policy_presets();

/// All families with the schemas of their parameters, and all presets, as JSON.
std::string policies_json();

/// The JSON Schemas of an experiment and of a policy file. Generated from the parameters that
/// exist; configs/schema/ holds a copy.
std::string experiment_schema();
std::string policy_schema();

}  // namespace muster
