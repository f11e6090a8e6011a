#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "muster/core/error.hpp"
#include "muster/io/text/lines.hpp"

namespace muster {

/// Hands the bytes of a LineReader to the JSON parser one by one and counts lines, so that a log of
/// a gigabyte is parsed in a megabyte.
class JsonBytes {
 public:
  explicit JsonBytes(LineReader& lines) : lines_(lines) { advance(); }

  bool at_end() const { return at_end_; }
  char current() const { return block_[at_]; }
  void advance() {
    if (!block_.empty() && block_[at_] == '\n') ++line_;
    ++at_;
    if (at_ < block_.size()) return;
    at_ = 0;
    at_end_ = !lines_.next_block(block_);
    if (at_end_) block_ = {};
  }
  std::uint64_t line() const { return line_; }
  const std::string& name() const { return lines_.name(); }

  /// What the parser reads through.
  struct Iterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;
    JsonBytes* from = nullptr;
    char operator*() const { return from->current(); }
    Iterator& operator++() {
      from->advance();
      return *this;
    }
    bool operator==(const Iterator& other) const {
      return (from == nullptr || from->at_end()) == (other.from == nullptr || other.from->at_end());
    }
    bool operator!=(const Iterator& other) const { return !(*this == other); }
  };
  Iterator begin() { return {this}; }
  static Iterator end() { return {}; }

 private:
  LineReader& lines_;
  std::string_view block_;
  std::size_t at_ = SIZE_MAX;  // the first advance() makes it 0
  std::uint64_t line_ = 1;
  bool at_end_ = false;
};

/// The parser's complaint as an InputError with file and line.
[[noreturn]] inline void refuse_json(const JsonBytes& bytes,
                                     const nlohmann::json::exception& error) {
  std::string_view why = error.what();
  // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ...": the first
  // two parts are ours to say.
  if (const std::size_t colon = why.find(": "); colon != std::string_view::npos)
    why.remove_prefix(colon + 2);
  throw InputError(bytes.name() + ":" + std::to_string(bytes.line()),
                   "is not valid JSON: " + std::string{why},
                   "if it ends early, the file was cut short");
}

}  // namespace muster
