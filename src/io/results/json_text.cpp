#include "io/results/json_text.hpp"

#include <nlohmann/json.hpp>

namespace muster {

std::string JsonText::quoted(std::string_view value) {
  // Traces hold what they hold; what is not UTF-8 becomes U+FFFD rather than an error.
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonText::item(std::string_view key) {
  if (!first_) out_ += ',';
  if (depth_ != 0) out_ += '\n';
  first_ = false;
  out_.append(2 * depth_, ' ');
  if (!key.empty()) out_ += quoted(key) + ": ";
}

void JsonText::begin(std::string_view key, char bracket) {
  item(key);
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonText::end(char bracket) {
  --depth_;
  if (!first_) {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  out_ += bracket;
  first_ = false;
}

void JsonText::raw(std::string_view key, std::string_view json) {
  item(key);
  for (const char c : json) {
    out_ += c;
    if (c == '\n') out_.append(2 * depth_, ' ');
  }
}

void JsonText::text(std::string_view key, std::string_view value) { raw(key, quoted(value)); }

}  // namespace muster
