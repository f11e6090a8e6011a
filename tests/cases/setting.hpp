#pragma once
#include <cmath>
#include <memory>

#include "case_file.hpp"
#include "muster/engine/simulate.hpp"
#include "muster/io/trace.hpp"
#include "muster/policy/parts/decayed_usage.hpp"

namespace muster::cases {

/// A variant turned into what simulate() takes.
struct Setting {
  Fleet fleet;
  Trace trace;
  std::string family = "batch";
  Json policy;  // its parameters
  EngineOptions engine;
  Duration default_estimate = kUnknown;
  std::map<std::string, std::int64_t> caps;     // GPUs by queue
  std::map<std::string, DecayedUsage> history;  // what users had used before the first submit
  Duration half_life = kUnknown;
  std::vector<int> worker_threads;
  std::vector<std::uint32_t> pins;  // by job: the node of its first run
  bool rows_are_lines = false;  // the trace's lines are numbered as in the case, not rows of ours
  std::string rack_word;        // what the case calls a leaf

  JobId job(const std::string& id) const;  // kNoJob if it is not replayed
};

Setting build(const Variant& variant);

/// The policy with these parameters. Throws InputError.
std::unique_ptr<Policy> make_policy(const std::string& family, const Json& params);

/// Case times are numbers of seconds.
inline Duration from_seconds(double s) {
  return Duration{static_cast<std::int64_t>(std::llround(s * 1e9))};
}

}  // namespace muster::cases
