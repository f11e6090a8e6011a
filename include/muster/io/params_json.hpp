#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/policy/params.hpp"

namespace muster {

/// Whatever walks its parameters: [&](ParamVisitor& visit) { options.walk(visit); }
using ParamWalk = std::function<void(ParamVisitor&)>;

/// One parameter, as --help, the tables of the documentation and error messages show it.
struct ParamInfo {
  enum class Type : std::uint8_t { boolean, integer, number, time, text, choice, map };
  std::string name;
  Type type = Type::text;
  std::string value;                 // the default, as one writes it: "100", "2h"; "" = not set
  std::string range;                 // "1..1000", ">= 0", "" = everything the type can hold
  std::vector<std::string> choices;  // of a choice, in the order declared
  std::string help;                  // a line; those after it, if any, are about its choices
};

/// "int", "time", "none | easy | conservative", ...
std::string type_name(const ParamInfo& param);
/// "depth (int, 100) waiting jobs tried behind the reservation"
std::string describe(const ParamInfo& param);

/// What a walk declares, in its order.
std::vector<ParamInfo> list_params(const ParamWalk& walk);

/// Whose parameters are read and where each stands, for messages.
struct ParamSource {
  std::string owner;  // `policy "batch"`
  /// "depth" -> "configs/easy.json: /policy/depth"; "" -> where the object itself stands.
  std::function<std::string(std::string_view name)> where;
  std::vector<std::string> beside =
      {};  // names that are read elsewhere, for lists of what it takes
};

/// Reads parameters from the text of a JSON object. A name that nobody declared, a value of another
/// type or out of range is an InputError that says what would be right. Times are numbers of seconds
/// or text with a unit ("90s", "15min", "2h", "3d"), exact to the nanosecond (fractions of numbers,
/// which JSON reads as doubles, up to 48 days; of text, always); null = not set.
///
/// Returns the JSON object of *all* parameters with the values they have now: reading that again
/// gives the same, whatever becomes of the defaults.
std::string read_params(std::string_view json, const ParamWalk& walk, const ParamSource& source);

/// The values the parameters have now, as the text of a JSON object.
std::string dump_params(const ParamWalk& walk);

/// The JSON Schema (draft 2020-12) of the object that read_params takes.
std::string params_schema(const ParamWalk& walk);

}  // namespace muster
