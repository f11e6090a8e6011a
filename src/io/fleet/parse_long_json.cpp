#include "io/fleet/parse_long_json.hpp"

#include <algorithm>
#include <vector>

namespace muster {
namespace {

/// Stops at whatever parse_json() would refuse: what is not JSON, a key given twice, deep nesting.
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

Json parse_long_json(std::string_view text, const std::string& where) {
  Suspicion suspicion;
  constexpr auto kFormat = Json::input_format_t::json;
  if (!Json::sax_parse(text, &suspicion, kFormat, /*strict=*/true, /*ignore_comments=*/true))
    return parse_json(text, where);  // which has the message, or knows better
  return Json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
}

}  // namespace muster
