#include "io/config/json_text.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "muster/core/error.hpp"

namespace muster {
namespace {

/// "12:7": line and column of a byte in `text`, both from 1.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 == 0
  return std::to_string(line) + ":" + std::to_string(before.size() - begin + 1);
}

/// nlohmann's message without its class name and its own idea of the position.
std::string reason(std::string text) {
  for (const std::string_view lead : {"] ", "parse error", ": "}) {
    const std::size_t at = text.find(lead);
    if (at != std::string::npos) text.erase(0, at + lead.size());
  }
  if (const std::size_t at = text.find("; last read"); at != std::string::npos) text.resize(at);
  return text;
}

/// Refuses a second key of the same name in one object, of which nlohmann keeps the last in silence.
class NoTwins {
  static constexpr int kDeepest = 100;  // so that no later walk over the value overflows the stack

 public:
  explicit NoTwins(const std::string& where) : where_(where) {}
  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    using Event = Json::parse_event_t;
    if (depth > kDeepest) throw InputError(where_, "nested deeper than any configuration is");
    if (event == Event::object_start) {
      seen_.emplace_back();
      path_.emplace_back();
    } else if (event == Event::object_end) {
      seen_.pop_back();
      path_.pop_back();
    } else if (event == Event::key) {
      path_.back() = value.get<std::string>();
      if (!seen_.back().insert(path_.back()).second) {
        std::string pointer;
        for (const std::string& name : path_) pointer += "/" + pointer_token(name);
        throw InputError(where_ + ": " + pointer, "given twice in one object",
                         "remove one of them");
      }
    }
    return true;
  }

 private:
  const std::string& where_;
  std::vector<std::set<std::string>> seen_;
  std::vector<std::string> path_;
};

/// Stops at whatever NoTwins or the parser would refuse: what is not JSON, a key given twice, deep
/// nesting. It has no message, but takes linear time: nlohmann's parser walks over all earlier elements
/// of an array at the end of each one as soon as a callback such as NoTwins watches it.
class Suspicion final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  bool key(string_t& name) override {
    auto& keys = keys_[depth_ - 1];
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) return false;
    // An object of so many keys is none of ours; it also keeps the search above short.
    if (keys.size() >= kMostKeys) return false;
    keys.push_back(name);
    return true;
  }

 private:
  static constexpr std::size_t kDeepest = 50;
  static constexpr std::size_t kMostKeys = 50;

  bool open() {
    if (depth_ == kDeepest) return false;
    if (keys_.size() == depth_) keys_.emplace_back();
    keys_[depth_++].clear();
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  std::vector<std::vector<std::string>> keys_;  // of the objects around the current place
  std::size_t depth_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  Suspicion suspicion;
  constexpr auto kFormat = Json::input_format_t::json;
  if (Json::sax_parse(text, &suspicion, kFormat, /*strict=*/true, /*ignore_comments=*/true))
    return Json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  try {  // slowly, for the message; or it knows better
    NoTwins no_twins{where};
    return Json::parse(text, std::ref(no_twins), true, /*ignore_comments=*/true);
  } catch (const Json::parse_error& error) {
    throw InputError(where + ":" + line_and_column(text, error.byte == 0 ? 0 : error.byte - 1),
                     "not JSON: " + reason(error.what()));
  } catch (const Json::exception& error) {  // a number too large for a double, named but not placed
    const std::string why = reason(error.what());
    const std::size_t quote = why.find('\'');
    const std::size_t at = quote == std::string::npos
                               ? quote
                               : text.find(why.substr(quote + 1, why.rfind('\'') - quote - 1));
    throw InputError(at == std::string_view::npos ? where : where + ":" + line_and_column(text, at),
                     "not JSON: " + why);
  }
}

Json json_or_text(std::string_view text, const std::string& where) {
  if (!Json::accept(text)) return std::string{text};
  return parse_json(text, where);
}

Json without_nulls(Json value) {
  if (value.is_object()) {
    Json kept = Json::object();
    for (auto& [key, inside] : value.items())
      if (!inside.is_null()) kept[key] = without_nulls(std::move(inside));
    return kept;
  }
  if (value.is_array())
    for (Json& inside : value) inside = without_nulls(std::move(inside));
  return value;
}

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::string pointer_token(std::string_view name) {
  std::string token;
  for (const char c : name) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

}  // namespace muster
