#include <cmath>

#include "io/results/csv.hpp"
#include "io/results/decimal.hpp"
#include "io/results/result_file.hpp"
#include "muster/lab/compare.hpp"

namespace muster {
namespace {

/// Cells of a row, one after the other.
class Row {
 public:
  void text(std::string_view value) {
    std::string cell(longest_csv(value), '\0');
    cell.resize(static_cast<std::size_t>(put_csv(cell.data(), value) - cell.data()));
    add(cell);
  }
  void number(std::uint64_t value) { add(std::to_string(value)); }
  void billionths(std::int64_t value) { add(to_decimal(value, 9)); }
  void billionths(const Statistics& s, std::int64_t value) {
    add(s.count == 0 ? "" : to_decimal(value, 9));
  }
  void gpu_hours(Int128 time) { add(decimal::shortest(static_cast<double>(time) / 3600e12)); }
  void ratio(double value) { add(decimal::shortest(value)); }
  void nothing() { add(""); }
  std::string line() && { return std::move(line_) + "\n"; }

 private:
  void add(std::string_view cell) {
    if (!first_) line_ += ',';
    first_ = false;
    line_ += cell;
  }
  std::string line_;
  bool first_ = true;
};

constexpr std::string_view kHeader =
    "policy,jobs,completed,killed,rejected,wait_mean_s,wait_p50_s,wait_p95_s,wait_p99_s,jct_mean_s,"
    "jct_p50_s,"
    "jct_p95_s,jct_p99_s,bounded_slowdown_mean,utilisation,goodput,jain_fairness,preemptions,"
    "lost_gpu_h,network_gpu_h,broken_promises,across_leaves,across_pods,"
    "node_bytes,leaf_bytes,pod_bytes,makespan_s,fingerprint,"
    "note\n";
constexpr std::size_t kValues = 27;  // between the policy and the note

void put_values(Row& row, const Summary& s) {
  row.number(s.jobs);
  row.number(s.count(JobState::completed));
  row.number(s.count(JobState::timeout));
  row.number(s.rejected);
  const Group& all = s.all;
  for (const std::int64_t v : {all.wait.mean, all.wait.p50, all.wait.p95, all.wait.p99})
    row.billionths(all.wait, v);
  for (const std::int64_t v : {all.jct.mean, all.jct.p50, all.jct.p95, all.jct.p99})
    row.billionths(all.jct, v);
  row.billionths(all.bounded_slowdown, all.bounded_slowdown.mean);
  row.ratio(share(s.allocated(), s.available()));
  row.ratio(share(s.useful_gpu_time, s.available()));
  if (all.bounded_slowdown.count == 0)
    row.nothing();
  else
    row.ratio(s.fairness);
  row.number(s.preemptions);
  row.gpu_hours(s.gpu_time[static_cast<std::size_t>(GpuClass::lost)]);
  row.gpu_hours(s.gpu_time[static_cast<std::size_t>(GpuClass::run_comm)]);
  row.number(s.broken_promises);
  for (const Level level : {Level::leaf, Level::pod})
    if (const auto part = s.across(level))
      row.ratio(*part);
    else
      row.nothing();
  for (const double Traffic::*bytes : {&Traffic::nodes, &Traffic::leaves, &Traffic::pods})
    if (s.traffic)
      row.ratio(std::round((*s.traffic).*bytes));
    else
      row.nothing();
  row.billionths(s.window().count());
  row.text(fingerprint_text(s.fingerprint));
}

}  // namespace

std::filesystem::path comparison_file(const std::filesystem::path& out) {
  return out / "compare.csv";
}

void write_comparison(const std::filesystem::path& file, std::span<const Compared> runs) {
  ResultFile out{file};
  out.append(kHeader);
  for (const Compared& run : runs) {
    Row row;
    row.text(run.policy);
    if (run.summary)
      put_values(row, *run.summary);
    else
      for (std::size_t i = 0; i < kValues; ++i) row.nothing();
    row.text(comparison_note(run));
    out.append(std::move(row).line());
  }
  out.finish();
  out.commit();
}

}  // namespace muster
