#include "muster/io/text/csv.hpp"

#include <cstring>

namespace muster {

bool CsvLine::split(std::string_view line, char separator) {
  fields_.clear();
  if (line.empty()) line = "";  // one that points nowhere may not be searched
  has_quotes_ = line.find('"') != std::string_view::npos;
  if (has_quotes_) return split_quoted(line, separator);
  const char* from = line.data();
  const char* const end = from + line.size();
  for (;;) {
    const auto* to = static_cast<const char*>(
        std::memchr(from, separator, static_cast<std::size_t>(end - from)));
    if (to == nullptr) break;
    fields_.emplace_back(from, static_cast<std::size_t>(to - from));
    from = to + 1;
  }
  fields_.emplace_back(from, static_cast<std::size_t>(end - from));
  return true;
}

bool CsvLine::split_quoted(std::string_view line, char separator) {
  unquoted_.clear();
  unquoted_.reserve(line.size());    // never grows while fields look into it
  for (std::size_t at = 0;; ++at) {  // at a separator, then behind it
    while (at < line.size() && line[at] == ' ') ++at;
    if (at < line.size() && line[at] == '"') {
      const std::size_t begin = unquoted_.size();
      for (++at;; ++at) {
        const std::size_t quote = line.find('"', at);
        if (quote == std::string_view::npos) return false;
        unquoted_.append(line.substr(at, quote - at));
        at = quote + 1;
        if (at >= line.size() || line[at] != '"') break;
        unquoted_ += '"';
      }
      fields_.push_back(std::string_view{unquoted_}.substr(begin));
      while (at < line.size() && line[at] == ' ') ++at;
      if (at < line.size() && line[at] != separator) return false;
    } else {
      const std::size_t to = std::min(line.find(separator, at), line.size());
      fields_.push_back(trimmed(line.substr(at, to - at)));
      at = to;
    }
    if (at >= line.size()) return true;
  }
}

void CsvLine::split_blanks(std::string_view line) {
  fields_.clear();
  has_quotes_ = false;
  constexpr std::string_view kBlanks = " \t";
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t to = std::min(line.find_first_of(kBlanks, at), line.size());
    fields_.push_back(line.substr(at, to - at));
    at = line.find_first_not_of(kBlanks, to);
  }
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  if (text.empty() || (!blank(text.front()) && !blank(text.back()))) return text;
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string csv_quoted(std::string_view text) {
  const bool blank_end = !text.empty() && trimmed(text).size() != text.size();
  if (!blank_end && text.find_first_of(",\"\n\r#") == std::string_view::npos)
    return std::string{text};
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += '"';
  }
  return quoted + "\"";
}

}  // namespace muster
