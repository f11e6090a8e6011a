#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fleet_formats {

/// Walks the rows of a small CSV file after its header. Node lists quote nothing, so a cell is what
/// stands between two commas.
class CsvRows {
 public:
  CsvRows(std::string_view text, std::string_view where);

  /// The next row that is not blank, with exactly as many cells as the header; false at the end.
  bool next();
  std::string_view operator[](std::size_t column) const { return cells_[column]; }
  std::uint64_t integer(std::size_t column, std::uint64_t most) const;
  std::string required(std::size_t column) const;
  /// "topo.csv:12"
  std::string at() const;

 private:
  bool next_line(std::string_view& line);
  void split(std::string_view line);

  std::string_view rest_;
  std::string where_;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
  std::size_t line_ = 0;
};

}  // namespace muster::fleet_formats
