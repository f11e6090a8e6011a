#include "muster/io/text/assignments.hpp"

namespace muster {

std::vector<std::string> assignments(std::string_view text) {
  std::vector<std::string> found(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '{' || c == '[')) ++depth;
    if (!quoted && (c == '}' || c == ']')) --depth;
    if (c == ',' && depth <= 0 && !quoted) {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

}  // namespace muster
