#pragma once
#include <span>
#include <string>

#include "muster/workload/workload.hpp"

namespace muster {

/// "a, b, c": the trace's names of these jobs; after the first eight " and 3 more".
inline std::string names_text(const Workload& w, std::span<const JobId> jobs) {
  constexpr std::size_t kNamed = 8;
  std::string text;
  for (const JobId j : jobs.first(jobs.size() < kNamed ? jobs.size() : kNamed))
    text += (text.empty() ? "" : ", ") + std::string{w.id_text(j)};
  if (jobs.size() > kNamed) text += " and " + std::to_string(jobs.size() - kNamed) + " more";
  return text;
}

}  // namespace muster
