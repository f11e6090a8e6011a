#include "io/fleet/slurm_lines.hpp"

#include <algorithm>
#include <cctype>

namespace muster::fleet_formats {
namespace {

constexpr std::string_view kBlank = " \t\r\f\v";

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

/// Takes the next Key=Value off the front of `line`; values may stand in double quotes.
std::pair<std::string, std::string> next_pair(std::string_view& line) {
  const std::size_t end = line.find_first_of(std::string{kBlank} + "=");
  std::string key{line.substr(0, end)};
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  line.remove_prefix(std::min(end, line.size()));
  if (line.empty() || line.front() != '=') return {std::move(key), ""};
  line.remove_prefix(1);
  std::string value;
  bool quoted = false;
  for (; !line.empty() && (quoted || kBlank.find(line.front()) == std::string_view::npos);
       line.remove_prefix(1)) {
    if (line.front() == '"')
      quoted = !quoted;
    else
      value += line.front();
  }
  return {std::move(key), std::move(value)};
}

}  // namespace

const std::string* SlurmLine::find(std::string_view key) const {
  const auto found =
      std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == key; });
  return found == pairs.end() ? nullptr : &found->second;
}

std::vector<SlurmLine> slurm_lines(std::string_view text, std::string_view where) {
  std::vector<SlurmLine> lines;
  std::string joined;
  std::size_t number = 0, began = 1;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (joined.empty()) began = number + 1;
    ++number;
    if (line.ends_with('\\') && !text.empty()) {
      joined += without_comment(line.substr(0, line.size() - 1));
      joined += ' ';
      continue;
    }
    joined += without_comment(line);
    SlurmLine out{{}, std::string{where} + ":" + std::to_string(began)};
    for (std::string_view rest = joined;;) {
      rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
      if (rest.empty()) break;
      out.pairs.push_back(next_pair(rest));
    }
    if (!out.pairs.empty()) lines.push_back(std::move(out));
    joined.clear();
  }
  return lines;
}

}  // namespace muster::fleet_formats
