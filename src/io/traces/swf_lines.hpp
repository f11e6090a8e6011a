#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "muster/io/text/cell.hpp"
#include "muster/io/text/csv.hpp"
#include "muster/io/text/lines.hpp"

namespace muster {

/// The fields of the Standard Workload Format, in order.
enum class Swf : std::uint8_t {
  job,
  submit,
  wait,
  run,
  allocated,
  cpu_time,
  memory,
  requested,
  estimate,
  requested_memory,
  status,
  user,
  group,
  executable,
  queue,
  partition,
  preceding,
  think,
  node_list,
  queue_name,  // in the logs of MetaCentrum
};
inline constexpr std::size_t kSwfFields = 18;

/// Walks a file in Standard Workload Format: fields between runs of blanks, "; Key: value" comments.
class SwfLines {
 public:
  explicit SwfLines(LineReader& lines) : lines_(lines) {}

  bool next();
  void check() const;
  std::uint64_t line() const { return lines_.number(); }

  Cell operator[](Swf field) const;
  /// The same, empty where the log says -1: not known.
  Cell known(Swf field) const;

  /// What the comments say, such as MaxProcs and UnixStartTime.
  const std::map<std::string, std::string>& notes() const { return notes_; }

 private:
  void note(std::string_view comment);

  LineReader& lines_;
  std::string_view line_;
  CsvLine fields_;
  std::map<std::string, std::string> notes_;
};

}  // namespace muster
