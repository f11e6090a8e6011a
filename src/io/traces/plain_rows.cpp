#include "io/traces/plain_rows.hpp"

#include <algorithm>
#include <array>

namespace muster {
namespace {

/// Digits up to the next comma or the end of the line, and no more of them than surely are in range.
/// -1 if there is anything else.
std::int64_t digits(const char*& at, const char* end) {
  constexpr std::ptrdiff_t kMost = 9;
  const char* const from = at;
  const char* const stop = end - from > kMost ? from + kMost : end;
  std::int64_t value = 0;
  for (; at != stop; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) break;
    value = value * 10 + digit;
  }
  return at != from && (at == end || *at == ',') ? value : -1;
}

bool name(const char*& at, const char* end, std::string_view& text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const char* const from = at;
  for (; at != end && *at != ','; ++at)
    if (*at == '"') return false;
  text = {from, static_cast<std::size_t>(at - from)};
  return text.empty() || (!blank(text.front()) && !blank(text.back()));
}

}  // namespace

PlainRows::PlainRows(const std::vector<std::string>& header) {
  constexpr std::array<std::string_view, 6> kNames{"job",      "submit", "gpus",
                                                   "duration", "user",   "queue"};
  std::size_t needed = 0;
  for (const std::string& name : header) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) break;
    columns_.push_back(static_cast<Column>(found - kNames.begin()));
    needed += name == "submit" || name == "gpus" || name == "duration" ? 1 : 0;
  }
  if (columns_.size() < header.size() || needed < 3) columns_.clear();
}

bool PlainRows::read(std::string_view line, PlainRow& row) const {
  if (columns_.empty()) return false;
  row.job = row.user = row.queue = {};
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return false;
    bool good = true;
    const auto seconds = [&](Duration& time) {
      const std::int64_t value = digits(at, end);
      time = std::chrono::seconds{value};
      good = value >= 0;
    };
    switch (columns_[i]) {
      case Column::job:
        good = name(at, end, row.job);
        break;
      case Column::user:
        good = name(at, end, row.user);
        break;
      case Column::queue:
        good = name(at, end, row.queue);
        break;
      case Column::submit:
        seconds(row.submit);
        break;
      case Column::duration:
        seconds(row.duration);
        break;
      case Column::gpus: {
        const std::int64_t gpus = digits(at, end);
        row.gpus = static_cast<std::uint32_t>(gpus);
        good = gpus > 0;
        break;
      }
    }
    if (!good) return false;
  }
  return at == end;
}

}  // namespace muster
