#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// Parses JSON and refuses what nlohmann::json lets pass: a key written twice. InputError with
/// "WHERE:LINE:COLUMN" in front.
nlohmann::json parse_json(std::string_view text, std::string_view where);

/// Reads the members of one JSON object by name, with the message for each way a member can be
/// wrong. done() refuses the members that nobody asked for and suggests the ones that exist.
class JsonObject {
 public:
  /// `pointer` is where the object is in the file, "" for the whole of it.
  JsonObject(const nlohmann::json& value, std::string where, std::string pointer);

  bool has(std::string_view key);
  /// The member, or null. Counts as asked for.
  const nlohmann::json* find(std::string_view key);
  std::string text(std::string_view key, std::string otherwise = {});  // refuses ""
  std::string required_text(std::string_view key);
  std::uint64_t integer(std::string_view key, std::uint64_t least, std::uint64_t most,
                        std::uint64_t otherwise);
  double number(std::string_view key, double least, double most, double otherwise);
  const nlohmann::json& array(std::string_view key);  // refuses an empty one
  void done() const;

  /// "fleet.json: /groups/0/gpus"; without a key, of the object itself.
  std::string at(std::string_view key = {}) const;
  const std::string& where() const { return where_; }
  std::string pointer(std::string_view key) const;

 private:
  const nlohmann::json* value_;
  std::string where_;
  std::string pointer_;
  std::vector<std::string> known_;
};

/// "8", "\"8\"", "an array": a value as messages quote it.
std::string quoted(const nlohmann::json& value);

}  // namespace muster
