#include "muster/core/error.hpp"

#include <algorithm>
#include <numeric>

namespace muster {
namespace {

std::string message(std::string_view where, std::string_view what, std::string_view advice) {
  std::string text{where};
  if (!text.empty()) text += ": ";
  text += what;
  if (advice.empty()) return text;
  text += "\n    ";
  for (const char c : advice) {
    text += c;
    if (c == '\n') text += "    ";
  }
  return text;
}

/// Letters added, left out or replaced, and neighbours swapped, each of which is one mistake
/// (Damerau & Levenshtein, without edits inside what was swapped).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

InputError::InputError(std::string_view where, std::string_view what, std::string_view advice)
    : std::runtime_error(message(where, what, advice)) {}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 2) + 1;
  if (word.size() > 64) return best;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  if (const std::string best = nearest(word, candidates); !best.empty())
    return "did you mean \"" + best + "\"?";
  std::string list = "it takes: ";
  for (std::size_t i = 0; i < candidates.size(); ++i) list += (i ? ", " : "") + candidates[i];
  return list;
}

}  // namespace muster
