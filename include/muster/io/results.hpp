#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "muster/metrics/batches.hpp"
#include "muster/metrics/job_line.hpp"
#include "muster/metrics/series.hpp"
#include "muster/metrics/summary.hpp"

namespace muster {

struct ResultOptions {
  bool jobs = true, series = true, ledger = true, report = true;  // summary.json is always written
  bool events = false, timeline = false;  // these grow with everything that happens
  bool ranks = false;
};

/// The files of one run in one directory: summary.json, jobs.csv, series.csv, ledger.csv, report.html,
/// and if asked for events.csv, ranks.csv and timeline.json.
/// They are written under temporary names; only commit() gives them their own. Without it they are
/// removed, so a run that fails or is stopped leaves no half file and spoils no older result.
///
/// Throws InputError if the directory cannot be made or written, or the disk is full.
class Results {
 public:
  /// Makes the directory and opens jobs.csv, so that what is wrong with it is said before the run.
  /// `workload` must outlive this.
  Results(const std::filesystem::path& directory, const Workload& workload,
          const ResultOptions& options = {});
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  /// Where the jobs' lines go; jobs.csv has them in the order of the trace.
  JobSink& jobs();

  /// Who has to listen to the run for events.csv, ranks.csv and timeline.json; nullptr if none is asked for.
  /// `fleet` must outlive this.
  Observer* history(const Fleet& fleet);

  /// Every job's line is told: the rest of jobs.csv is written, on a thread of its own beside all that
  /// comes before commit() needs it, or when commit() does. Faults come from commit().
  void finish_jobs(Bookkeeper bookkeeper);

  /// Writes the other files and names them all; summary.json last, so where it is, all are.
  void commit(const Summary& summary, const Series& series);

  /// What commit() has written, in that order.
  const std::vector<std::filesystem::path>& written() const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

/// The text of summary.json ("muster.summary/1", see docs/results.md): exact decimals, and the same
/// bytes for the same run.
std::string summary_json(const Summary& summary);

}  // namespace muster
