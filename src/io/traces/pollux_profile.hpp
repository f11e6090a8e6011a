#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/io/text/lines.hpp"

namespace muster {

/// How long steps take, and how many a training takes, of one application as the authors of Pollux
/// (OSDI'21) and Sia (SOSP'23) measured and published it: placements.csv, scalability.csv,
/// validation-<batch size>.csv.
class PolluxTraining {
 public:
  /// validation-B.csv: one row per epoch; `iteration` counts steps from the beginning.
  void add_validation(std::uint32_t batch_size, LineReader& csv);
  bool empty() const { return steps_.empty(); }
  std::uint32_t smallest_batch() const { return steps_.begin()->first; }
  std::uint32_t largest_batch() const { return steps_.rbegin()->first; }
  /// Steps to the end at this batch size: on the straight line between those that were tried.
  double steps(double batch_size) const;

 private:
  /// By batch size: steps after each epoch.
  std::map<std::uint32_t, std::vector<double>> steps_;
  std::size_t epochs_ = SIZE_MAX;  // that all of them have
};

/// One application on one type of GPU.
class PolluxProfile {
 public:
  /// GPUs, and the nodes on which they are.
  using Where = std::pair<std::uint32_t, std::uint32_t>;

  void add_placements(LineReader& csv);
  void add_scalability(LineReader& csv);
  /// What was measured, by nodes and GPUs.
  struct Step {
    double step = 0, sync = 0;  // seconds
    unsigned rows = 0;
  };
  const std::map<Where, std::map<std::uint32_t, Step>>& rows() const { return rows_; }

  /// Seconds that the training takes there at this batch size, split into several passes where a GPU
  /// can't hold its part of it; nothing if it can't be run so.
  std::optional<double> seconds(const PolluxTraining& t, Where where, std::uint32_t batch) const;
  /// The same at the batch size of largest goodput there.
  std::optional<double> best_seconds(const PolluxTraining& t, Where where) const;

 private:
  void add(Where where, std::uint32_t local, double step, double sync);
  std::uint32_t least_local() const;

  std::map<Where, std::map<std::uint32_t, Step>> rows_;  // by batch size per GPU
};

}  // namespace muster
