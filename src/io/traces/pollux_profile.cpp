#include "io/traces/pollux_profile.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/core/detmath.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::int64_t kMostBatch = 1'000'000'000;

double number(Cell cell) {
  const auto value = parse_real(cell.text);
  if (!value || !(*value >= 0) || *value > 1e15) bad_cell(cell, "a number of 0 or more");
  return *value;
}

std::uint32_t batch_in(Cell cell) { return static_cast<std::uint32_t>(whole(cell, 1, kMostBatch)); }

/// "1144": one GPU on each of two nodes, four on each of two more.
PolluxProfile::Where placement_in(Cell cell) {
  std::uint32_t gpus = 0;
  for (const char c : cell.text) {
    if (c < '1' || c > '9') bad_cell(cell, "a digit for each node: its GPUs");
    gpus += static_cast<std::uint32_t>(c - '0');
  }
  if (gpus == 0) bad_cell(cell, "a digit for each node: its GPUs");
  return {gpus, static_cast<std::uint32_t>(cell.text.size())};
}

/// Calls row(table) for each row.
template <class Row>
void each_row(LineReader& csv, Row row) {
  TraceTable table(csv);
  table.read_header();
  while (table.next()) {
    try {
      table.check();
      row(table);
    } catch (const RowError& error) {
      throw InputError(csv.where(), error.column + ": expected " + error.expected + ", got " +
                                        in_quotes(error.got));
    }
  }
}

/// On the straight line between the neighbours of `x` in a map; nothing outside of it.
template <class Map, class Value>
std::optional<double> between(const Map& points, double x, Value value) {
  const auto above =
      std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.first >= x; });
  if (above == points.end()) return std::nullopt;
  if (above->first == x) return value(above->second);
  if (above == points.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const double part = (x - below->first) / (above->first - below->first);
  return value(below->second) + (value(above->second) - value(below->second)) * part;
}

}  // namespace

void PolluxTraining::add_validation(std::uint32_t batch_size, LineReader& csv) {
  std::vector<double>& steps = steps_[batch_size];
  each_row(csv, [&](const TraceTable& t) { steps.push_back(number(t[t.column("iteration")])); });
  if (steps.empty()) throw InputError(csv.name(), "has no rows");
  epochs_ = std::min(epochs_, steps.size());
}

double PolluxTraining::steps(double batch_size) const {
  const double b = std::clamp<double>(batch_size, smallest_batch(), largest_batch());
  return *between(steps_, b, [&](const std::vector<double>& s) { return s[epochs_ - 1]; });
}

void PolluxProfile::add_placements(LineReader& csv) {
  each_row(csv, [&](const TraceTable& t) {
    add(placement_in(t[t.column("placement")]), batch_in(t[t.column("local_bsz")]),
        number(t[t.column("step_time")]), number(t[t.column("sync_time")]));
  });
}

void PolluxProfile::add_scalability(LineReader& csv) {
  each_row(csv, [&](const TraceTable& t) {
    const auto nodes = static_cast<std::uint32_t>(whole(t[t.column("num_nodes")], 1, kMostGpus));
    const auto gpus = static_cast<std::uint32_t>(whole(t[t.column("num_replicas")], 1, kMostGpus));
    add({gpus, nodes}, batch_in(t[t.column("local_bsz")]), number(t[t.column("step_time")]),
        number(t[t.column("sync_time")]));
  });
}

/// Rows for the same GPUs, nodes and batch size (other placements, that is) count as their mean.
void PolluxProfile::add(Where where, std::uint32_t local, double step, double sync) {
  Step& s = rows_[where][local];
  s.step += step;
  s.sync += sync;
  ++s.rows;
}

std::uint32_t PolluxProfile::least_local() const {
  std::uint32_t least = UINT32_MAX;
  for (const auto& [where, by_local] : rows_) least = std::min(least, by_local.begin()->first);
  return least;
}

std::optional<double> PolluxProfile::seconds(const PolluxTraining& t, Where where,
                                             std::uint32_t batch) const {
  const auto at = rows_.find(where);
  if (at == rows_.end()) return std::nullopt;
  const auto& by_local = at->second;
  const std::uint32_t gpus = where.first, local = (batch + gpus - 1) / gpus;
  const std::uint32_t most = by_local.rbegin()->first;
  // One GPU alone can't tell the gradient's noise from one pass over a batch: it takes two.
  std::uint32_t passes = (local + most - 1) / most;
  if (gpus == 1 && batch > t.smallest_batch()) passes = std::max(passes, 2U);
  const std::uint32_t part = (local + passes - 1) / passes;
  const auto mean = [](double Step::*time) {
    return [time](const Step& s) { return s.*time / s.rows; };
  };
  const auto step = between(by_local, part, mean(&Step::step));
  const auto sync = between(by_local, part, mean(&Step::sync));
  if (!step || !sync) return std::nullopt;
  const double done = std::min<double>(double{1} * gpus * part * passes, t.largest_batch());
  return t.steps(done) * (*step + (passes - 1) * std::max(*step - *sync, 0.0));
}

std::optional<double> PolluxProfile::best_seconds(const PolluxTraining& t, Where where) const {
  constexpr int kTried = 50;  // as the authors do, in equal proportions
  const double least = std::max(t.smallest_batch(), least_local() * where.first);
  const double most = t.largest_batch();
  if (least > most) return std::nullopt;
  std::optional<double> best;
  for (int i = 0; i < kTried; ++i) {
    const double b = least * detmath::pow(most / least, double{1} * i / (kTried - 1));
    const auto here = seconds(t, where, static_cast<std::uint32_t>(std::floor(b + 0.5)));
    if (here && (!best || *here < *best)) best = here;
  }
  return best;
}

}  // namespace muster
