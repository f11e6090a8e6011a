#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/result_file.hpp"
#include "muster/metrics/job_line.hpp"

namespace muster {

/// jobs.csv: one row per job in the order of the trace. Jobs end in another order; a row whose turn
/// has not come is kept, so memory is what the jobs that overtook others take: a few words of most,
/// which become text when their turn comes. Of those with more to tell, the text. When a job ends that many
/// overtook, their rows follow some at a time, with those of the next jobs that end.
class JobsCsv final : public JobSink {
 public:
  JobsCsv(ResultFile& file, const Workload& workload);

  void take(const JobLine& line) override;
  /// Writes what is left. Every job's line must have been taken.
  void finish();

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kChunk = std::size_t{1} << 16;
  struct Place {
    std::uint32_t chunk = kNone, begin = 0;
  };
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t used = 0;
    std::uint32_t live = 0;  // rows in it that have not been written
  };
  /// Of a job that was submitted when the trace says, ran once and did nothing but run on what it asked for.
  /// The waits that are not zero stand behind it.
  struct Brief {
    SimTime start, end;
    JobId job;
    std::uint32_t milli;   // asked for
    std::uint16_t causes;  // one bit each: it waited for them
    JobState state;
    bool more = false;  // not brief: text stands behind it, `milli` bytes
  };

  struct State {
    std::array<char, 24> text{};  // all of it is copied, whatever the name's length
    std::size_t size = 0;
  };

  bool brief(const JobLine& line) const;
  void write(const JobLine& line);
  char* format(char* to, const JobLine& line) const;
  std::size_t longest(const JobLine& line) const;
  char* room(std::uint32_t position, std::size_t bytes);
  void kept(const char* end);
  std::uint32_t fresh_chunk(std::size_t bytes);
  void keep(std::uint32_t position, const JobLine& line);
  void keep_text(std::uint32_t position, const JobLine& line);
  void write_kept(std::size_t most);
  void write_kept(const char* row);

  ResultFile& file_;
  const Workload& workload_;
  const bool names_;                     // some job says something by name
  std::vector<std::uint32_t> position_;  // by job id: its row of the file; empty if it is the id
  std::array<State, 10> states_;
  std::vector<char> text_;     // of a row that is kept as text
  JobLine line_;               // of a kept row: what Brief does not say is zero
  std::uint32_t next_ = 0;     // the row to write next
  std::vector<Place> places_;  // by row
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> spare_;  // chunks without live rows
  std::uint32_t open_ = kNone;        // the chunk that takes new rows
};

}  // namespace muster
