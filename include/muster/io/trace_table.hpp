#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "muster/io/text/cell.hpp"
#include "muster/io/text/csv.hpp"
#include "muster/io/text/lines.hpp"

namespace muster {

/// A table of text with a header line: columns by name, rows one at a time.
class TraceTable {
 public:
  /// Lines that begin with `comment` are passed over, as empty ones are; '\0': there are none.
  explicit TraceTable(LineReader& lines, char separator = ',', char comment = '\0')
      : lines_(lines), separator_(separator), comment_(comment) {}

  /// Takes the column names from the next line. Throws InputError for a column that comes twice.
  void read_header();
  /// For tables without a header line.
  void set_header(std::vector<std::string> names) { names_ = std::move(names); }
  const std::vector<std::string>& header() const { return names_; }

  /// A column of this table; one that is not there reads as empty.
  struct Column {
    std::size_t index = SIZE_MAX;
    std::string_view name;
    bool exists() const { return index != SIZE_MAX; }
  };
  Column find(std::string_view name) const;
  /// Throws InputError if there is no such column.
  Column column(std::string_view name) const;

  /// Goes to the next row. False at the end.
  bool next() {
    if (!next_line()) return false;
    split();
    return true;
  }
  /// The same in two steps, for readers that know a faster way to read most rows: the row as text, and
  /// its fields.
  bool next_line();
  std::string_view text() const { return line_; }
  void split() { quotes_hold_ = fields_.split(line_, separator_); }
  /// Throws RowError if the row has too few or too many fields, or is not text.
  void check() const;

  Cell operator[](Column c) const {
    if (c.index >= fields_.size()) return {c.name, {}};
    return {c.name, fields_.trim(c.index)};
  }
  std::uint64_t line() const { return lines_.number(); }

 private:
  LineReader& lines_;
  char separator_, comment_;
  std::vector<std::string> names_;
  std::string_view line_;
  CsvLine fields_;
  bool quotes_hold_ = true;
};

}  // namespace muster
