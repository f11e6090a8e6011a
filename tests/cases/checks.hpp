#pragma once
#include <string>
#include <vector>

#include "outcome.hpp"

namespace muster::cases {

/// What was compared, and what did not agree.
class Checks {
 public:
  void that(bool good, const std::string& otherwise) {
    ++made_;
    if (!good) wrong_.push_back(otherwise);
  }
  void equal(const std::string& what, const std::string& got, const std::string& want) {
    that(got == want, what + ": expected " + want + ", got " + got);
  }
  /// As exact as `want` is written: 0.4533 is rounded, 9.0 and 40 are not.
  void number(const std::string& what, double got, const Json& want);

  int made() const { return made_; }
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  int made_ = 0;
  std::vector<std::string> wrong_;
};

/// One variant, run, and where to put what is found.
struct Trial {
  const Variant& variant;
  const Setting& setting;
  const Outcome& outcome;
  Checks& checks;

  const Workload& workload() const { return setting.trace.workload; }
  /// Throws Unsupported if there is no such job.
  const JobOutcome& job(const std::string& id) const;
  SimTime from() const { return outcome.summary.first_submit; }
  SimTime end() const { return outcome.summary.end; }
};

/// Checks all sections of an `expect` block but "variants".
void check(const Json& expect, const Trial& trial);

// Parts of it, by section.
void check_metrics(const Json& metrics, const Trial& trial);
void check_reports(const Json& reports, const Trial& trial);
void check_errors(const Json& errors, const Trial& trial);
void check_warnings(const Json& warnings, const Trial& trial);
void check_parse(const Json& parse, const Trial& trial);
void check_placements(const Json& placements, const Trial& trial);
/// Sentences. What is understood is checked; the rest is for people.
void check_invariants(const Json& sentences, const Trial& trial);

// Measures that several parts use. Times end where the window does.
double held_gpu_s(const JobOutcome& job, SimTime from, SimTime to);
double overlap_s(const Run& run, SimTime from, SimTime to);

/// Whether `text` has `word` in it, and not as a part of a longer word or number.
bool names(const std::string& text, const std::string& word);

/// Decimal seconds, as cases write them: "0", "2.5".
std::string shown(double seconds);
inline std::string shown(SimTime t) { return t == kNever ? "never" : shown(seconds(t)); }

}  // namespace muster::cases
