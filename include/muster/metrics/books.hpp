#pragma once
#include <memory>
#include <span>
#include <vector>

#include "muster/engine/simulate.hpp"
#include "muster/ledger/gpu_book.hpp"
#include "muster/ledger/wait_book.hpp"
#include "muster/metrics/job_book.hpp"
#include "muster/metrics/series.hpp"
#include "muster/metrics/spread.hpp"
#include "muster/metrics/summary.hpp"

namespace muster {

/// Both ledgers, the jobs' lines, the metrics and the series behind one observer:
///
///   Books books{fleet, workload, demands};
///   books.send_lines_to(results.jobs());                 // optional
///   const RunSummary run = simulate(..., books);
///   books.close(run);                                    // proves that the ledgers balance
///   results.commit(books.summary(), books.series());
///
/// It depends on records only (and on what never changes in a run), so it can be run again over a
/// stored event log. `fleet`, `workload` and `sink` must outlive it; `demands` (by ShapeId) is copied.
class Books final : public Observer {
 public:
  struct Options {
    std::size_t top = 20;  // queues and users listed; the others are summed
    std::size_t series_rows = 4096;
  };

  Books(const Fleet& fleet, const Workload& workload, std::span<const ShapeDemand> demands,
        const Options& options);
  Books(const Fleet& fleet, const Workload& workload, std::span<const ShapeDemand> demands)
      : Books(fleet, workload, demands, Options{}) {}
  ~Books() override;

  /// Before the run.
  void send_lines_to(JobSink& sink);

  void on(const Record& record) override;
  void node(const NodeRecord& record) override;
  void decided(const Decision& decision) override;
  /// A record of it comes soon.
  void expect(JobId job) const { jobs_.expect(job); }

  /// After the run, once: ends the window, proves the balance, writes the lines of jobs left over.
  void close(const RunSummary& run);

  Summary summary() const;  // after close()
  const Series& series() const { return series_; }
  const GpuBook& gpu_book() const { return gpus_; }
  const WaitBook& wait_book() const { return waits_; }

 private:
  /// One sink that feeds the metrics and, if there is one, the writer.
  class Fan final : public JobSink {
   public:
    explicit Fan(const Workload& workload) : outcomes(workload) {}
    void take(const JobLine& line) override;
    Outcomes outcomes;
    JobSink* next = nullptr;
  };

  void advance(SimTime t);

  const Fleet& fleet_;
  const Workload& workload_;
  std::vector<ShapeDemand> demands_;
  Options options_;
  GpuBook gpus_;
  WaitBook waits_;
  Fan fan_;
  JobBook jobs_;
  SpreadBook spread_;
  Series series_;
  RunSummary run_;
};

}  // namespace muster
