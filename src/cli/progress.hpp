#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "muster/engine/simulate.hpp"

namespace muster::cli {

/// While one exists, Ctrl-C asks the run to end in order; a second one ends the program at once.
class CatchInterrupt {
 public:
  CatchInterrupt();
  ~CatchInterrupt();
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;
  static bool asked();
};

/// One line on the terminal (none in a pipe) that says how far a run is and how long it will take.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const Progress& progress);
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool due() const;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

/// "412,000 of 1,000,000 jobs ended, 1.2 M jobs/s, day 12 of the trace, 3 s left"
std::string progress_text(const Progress& progress, double elapsed_s);

}  // namespace muster::cli
