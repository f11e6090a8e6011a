#include "muster/io/results.hpp"

#include <array>
#include <future>
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
    for (const Output& o : all())
      if (o.wanted == nullptr || options.*o.wanted) o.file->emplace(directory / o.name);
    if (jobs) rows.emplace(*jobs, workload);
  }

  struct Output {
    std::optional<ResultFile>* file;
    const char* name;
    bool ResultOptions::*wanted;  // null: always
  };
  std::array<Output, 8> all() {
    return {{{&jobs, "jobs.csv", &ResultOptions::jobs},
             {&series, "series.csv", &ResultOptions::series},
             {&ledger, "ledger.csv", &ResultOptions::ledger},
             {&events, "events.csv", &ResultOptions::events},
             {&ranks, "ranks.csv", &ResultOptions::ranks},
             {&timeline, "timeline.json", &ResultOptions::timeline},
             {&report, "report.html", &ResultOptions::report},
             {&summary, "summary.json", nullptr}}};
  }
  /// What an earlier run wrote here and this one does not would tell of another run than the rest.
  void remove_older() {
    std::error_code ignored;
    for (const Output& o : all())
      if (!*o.file) std::filesystem::remove(directory / o.name, ignored);
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
  std::future<void> jobs_done;  // comes to an end before what it works on does
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

void Results::finish_jobs(Bookkeeper bookkeeper) {
  // With both, later where no thread is to be had.
  const auto launch = bookkeeper == Bookkeeper::own_thread
                          ? std::launch::async | std::launch::deferred
                          : std::launch::deferred;
  files_->jobs_done = std::async(launch, [&f = *files_] {
    if (!f.rows) return;
    f.rows->finish();
    f.jobs->finish();
  });
}

void Results::commit(const Summary& summary, const Series& series) {
  Files& f = *files_;
  if (!f.jobs_done.valid()) finish_jobs(Bookkeeper::same_thread);
  if (f.series) write_series(*f.series, series);
  if (f.ledger) write_ledger(*f.ledger, summary);
  if (f.paces) f.paces->finish(summary.to);
  if (f.tracks) f.tracks->finish(summary.to);
  if (f.report) f.report->append(report_html(summary, series));
  f.summary->append(summary_json(summary));

  // All of them are complete before the first one gets its name.
  f.jobs_done.get();
  std::vector<std::filesystem::path> names;
  for (const auto& output : f.all()) {
    if (!*output.file) continue;
    if (output.file != &f.jobs) (*output.file)->finish();
    names.push_back((*output.file)->path());
  }
  f.remove_older();
  const PendingCommit pending(f.directory, names);
  for (const auto& output : f.all()) {
    if (!*output.file) continue;
    (*output.file)->commit();
    f.written.push_back((*output.file)->path());
  }
}

const std::vector<std::filesystem::path>& Results::written() const { return files_->written; }

}  // namespace muster
