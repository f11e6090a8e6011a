#pragma once
#include <string>

#include "muster/metrics/summary.hpp"

namespace muster {

struct TextOptions {
  bool colour = false;
  int width = 80;  // columns
};

/// What a person reads after a run, on one screen.
std::string summary_text(const Summary& summary, const TextOptions& options = {});

}  // namespace muster
