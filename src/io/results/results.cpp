#include "muster/io/results.hpp"

#include <array>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "io/results/events_csv.hpp"
#include "io/results/jobs_csv.hpp"
#include "io/results/pending_commit.hpp"
#include "io/results/ranks_csv.hpp"
#include "io/results/report_html.hpp"
#include "io/results/result_file.hpp"
#include "io/results/tables.hpp"
#include "io/results/timeline_json.hpp"
#include "muster/core/error.hpp"
#include "muster/engine/listeners.hpp"

namespace muster {
namespace {

class Nowhere final : public JobSink {
 public:
  void take(const JobLine&) override {}
};

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::error_code ignored;
  if (std::filesystem::is_directory(directory, ignored)) return;
  const bool occupied = std::filesystem::exists(directory, ignored);
  throw InputError(directory.string(),
                   occupied ? "is a file; results need a directory"
                            : "cannot make the directory: " + error.message(),
                   "choose another place with --out");
}

}  // namespace

/// The temporary files exist from the start: a place that can't be written is found before the run.
struct Results::Files {
  Files(const std::filesystem::path& at, const Workload& all_jobs, const ResultOptions& options)
      : directory(at), workload(all_jobs) {
    if (options.jobs) {
      jobs.emplace(directory / "jobs.csv");
      rows.emplace(*jobs, workload);
    }
    if (options.series) series.emplace(directory / "series.csv");
    if (options.ledger) ledger.emplace(directory / "ledger.csv");
    if (options.events) events.emplace(directory / "events.csv");
    if (options.ranks) ranks.emplace(directory / "ranks.csv");
    if (options.timeline) timeline.emplace(directory / "timeline.json");
    if (options.report) report.emplace(directory / "report.html");
    summary.emplace(directory / "summary.json");
  }

  std::array<std::optional<ResultFile>*, 8> all() {
    return {&jobs, &series, &ledger, &events, &ranks, &timeline, &report, &summary};
  }
  /// What an earlier run wrote here and this one does not would tell of another run than the rest.
  void remove_older() const {
    const std::pair<const std::optional<ResultFile>&, const char*> optional[] = {
        {jobs, "jobs.csv"},     {series, "series.csv"}, {ledger, "ledger.csv"},
        {events, "events.csv"}, {ranks, "ranks.csv"},   {timeline, "timeline.json"},
        {report, "report.html"}};
    std::error_code ignored;
    for (const auto& [file, name] : optional)
      if (!file) std::filesystem::remove(directory / name, ignored);
  }

  const std::filesystem::path directory;
  const Workload& workload;
  std::optional<ResultFile> jobs, series, ledger, events, ranks, timeline, report, summary;
  std::optional<JobsCsv> rows;
  Nowhere nowhere;
  std::optional<EventsCsv> event_rows;
  std::optional<RanksCsv> paces;
  std::optional<TimelineJson> tracks;
  std::optional<Listeners> history;
  std::vector<std::filesystem::path> written;
};

Results::Results(const std::filesystem::path& directory, const Workload& workload,
                 const ResultOptions& options) {
  make_directory(directory);
  complete_commit(directory);
  files_ = std::make_unique<Files>(directory, workload, options);
}

Results::~Results() = default;

JobSink& Results::jobs() {
  if (files_->rows) return *files_->rows;
  return files_->nowhere;
}

Observer* Results::history(const Fleet& fleet) {
  Files& f = *files_;
  std::vector<Observer*> all;
  if (f.events) all.push_back(&f.event_rows.emplace(*f.events, fleet, f.workload));
  if (f.ranks) all.push_back(&f.paces.emplace(*f.ranks, fleet, f.workload));
  if (f.timeline) all.push_back(&f.tracks.emplace(*f.timeline, fleet, f.workload));
  if (all.empty()) return nullptr;
  return &f.history.emplace(std::move(all));
}

void Results::commit(const Summary& summary, const Series& series) {
  Files& f = *files_;
  if (f.rows) f.rows->finish();
  if (f.series) write_series(*f.series, series);
  if (f.ledger) write_ledger(*f.ledger, summary);
  if (f.paces) f.paces->finish(summary.to);
  if (f.tracks) f.tracks->finish(summary.to);
  if (f.report) f.report->append(report_html(summary, series));
  f.summary->append(summary_json(summary));

  // All of them are complete before the first one gets its name.
  std::vector<std::filesystem::path> names;
  for (std::optional<ResultFile>* file : f.all())
    if (*file) (*file)->finish(), names.push_back((*file)->path());
  f.remove_older();
  const PendingCommit pending(f.directory, names);
  for (std::optional<ResultFile>* file : f.all()) {
    if (!*file) continue;
    (*file)->commit();
    f.written.push_back((*file)->path());
  }
}

const std::vector<std::filesystem::path>& Results::written() const { return files_->written; }

}  // namespace muster
