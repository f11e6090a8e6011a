#include "io/config/document.hpp"

#include <algorithm>
#include <charconv>

#include "io/config/text_file.hpp"
#include "muster/core/error.hpp"

namespace muster {
namespace fs = std::filesystem;

namespace {

/// The place in an array of which a pointer speaks; SIZE_MAX if it is not one.
std::size_t place_in(const Json& array, const std::string& token) {
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [read, error] = std::from_chars(token.data(), end, index);
  const bool plain = token == "0" || !token.starts_with('0');  // RFC 6901, section 4
  return plain && error == std::errc{} && read == end && index < array.size() ? index : SIZE_MAX;
}

InputError no_such_place(const std::string& list, std::size_t size, const std::string& token,
                         const std::string& where) {
  std::string advice = list;
  advice += size == 0 ? "/- adds one" : "/0 is the first one, " + list + "/- adds one";
  std::string what = list + " is a list of " + std::to_string(size);
  what += ", which has no place \"" + token + "\"";
  return InputError(where, what, advice);
}

/// What an object has under this name, or an array at this place.
const Json* inside(const Json& json, const std::string& token) {
  if (json.is_array()) {
    const std::size_t place = place_in(json, token);
    return place == SIZE_MAX ? nullptr : &json[place];
  }
  if (!json.is_object()) return nullptr;
  const auto found = json.find(token);
  return found == json.end() ? nullptr : &*found;
}

/// Drops what is null: but the parameters of some parts, so that one that nobody knows is told.
Json without_unset(Json document) {
  Json kept = document;
  document = without_nulls(std::move(document));
  for (const char* part : {"policy", "engine", "cost"}) {
    const auto given = kept.find(part);
    if (given == kept.end() || !given->is_object()) continue;
    for (const auto& [key, value] : given->items())
      if (value.is_null()) document[part][key] = nullptr;
  }
  return document;
}

}  // namespace

std::vector<std::string> pointer_tokens(std::string_view pointer, const std::string& where) {
  std::vector<std::string> tokens;
  if (pointer.empty()) return tokens;
  if (pointer.front() != '/')
    throw InputError(where,
                     "a JSON pointer begins with \"/\", got \"" + std::string{pointer} + "\"",
                     "for example /policy/depth");
  for (const char c : pointer) {
    if (c == '/') {
      tokens.emplace_back();
    } else if (std::string& token = tokens.back(); token.ends_with('~') && (c == '0' || c == '1')) {
      token.back() = c == '0' ? '~' : '/';
    } else {
      token += c;
    }
  }
  return tokens;
}

Document Document::read(const fs::path& file, std::vector<std::string> parts) {
  return parse(read_text(file, ""), file.string(), file.parent_path(), std::move(parts));
}

Document Document::parse(std::string_view text, const std::string& where, const fs::path& folder,
                         std::vector<std::string> parts) {
  return of(parse_json(text, where), where, folder, std::move(parts));
}

Document Document::of(Json parsed, const std::string& where, const fs::path& folder,
                      std::vector<std::string> parts) {
  Document document{std::move(parts)};
  document.json_ = std::move(parsed);
  document.origins_.add("", {where, "", folder});
  document.know("", document.parts_, "an experiment");
  document.json_ = without_unset(std::move(document.json_));
  return document;
}

const Json* Document::standing(std::string_view pointer) const {
  const Json* at = &json_;
  const std::vector<std::string> tokens = pointer_tokens(pointer, "");
  for (const std::string& token : tokens) {
    at = inside(*at, token);
    if (!at) return nullptr;
  }
  return at;
}

const Json* Document::find(std::string_view pointer) const {
  const Json* found = standing(pointer);
  return found && !found->is_null() ? found : nullptr;
}

fs::path Document::path(std::string_view pointer) const {
  const fs::path path{text(pointer)};
  const fs::path folder = origins_.folder(pointer);
  return folder.empty() ? path : (folder / path).lexically_normal();
}

void Document::set(const std::string& pointer, Json value, Origins::Place from) {
  const std::vector<std::string> tokens = pointer_tokens(pointer, from.where);
  if (tokens.empty()) throw InputError(from.where, "names the whole document, not a value in it");
  if (std::find(parts_.begin(), parts_.end(), tokens[0]) == parts_.end())
    throw InputError(from.where, "an experiment has no such part", did_you_mean(tokens[0], parts_));
  Json* at = &json_;
  std::string above;
  for (std::string token : tokens) {
    if (at->is_null()) *at = Json::object();
    if (at->is_array()) {
      if (token == "-") {  // one more, behind the last
        token = std::to_string(at->size());
        at->push_back(nullptr);
      }
      const std::size_t place = place_in(*at, token);
      if (place == SIZE_MAX) throw no_such_place(above, at->size(), token, from.where);
      at = &(*at)[place];
    } else if (at->is_object()) {
      at = &(*at)[token];
    } else {
      throw InputError(from.where, above + " is " + shown(*at) + ", which has no values inside");
    }
    above += "/" + pointer_token(token);
  }
  const bool plain = value.is_primitive() && !value.is_null();
  *at = std::move(value);
  if (!plain) json_ = without_unset(std::move(json_));
  origins_.add(above, std::move(from));
}

void Document::open(const std::string& part, Json value, Origins::Place from) {
  json_[part] = std::move(value);
  json_ = without_unset(std::move(json_));
  origins_.add("/" + part, std::move(from));
}

std::string Document::text(std::string_view pointer, std::string otherwise) const {
  const Json* value = find(pointer);
  if (!value) return otherwise;
  if (!value->is_string()) expected(pointer, "text");
  return value->get<std::string>();
}

bool Document::flag(std::string_view pointer, bool otherwise) const {
  const Json* value = find(pointer);
  if (!value) return otherwise;
  if (!value->is_boolean()) expected(pointer, "true or false");
  return value->get<bool>();
}

std::uint64_t Document::count(std::string_view pointer, std::uint64_t otherwise) const {
  const Json* value = find(pointer);
  if (!value) return otherwise;
  if (!value->is_number_integer() ||
      (!value->is_number_unsigned() && value->get<std::int64_t>() < 0)) {
    const bool too_large = value->is_number_float() && value->get<double>() >= 0x1p64;
    expected(pointer, too_large ? "an integer below 2^64" : "an integer >= 0");
  }
  return value->get<std::uint64_t>();
}

void Document::know(std::string_view pointer, const std::vector<std::string>& known,
                    std::string_view owner) const {
  const Json* object = find(pointer);
  if (!object) return;
  if (!object->is_object()) expected(pointer, "an object");
  for (const auto& [key, value] : object->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw InputError(where(std::string{pointer} + "/" + pointer_token(key)),
                     std::string{owner} + " has no such part", did_you_mean(key, known));
  }
}

void Document::expected(std::string_view pointer, std::string_view what) const {
  const Json* given = standing(pointer);  // null in a list is given, but none of what is expected
  throw InputError(where(pointer), "expected " + std::string{what} + ", got " +
                                       (given ? shown(*given) : "nothing"));
}

}  // namespace muster
