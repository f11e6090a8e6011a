#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace muster {

/// Keys keep the order in which they were written, so that what is written back reads like what was
/// read.
using Json = nlohmann::ordered_json;

/// JSON with // comments. Text that is not JSON, or an object that names a key twice, is an
/// InputError with the line and column in `where`.
Json parse_json(std::string_view text, const std::string& where);

/// The value if `text` is JSON, otherwise `text` itself: how values on the command line are read.
/// InputError for an object that names a key twice.
Json json_or_text(std::string_view text, const std::string& where);

/// Without the keys, in it and in what it contains, whose value is null: in a configuration they are not set.
Json without_nulls(Json value);

/// A value as a message shows it: compact, and cut when long.
std::string shown(const Json& value);

/// One name as it stands in a JSON pointer: "/" becomes "~1".
std::string pointer_token(std::string_view name);

}  // namespace muster
