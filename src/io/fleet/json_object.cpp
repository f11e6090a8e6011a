#include "io/fleet/json_object.hpp"

#include <algorithm>

#include "muster/core/error.hpp"

namespace muster {
namespace {

std::string integer_range(std::uint64_t least, std::uint64_t most) {
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

std::string short_number(double value) { return Json(value).dump(); }

}  // namespace

JsonObject::JsonObject(const Json& value, std::string where, std::string pointer)
    : value_(&value), where_(std::move(where)), pointer_(std::move(pointer)) {
  if (!value.is_object()) throw InputError(at(), "expected an object, got " + shown(value));
}

std::string JsonObject::pointer(std::string_view key) const {
  return pointer_ + "/" + std::string{key};
}

std::string JsonObject::at(std::string_view key) const {
  const std::string place = key.empty() ? pointer_ : pointer(key);
  return place.empty() ? where_ : where_ + ": " + place;
}

const Json* JsonObject::find(std::string_view key) {
  known_.push_back(key);
  const auto member = value_->find(std::string{key});
  return member == value_->end() ? nullptr : &*member;
}

bool JsonObject::has(std::string_view key) { return find(key) != nullptr; }

std::string JsonObject::text(std::string_view key, std::string otherwise) {
  const Json* member = find(key);
  if (!member) return otherwise;
  if (!member->is_string())
    throw InputError(at(key), "expected a text in quotes, got " + shown(*member));
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
  const Json* member = find(key);
  if (!member) return otherwise;
  if (!member->is_number_unsigned() || member->get<std::uint64_t>() < least ||
      member->get<std::uint64_t>() > most)
    throw InputError(at(key), "expected " + integer_range(least, most) + ", got " + shown(*member));
  return member->get<std::uint64_t>();
}

double JsonObject::number(std::string_view key, double least, double most, double otherwise) {
  const Json* member = find(key);
  if (!member) return otherwise;
  if (!member->is_number() || !(member->get<double>() >= least && member->get<double>() <= most))
    throw InputError(at(key), "expected a number from " + short_number(least) + " to " +
                                  short_number(most) + ", got " + shown(*member));
  return member->get<double>();
}

double JsonObject::required_number(std::string_view key, double least, double most) {
  if (!has(key)) throw InputError(at(), "\"" + std::string{key} + "\" is missing");
  return number(key, least, most, 0);
}

bool JsonObject::flag(std::string_view key) {
  const Json* member = find(key);
  if (!member || !member->is_boolean())
    throw InputError(at(key),
                     "expected true or false, got " + (member ? shown(*member) : "nothing"));
  return member->get<bool>();
}

const Json& JsonObject::array(std::string_view key) {
  const Json* member = find(key);
  if (!member) throw InputError(at(), "\"" + std::string{key} + "\" is missing");
  if (!member->is_array()) throw InputError(at(key), "expected an array, got " + shown(*member));
  if (member->empty()) throw InputError(at(key), "is empty: expected at least one entry");
  return *member;
}

void JsonObject::done() const {
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::vector<std::string> candidates;
    for (const std::string_view known : known_)
      if (std::find(candidates.begin(), candidates.end(), known) == candidates.end())
        candidates.emplace_back(known);
    throw InputError(at(pointer_token(key)), "there is no such key here",
                     did_you_mean(key, candidates));
  }
}

}  // namespace muster
