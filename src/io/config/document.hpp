#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/json_text.hpp"
#include "io/config/origins.hpp"

namespace muster {

/// A configuration: JSON in which every value knows where it came from, and whose parts may be names
/// of other files. A key whose value is null, wherever it stands, is not set (but has to be one
/// where parameters are read). What the parts mean is not known here.
class Document {
 public:
  static Document read(const std::filesystem::path& file, std::vector<std::string> parts);
  static Document parse(std::string_view text, const std::string& where,
                        const std::filesystem::path& folder, std::vector<std::string> parts);
  /// Of JSON that is parsed already.
  static Document of(Json parsed, const std::string& where, const std::filesystem::path& folder,
                     std::vector<std::string> parts);
  explicit Document(std::vector<std::string> parts = {}) : parts_(std::move(parts)) {}

  const Json& json() const { return json_; }
  /// Null if nothing is given there.
  const Json* find(std::string_view pointer) const;
  std::string where(std::string_view pointer) const { return origins_(pointer); }
  /// The text at `pointer` as a path relative to the working directory.
  std::filesystem::path path(std::string_view pointer) const;

  /// What a path at `pointer` is relative to; empty = the working directory.
  std::filesystem::path folder(std::string_view pointer) const { return origins_.folder(pointer); }

  /// Replaces or adds a value. Everything on the way must be an object (or missing).
  void set(const std::string& pointer, Json value, Origins::Place from);
  /// Replaces a part by what its name stands for.
  void open(const std::string& part, Json value, Origins::Place from);

  // Reading with messages. `otherwise` if nothing is given.
  std::string text(std::string_view pointer, std::string otherwise = {}) const;
  bool flag(std::string_view pointer, bool otherwise) const;
  std::uint64_t count(std::string_view pointer, std::uint64_t otherwise) const;

  /// Refuses keys of the object at `pointer` (which must be one, if given) that are not `known`.
  void know(std::string_view pointer, const std::vector<std::string>& known,
            std::string_view owner) const;
  /// InputError: "<where it stands>: expected <what>, got <value>".
  [[noreturn]] void expected(std::string_view pointer, std::string_view what) const;

 private:
  const Json* standing(std::string_view pointer) const;  // also null, where that stands there

  std::vector<std::string> parts_;  // keys of the outermost object
  Json json_ = Json::object();
  Origins origins_;
};

/// "/policy/depth" -> policy, depth. InputError, with `where` in front, if it is no JSON pointer.
std::vector<std::string> pointer_tokens(std::string_view pointer, const std::string& where);

}  // namespace muster
