#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

/// Writes JSON in order, indented by two. Numbers are handed over as text, so that a decimal stays
/// exact, which a double in between would not allow.
class JsonText {
 public:
  void open(std::string_view key = {}) { begin(key, '{'); }
  void open_list(std::string_view key = {}) { begin(key, '['); }
  void close() { end('}'); }
  void close_list() { end(']'); }

  /// `json` is valid JSON: a number, null, or a whole document.
  void raw(std::string_view key, std::string_view json);
  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, std::uint64_t value) { raw(key, std::to_string(value)); }
  void flag(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }

  /// An array of scalars that stays on one line. `items` are valid JSON.
  template <class Items, class ToJson>
  void line(std::string_view key, const Items& items, ToJson&& to_json) {
    std::string list;
    for (const auto& item : items) list += (list.empty() ? "" : ", ") + to_json(item);
    raw(key, "[" + list + "]");
  }

  static std::string quoted(std::string_view value);
  /// The finished document, with a line end.
  std::string take() { return std::move(out_) + "\n"; }

 private:
  void begin(std::string_view key, char bracket);
  void end(char bracket);
  void item(std::string_view key);

  std::string out_;
  std::size_t depth_ = 0;
  bool first_ = true;
};

}  // namespace muster
