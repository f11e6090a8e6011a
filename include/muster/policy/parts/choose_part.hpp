#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "muster/core/check.hpp"
#include "muster/policy/params.hpp"

namespace muster {

/// A parameter that names a part of the registry `Parts`: one of those that registered themselves, so
/// a new one is accepted, listed and in the schema without a change here or anywhere else. `value` is
/// the default, which must exist. `unset`: the choice that stands for no name at all, if there is one.
template <class Parts>
void choose_part(ParamVisitor& visit, std::string_view name, std::string& value,
                 std::string_view help, std::string_view unset = {}) {
  std::vector<std::string_view> names;
  std::string lines{help};
  int index = -1;
  const auto add = [&](std::string_view word, std::string_view part) {
    if (part == value) index = static_cast<int>(names.size());
    names.push_back(word);
  };
  if (!unset.empty()) add(unset, "");
  for (const auto& [part, info] : Parts::all()) {
    add(part, part);
    lines += "\n" + part + ": " + info.summary;
  }
  MUSTER_CHECK(index >= 0);
  visit.visit(name, index, names, lines);
  value = names[static_cast<std::size_t>(index)];
  if (value == unset) value.clear();
}

}  // namespace muster
