#pragma once
#include <cstdint>
#include <string>

#include "muster/metrics/summary.hpp"

namespace muster {

struct TextOptions {
  bool colour = false;
  int width = 80;  // columns
};

/// "48 s", "37.2 min", "3.2 h", "12.5 d": three or so digits.
std::string length_text(Duration d);
/// "87.3 %"
std::string percent_text(double ratio);

/// What became of what was slow: "5 episodes; 3 alarms, 1 of them false; 2 nodes replaced". Empty if
/// nothing was.
std::string stragglers_text(const StragglerCounts& stragglers);
/// "12 attempts failed by themselves, after 2 of which the job was given up; 3.4 GPU-hours lost". Empty if none did.
std::string own_failures_text(const OwnFailures& failures);

/// 16 hexadecimal digits.
std::string fingerprint_text(std::uint64_t fingerprint);

/// What a person reads after a run, on one screen.
std::string summary_text(const Summary& summary, const TextOptions& options = {});

}  // namespace muster
