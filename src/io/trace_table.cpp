#include "muster/io/trace_table.hpp"

#include <algorithm>

#include "muster/core/error.hpp"

namespace muster {

bool TraceTable::next_line() {
  while (lines_.next(line_))
    if (!line_.empty() && (comment_ == '\0' || line_.front() != comment_)) return true;
  return false;
}

void TraceTable::read_header() {
  if (!next_line()) throw InputError(lines_.name(), "is empty: expected a header line and rows");
  if (!fields_.split(line_, separator_) || !lines_.valid_utf8(line_))
    throw InputError(lines_.where(), "expected a header line, got " + in_quotes(line_));
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    std::string name{trimmed(fields_[i])};
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      throw InputError(lines_.where(), "column " + in_quotes(name) + " comes twice",
                       "remove one, or give it another name");
    names_.push_back(std::move(name));
  }
}

TraceTable::Column TraceTable::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) return {SIZE_MAX, name};
  return {static_cast<std::size_t>(at - names_.begin()), *at};
}

TraceTable::Column TraceTable::column(std::string_view name) const {
  const Column found = find(name);
  if (found.exists()) return found;
  std::string has = "the columns are: ";
  for (const std::string& other : names_) has += (&other == names_.data() ? "" : ", ") + other;
  throw InputError(lines_.where(), "there is no column " + in_quotes(name), has);
}

void TraceTable::check() const {
  if (!lines_.valid_utf8(line_)) throw RowError{"text", "UTF-8", std::string{line_}, "bad_text"};
  if (!quotes_hold_)
    throw RowError{"text", "every quote closed on its line, at the end of its field",
                   std::string{line_}, "bad_quotes"};
  if (fields_.size() != names_.size())
    throw RowError{"fields", std::to_string(names_.size()), std::to_string(fields_.size()),
                   "wrong_field_count"};
}

}  // namespace muster
