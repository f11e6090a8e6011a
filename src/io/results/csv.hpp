#pragma once
#include <string_view>

namespace muster {

/// The most that put_csv() writes.
inline std::size_t longest_csv(std::string_view text) { return 2 * text.size() + 2; }

/// `text` as one CSV field: quoted if it has to be (RFC 4180). Returns the end of what it wrote.
inline char* put_csv(char* p, std::string_view text) {
  bool plain = true;
  char* to = p;
  for (const char c : text) {
    plain &= c != ',' && c != '"' && c != '\n' && c != '\r';
    *to++ = c;
  }
  if (plain) return to;
  *p++ = '"';
  for (const char c : text) {
    if (c == '"') *p++ = '"';
    *p++ = c;
  }
  *p++ = '"';
  return p;
}

}  // namespace muster
