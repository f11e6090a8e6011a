#include "muster/io/results.hpp"

#include <array>
#include <future>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "io/results/directory_lock.hpp"
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
      : lock(at), directory(at), workload(all_jobs) {
    complete_commit(directory);
    for (const Output& o : all())
      if (o.wanted == nullptr || options.*o.wanted) o.file->emplace(directory / o.name);
    if (jobs) rows.emplace(*jobs, workload);
    remove_partials();
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
  /// Of a run that was killed, in files that this one does not write.
  void remove_partials() {
    std::error_code ignored;
    for (const Output& o : all())
      if (!*o.file)
        std::filesystem::remove(directory / (std::string{o.name} + ".partial"), ignored);
  }

  const DirectoryLock lock;  // first: nobody else has files here
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

  // All of them are complete before the first one gets its name. What an earlier run wrote here and
  // this one does not would tell of another run than the rest.
  f.jobs_done.get();
  // All are written before the first one is waited for: one commit of the file system's journal has them all.
  for (const auto& output : f.all())
    if (*output.file && output.file != &f.jobs) (*output.file)->flush();
  PendingCommit pending;
  for (const auto& output : f.all()) {
    if (!*output.file) {
      pending.removed.push_back(f.directory / output.name);
      continue;
    }
    ResultFile& file = **output.file;
    if (output.file != &f.jobs) file.finish();
    f.written.push_back(file.path());
    if (file.to_be_named()) pending.named.push_back(file.path());
  }
  pending.announce(f.directory);
  for (const auto& output : f.all())
    if (*output.file) (*output.file)->hand_over();
  complete_commit(f.directory);
}

const std::vector<std::filesystem::path>& Results::written() const { return files_->written; }

}  // namespace muster
