#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "muster/io/text/bytes.hpp"

namespace muster {

/// Hands out a text line by line, without ever holding more than one block of it.
///
/// Line ends are LF or CRLF and the last may be missing; a byte order mark is dropped. Text that
/// can't be text (a NUL byte, a line of more than a mebibyte) is an InputError.
class LineReader {
 public:
  static constexpr std::size_t kBlock = 1 << 20;  // also the longest line

  explicit LineReader(std::unique_ptr<ByteSource> bytes);

  /// The next line without its end, valid until the next call. False at the end of the text.
  bool next(std::string_view& line);

  /// All that is buffered, for text whose lines mean nothing (JSON). False at the end.
  bool next_block(std::string_view& block);

  /// Of the line handed out last; the first is 1.
  std::uint64_t number() const { return number_; }
  /// "jobs.csv:17", for messages.
  std::string where() const { return name() + ":" + std::to_string(number_); }
  const std::string& name() const { return bytes_->name(); }

  /// What is buffered but not handed out: before the first next(), the beginning of the text.
  std::string_view ahead();

  /// About how many lines there are in all, by those in the first block; 0 if the text's length is not known.
  std::uint64_t expected() const { return expected_; }

  /// Whether the line handed out last is valid UTF-8. Costs nothing for plain ASCII.
  bool valid_utf8(std::string_view line) const;

 private:
  bool refill();
  void refuse_nul(std::string_view line) const;

  std::unique_ptr<ByteSource> bytes_;
  std::unique_ptr<char[]> buffer_;   // not zeroed: short texts touch little of it
  std::size_t begin_ = 0, end_ = 0;  // of what is not handed out
  std::uint64_t number_ = 0, expected_ = 0;
  bool at_end_ = false;
  bool nul_ = false;   // somewhere in the buffer
  bool ascii_ = true;  // all of the buffer
};

/// Whether `text` is valid UTF-8 (RFC 3629: no surrogates, nothing above U+10FFFF, shortest forms).
bool is_utf8(std::string_view text);

}  // namespace muster
