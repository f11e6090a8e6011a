#include "io/fleet/json_object.hpp"

#include <algorithm>
#include <set>

#include "muster/core/error.hpp"

namespace muster {
namespace {

using nlohmann::json;

std::string line_and_column(std::string_view text, std::size_t byte) {
  // nlohmann counts the character it stumbled over as read.
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == before.npos ? before.size() + 1 : before.size() - start;
  return std::to_string(line) + ":" + std::to_string(column);
}

/// "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error ..." -> "syntax error ..."
std::string reason(const json::exception& error) {
  std::string text = error.what();
  if (const std::size_t id = text.find("] "); id != text.npos) text.erase(0, id + 2);
  if (text.starts_with("parse error"))
    if (const std::size_t colon = text.find(": "); colon != text.npos) text.erase(0, colon + 2);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string integer_range(std::uint64_t least, std::uint64_t most) {
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

std::string short_number(double value) { return json(value).dump(); }

}  // namespace

json parse_json(std::string_view text, std::string_view where) {
  std::vector<std::set<std::string>> open;  // the keys of each object around the current place
  std::string twice;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && twice.empty() &&
        !open.back().insert(parsed.get_ref<const std::string&>()).second)
      twice = parsed.get_ref<const std::string&>();
    return true;
  };
  json value;
  try {
    value = json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& error) {
    throw InputError(std::string{where} + ":" + line_and_column(text, error.byte), reason(error));
  } catch (const json::exception& error) {
    throw InputError(where, reason(error));
  }
  if (!twice.empty())
    throw InputError(where, "the key \"" + twice + "\" is there twice in one object",
                     "JSON would silently take the last one: keep one of them");
  return value;
}

std::string quoted(const json& value) {
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  std::string text = value.dump();
  if (text.size() > 60) text.replace(57, std::string::npos, "...");
  return text;
}

JsonObject::JsonObject(const json& value, std::string where, std::string pointer)
    : value_(&value), where_(std::move(where)), pointer_(std::move(pointer)) {
  if (!value.is_object()) throw InputError(at(), "expected an object, got " + quoted(value));
}

std::string JsonObject::pointer(std::string_view key) const {
  return pointer_ + "/" + std::string{key};
}

std::string JsonObject::at(std::string_view key) const {
  const std::string place = key.empty() ? pointer_ : pointer(key);
  return place.empty() ? where_ : where_ + ": " + place;
}

const json* JsonObject::find(std::string_view key) {
  known_.emplace_back(key);
  const auto member = value_->find(known_.back());
  return member == value_->end() ? nullptr : &*member;
}

bool JsonObject::has(std::string_view key) { return find(key) != nullptr; }

std::string JsonObject::text(std::string_view key, std::string otherwise) {
  const json* member = find(key);
  if (!member) return otherwise;
  if (!member->is_string())
    throw InputError(at(key), "expected a text in quotes, got " + quoted(*member));
  if (member->get_ref<const std::string&>().empty())
    throw InputError(at(key), "is empty", "leave the key out if there is nothing to say");
  return member->get<std::string>();
}

std::string JsonObject::required_text(std::string_view key) {
  std::string value = text(key);
  if (value.empty()) throw InputError(at(), "\"" + std::string{key} + "\" is missing");
  return value;
}

std::uint64_t JsonObject::integer(std::string_view key, std::uint64_t least, std::uint64_t most,
                                  std::uint64_t otherwise) {
  const json* member = find(key);
  if (!member) return otherwise;
  if (!member->is_number_unsigned() || member->get<std::uint64_t>() < least ||
      member->get<std::uint64_t>() > most)
    throw InputError(at(key),
                     "expected " + integer_range(least, most) + ", got " + quoted(*member));
  return member->get<std::uint64_t>();
}

double JsonObject::number(std::string_view key, double least, double most, double otherwise) {
  const json* member = find(key);
  if (!member) return otherwise;
  if (!member->is_number() || !(member->get<double>() >= least && member->get<double>() <= most))
    throw InputError(at(key), "expected a number from " + short_number(least) + " to " +
                                  short_number(most) + ", got " + quoted(*member));
  return member->get<double>();
}

const json& JsonObject::array(std::string_view key) {
  const json* member = find(key);
  if (!member) throw InputError(at(), "\"" + std::string{key} + "\" is missing");
  if (!member->is_array()) throw InputError(at(key), "expected an array, got " + quoted(*member));
  if (member->empty()) throw InputError(at(key), "is empty");
  return *member;
}

void JsonObject::done() const {
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::vector<std::string> candidates;
    for (const std::string& known : known_)
      if (std::find(candidates.begin(), candidates.end(), known) == candidates.end())
        candidates.push_back(known);
    throw InputError(at(key), "there is no such key here", did_you_mean(key, candidates));
  }
}

}  // namespace muster
