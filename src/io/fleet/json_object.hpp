#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/json_text.hpp"

namespace muster {

/// Reads the members of one JSON object by name, with the message for each way a member can be
/// wrong. done() refuses the members that nobody asked for and suggests the ones that exist. Keys are
/// literals: they are kept as views.
class JsonObject {
 public:
  /// `pointer` is where the object is in the file, "" for the whole of it.
  JsonObject(const Json& value, std::string where, std::string pointer);

  bool has(std::string_view key);
  /// The member, or null. Counts as asked for.
  const Json* find(std::string_view key);
  std::string text(std::string_view key, std::string otherwise = {});  // refuses ""
  std::string required_text(std::string_view key);
  std::uint64_t integer(std::string_view key, std::uint64_t least, std::uint64_t most,
                        std::uint64_t otherwise);
  double number(std::string_view key, double least, double most, double otherwise);
  double required_number(std::string_view key, double least, double most);
  /// The member, which must be there: true or false.
  bool flag(std::string_view key);
  const Json& array(std::string_view key);  // refuses an empty one
  void done() const;

  /// "fleet.json: /groups/0/gpus"; without a key, of the object itself.
  std::string at(std::string_view key = {}) const;
  const std::string& where() const { return where_; }
  std::string pointer(std::string_view key) const;

 private:
  const Json* value_;
  std::string where_;
  std::string pointer_;
  std::vector<std::string_view> known_;
};

}  // namespace muster
