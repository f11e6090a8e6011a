#include "muster/metrics/books.hpp"

#include <algorithm>

namespace muster {
namespace {

constexpr std::size_t kRejectionsShown = 20;

}  // namespace

Books::Books(const Fleet& fleet, const Workload& workload, std::span<const ShapeDemand> demands,
             const Options& options)
    : fleet_(fleet),
      workload_(workload),
      demands_(demands.begin(), demands.end()),
      options_(options),
      gpus_(fleet, workload, demands_),
      waits_(workload),
      fan_(workload),
      jobs_(workload, demands_, gpus_, waits_, fan_),
      spread_(fleet, workload),
      series_(options.series_rows) {}

Books::~Books() = default;

void Books::send_lines_to(JobSink& sink) { fan_.next = &sink; }

void Books::Fan::take(const JobLine& line) {
  outcomes.take(line);
  if (next != nullptr) next->take(line);
}

void Books::on(const Record& record) {
  advance(record.at);
  jobs_.on(record);
  spread_.on(record);
}

void Books::node(const NodeRecord& record) {
  advance(record.at);
  gpus_.node(record);
}

void Books::decided(const Decision& decision) {
  advance(decision.at);
  jobs_.decided(decision);
}

/// The series sees each stretch of time just before the GPU book enters it.
void Books::advance(SimTime t) {
  if (!gpus_.opened() || t <= gpus_.now()) return;
  series_.add(gpus_.now(), t, gpus_.levels());
  gpus_.advance(t);
}

void Books::close(const RunSummary& run) {
  run_ = run;
  advance(run.end);
  gpus_.end_window(run.end);
  jobs_.close(gpus_.now(), run.open_runs);
  gpus_.prove();
}

Summary Books::summary() const {
  Summary s;
  s.fingerprint = run_.fingerprint;
  s.records = run_.records;
  s.passes = run_.passes;
  s.fleet = fleet_.name;
  s.installed_milli = gpus_.installed_milli();
  s.from = gpus_.from();
  s.to = gpus_.now();
  s.stopped_early = run_.stopped_early;

  const Outcomes& outcomes = fan_.outcomes;
  s.jobs = workload_.size();
  s.states = outcomes.states();
  s.all = outcomes.all();
  s.by_size = outcomes.by_size();
  s.by_queue = outcomes.by_queue(options_.top);
  s.by_user = outcomes.by_user(options_.top);
  s.fairness = outcomes.fairness();
  s.preemptions = outcomes.preemptions();
  s.interruptions = outcomes.interruptions();
  s.restarts = outcomes.restarts();
  s.ettr = outcomes.ettr();
  s.reliability = outcomes.reliability();
  s.outages = run_.outages;
  s.reservations = run_.reservations;
  s.stragglers = run_.stragglers;
  s.own_failures = run_.own_failures;
  s.reshapes = outcomes.reshapes();

  s.gpu_time = gpus_.times();
  s.useful_gpu_time = gpus_.useful();
  s.wait_time = waits_.times();
  s.spread = spread_.times();
  s.waited = spread_.waited();

  const auto text = [&](JobId j) { return std::string{workload_.id_text(j)}; };
  s.broken_promises = run_.broken_promises;
  for (const Finding& f : run_.findings) {
    s.findings.push_back({f.kind, f.from, f.to, {}, f.text});
    for (const JobId j : f.jobs) s.findings.back().jobs.push_back(text(j));
  }
  s.rejected = s.count(JobState::rejected);
  for (std::size_t i = 0; i < std::min(run_.rejections.size(), kRejectionsShown); ++i) {
    const Rejection& r = run_.rejections[i];
    s.rejections.push_back({text(r.job), r.code, r.text});
  }
  s.warnings = run_.warnings;
  return s;
}

}  // namespace muster
