#pragma once
#include <string>
#include <string_view>

namespace muster {

/// `text` as one CSV field: quoted if it has to be (RFC 4180).
inline void append_csv(std::string& line, std::string_view text) {
  bool plain = true;
  for (const char c : text) plain &= c != ',' && c != '"' && c != '\n' && c != '\r';
  if (plain) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace muster
