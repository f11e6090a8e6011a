#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/result_file.hpp"
#include "muster/metrics/job_line.hpp"

namespace muster {

/// jobs.csv: one row per job in the order of the trace. Jobs end in another order; a row whose turn
/// has not come is kept as text, so memory is what the jobs that overtook others take.
class JobsCsv final : public JobSink {
 public:
  JobsCsv(ResultFile& file, const Workload& workload);

  void take(const JobLine& line) override;
  /// Every job's line must have been taken.
  void finish();

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kChunk = std::size_t{1} << 16;
  struct Place {
    std::uint32_t chunk = kNone, begin = 0, size = 0;
  };
  struct Chunk {
    std::string text;
    std::uint32_t live = 0;  // rows in it that have not been written
  };

  std::string_view format(const JobLine& line);  // valid until the next one
  void keep(std::uint32_t position, std::string_view row);
  void write_kept();

  ResultFile& file_;
  const Workload& workload_;
  std::vector<std::uint32_t> position_;  // by job id: its row of the file; empty if it is the id
  std::array<std::string_view, 10> states_;
  std::vector<char> buffer_;   // for the row at hand
  std::uint32_t next_ = 0;     // the row to write next
  std::vector<Place> places_;  // by row
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> spare_;  // chunks without live rows
  std::uint32_t open_ = kNone;        // the chunk that takes new rows
};

}  // namespace muster
