#pragma once
#include <map>
#include <string>
#include <string_view>

#include "io/traces/pollux_profile.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/workload/curves.hpp"

namespace muster {

/// The profiles of all applications: from tar archives, or file by file from beside the trace.
class PolluxProfiles {
 public:
  explicit PolluxProfiles(const TraceInput& in);

  struct Application {
    PolluxTraining training;
    std::map<std::string, PolluxProfile> on;  // by type of GPU
  };
  /// Null if there is none, or nothing is known of its training.
  const Application* find(const std::string& name);

 private:
  void load_beside(const std::string& name);
  void take(std::string path, const std::string& text);

  const TraceInput& in_;
  std::string folder_;   // where files are looked for; "": beside the trace
  bool packed_ = false;  // profiles come in an archive
  std::map<std::string, Application> applications_;
};

}  // namespace muster
