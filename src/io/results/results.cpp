#include "muster/io/results.hpp"

#include <optional>
#include <system_error>

#include "io/results/jobs_csv.hpp"
#include "io/results/result_file.hpp"
#include "io/results/tables.hpp"
#include "muster/core/error.hpp"

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
  Files(const std::filesystem::path& directory, const Workload& workload,
        const ResultOptions& options) {
    if (options.jobs) {
      jobs.emplace(directory / "jobs.csv");
      rows.emplace(*jobs, workload);
    }
    if (options.series) series.emplace(directory / "series.csv");
    if (options.ledger) ledger.emplace(directory / "ledger.csv");
    summary.emplace(directory / "summary.json");
  }

  std::optional<ResultFile> jobs, series, ledger, summary;
  std::optional<JobsCsv> rows;
  Nowhere nowhere;
  std::vector<std::filesystem::path> written;
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

void Results::commit(const Summary& summary, const Series& series) {
  Files& f = *files_;
  if (f.rows) f.rows->finish();
  if (f.series) write_series(*f.series, series);
  if (f.ledger) write_ledger(*f.ledger, summary);
  f.summary->append(summary_json(summary));

  // All of them are complete before the first one gets its name.
  for (std::optional<ResultFile>* file : {&f.jobs, &f.series, &f.ledger, &f.summary})
    if (*file) (*file)->finish();
  for (std::optional<ResultFile>* file : {&f.jobs, &f.series, &f.ledger, &f.summary}) {
    if (!*file) continue;
    (*file)->commit();
    f.written.push_back((*file)->path());
  }
}

const std::vector<std::filesystem::path>& Results::written() const { return files_->written; }

}  // namespace muster
