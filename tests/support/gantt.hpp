#pragma once
#include <map>
#include <string>
#include <vector>

#include "support/jobs.hpp"
#include "support/simulation.hpp"

namespace muster::test {

/// Draws a run as text: a row per node, a column per step, and in each cell the letter of the job
/// that holds any GPU there at the beginning of the step ('.' nobody, '*' several).
class Gantt final : public Observer {
 public:
  Gantt(const Workload& w, std::size_t nodes, Duration step) : w_(w), rows_(nodes), step_(step) {}

  void on(const Record& r) override {
    if (r.what == Record::What::start)
      open_[r.job] = {r.at, {r.placement.begin(), r.placement.end()}};
    if ((r.what == Record::What::stop || r.what == Record::What::end) && open_.count(r.job))
      draw(r.job, r.at);
    if (r.what == Record::What::reshape) {
      draw(r.job, r.at);
      open_[r.job] = {r.at, {r.placement.begin(), r.placement.end()}};
    }
  }

  std::string text() const {
    std::size_t width = 0;
    for (const std::string& row : rows_) width = std::max(width, row.size());
    std::string out = "\n";
    for (const std::string& row : rows_)
      out += "|" + row + std::string(width - row.size(), '.') + "|\n";
    return out;
  }

 private:
  void draw(JobId j, SimTime end) {
    const auto& [begin, slices] = open_.at(j);
    // Columns whose first instant lies in [begin, end).
    const auto column = [&](SimTime t) {
      return static_cast<std::size_t>((t - kStart + step_ - Duration{1}) / step_);
    };
    for (const Slice& s : slices)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        for (std::size_t c = column(begin); c < column(end); ++c)
          mark(rows_[n], c, w_.id_text(j).back());
    open_.erase(j);
  }
  static void mark(std::string& row, std::size_t column, char letter) {
    if (row.size() <= column) row.resize(column + 1, '.');
    row[column] = row[column] == '.' ? letter : '*';
  }

  const Workload& w_;
  std::vector<std::string> rows_;
  Duration step_;
  std::map<JobId, std::pair<SimTime, std::vector<Slice>>> open_;
};

/// The picture of `jobs` under a policy; 10 s a column.
inline std::string schedule(const std::string& spec, const std::vector<TestJob>& jobs,
                            const Fleet& fleet, const EngineOptions& options = {}) {
  const auto p = policy(spec);
  const Workload w = prepared(workload(jobs), *p);
  Gantt gantt(w, fleet.nodes.size(), std::chrono::seconds{10});
  simulate(fleet, w, *p, options, gantt);
  return gantt.text();
}

}  // namespace muster::test
