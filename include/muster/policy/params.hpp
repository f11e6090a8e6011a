#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "muster/core/time.hpp"

namespace muster {

/// Walks parameters one by one. The same walk reads them from JSON or the command line, rejects
/// names nobody declared, prints them in reports, lists them in --help and writes the JSON Schema.
/// On entry the value is the default; a reading visitor replaces it.
class ParamVisitor {
 public:
  virtual ~ParamVisitor() = default;
  virtual void visit(std::string_view name, bool& value, std::string_view help) = 0;
  virtual void visit(std::string_view name, std::int64_t& value, std::int64_t least,
                     std::int64_t most, std::string_view help) = 0;
  virtual void visit(std::string_view name, double& value, double least, double most,
                     std::string_view help) = 0;
  /// A time; kUnknown = not set.
  virtual void visit(std::string_view name, Duration& value, std::string_view help) = 0;
  virtual void visit(std::string_view name, std::string& value, std::string_view help) = 0;
  /// One of `choices`, by index.
  virtual void visit(std::string_view name, int& value, std::span<const std::string_view> choices,
                     std::string_view help) = 0;
  /// Name -> number, 0 or more, for example GPUs per queue.
  virtual void visit(std::string_view name, std::map<std::string, std::int64_t>& value,
                     std::string_view help) = 0;
  /// Name -> name, for example the cohort of a queue.
  virtual void visit(std::string_view name, std::map<std::string, std::string>& value,
                     std::string_view help) = 0;

  /// The enumerators must be 0, 1, 2, ... in the order of `choices`.
  template <class E>
    requires std::is_enum_v<E>
  void choice(std::string_view name, E& value, std::span<const std::string_view> choices,
              std::string_view help) {
    int index = static_cast<int>(value);
    visit(name, index, choices, help);
    value = static_cast<E>(index);
  }
};

}  // namespace muster
