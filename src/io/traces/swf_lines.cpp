#include "io/traces/swf_lines.hpp"

#include <array>

namespace muster {
namespace {

constexpr std::array<std::string_view, 20> kNames{"job number",
                                                  "submit time",
                                                  "wait time",
                                                  "run time",
                                                  "allocated processors",
                                                  "average CPU time",
                                                  "used memory",
                                                  "requested processors",
                                                  "requested time",
                                                  "requested memory",
                                                  "status",
                                                  "user",
                                                  "group",
                                                  "executable",
                                                  "queue",
                                                  "partition",
                                                  "preceding job",
                                                  "think time",
                                                  "node list",
                                                  "queue name"};

}  // namespace

void SwfLines::note(std::string_view comment) {
  comment.remove_prefix(1);
  const std::size_t colon = comment.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view key = trimmed(comment.substr(0, colon));
  const std::string_view value = trimmed(comment.substr(colon + 1));
  const bool plain = !key.empty() && key.find_first_of(" \t") == std::string_view::npos;
  if (plain && !value.empty() && lines_.valid_utf8(comment))
    notes_.try_emplace(std::string{key}, value);
}

bool SwfLines::next() {
  while (lines_.next(line_)) {
    fields_.split_blanks(line_);
    if (fields_.size() == 0) continue;
    if (!fields_[0].starts_with(';')) return true;
    note(trimmed(line_));
  }
  return false;
}

void SwfLines::check() const {
  if (!lines_.valid_utf8(line_)) throw RowError{"text", "UTF-8", std::string{line_}, "bad_text"};
  if (fields_.size() < kSwfFields)
    throw RowError{"fields", "18 or more", std::to_string(fields_.size()), "wrong_field_count"};
}

Cell SwfLines::operator[](Swf field) const {
  const auto i = static_cast<std::size_t>(field);
  return {kNames[i], i < fields_.size() ? fields_[i] : std::string_view{}};
}

Cell SwfLines::known(Swf field) const {
  const Cell cell = (*this)[field];
  return cell.text == "-1" ? Cell{cell.column, {}} : cell;
}

}  // namespace muster
