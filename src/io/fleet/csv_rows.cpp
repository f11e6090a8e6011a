#include "io/fleet/csv_rows.hpp"

#include <charconv>

#include "muster/core/error.hpp"

namespace muster::fleet_formats {

CsvRows::CsvRows(std::string_view text, std::string_view where) : rest_(text), where_(where) {
  std::string_view line;
  next_line(line);
  split(line);
  header_.assign(cells_.begin(), cells_.end());
}

bool CsvRows::next_line(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++line_;
  return true;
}

void CsvRows::split(std::string_view line) {
  cells_.clear();
  for (std::size_t comma = line.find(','); comma != line.npos; comma = line.find(',')) {
    cells_.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells_.push_back(line);
}

bool CsvRows::next() {
  std::string_view line;
  do {
    if (!next_line(line)) return false;
  } while (line.empty());
  split(line);
  if (cells_.size() != header_.size())
    throw InputError(at(), "expected " + std::to_string(header_.size()) + " cells, got " +
                               std::to_string(cells_.size()));
  return true;
}

std::uint64_t CsvRows::integer(std::size_t column, std::uint64_t most) const {
  const std::string_view cell = cells_[column];
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size() || value > most)
    throw InputError(at(), header_[column] + ": expected a whole number from 0 to " +
                               std::to_string(most) + ", got \"" + std::string{cell} + "\"");
  return value;
}

std::string CsvRows::required(std::size_t column) const {
  if (cells_[column].empty()) throw InputError(at(), header_[column] + " is empty");
  return std::string{cells_[column]};
}

std::string CsvRows::at() const { return where_ + ":" + std::to_string(line_); }

}  // namespace muster::fleet_formats
