#include <cmath>
#include <cstdio>
#include <limits>

#include "io/config/duration_text.hpp"
#include "io/config/json_text.hpp"
#include "io/config/param_text.hpp"
#include "muster/core/error.hpp"
#include "muster/io/params_json.hpp"

namespace muster {
namespace {

using Type = ParamInfo::Type;

/// Notes what is declared and changes nothing.
class Lister final : public ParamVisitor {
 public:
  void visit(std::string_view name, bool& value, std::string_view help) override {
    add(name, Type::boolean, value ? "true" : "false", "", help);
  }
  void visit(std::string_view name, std::int64_t& value, std::int64_t least, std::int64_t most,
             std::string_view help) override {
    add(name, Type::integer, std::to_string(value), range_text(least, most), help);
  }
  void visit(std::string_view name, double& value, double least, double most,
             std::string_view help) override {
    add(name, Type::number, Json(value).dump(), range_text(least, most), help);
  }
  void visit(std::string_view name, Duration& value, std::string_view help) override {
    add(name, Type::time, value == kUnknown ? "" : duration_text(value), "", help);
  }
  void visit(std::string_view name, std::string& value, std::string_view help) override {
    add(name, Type::text, value, "", help);
  }
  void visit(std::string_view name, int& value, std::span<const std::string_view> choices,
             std::string_view help) override {
    add(name, Type::choice, std::string{choices[static_cast<std::size_t>(value)]}, "", help);
    found.back().choices.assign(choices.begin(), choices.end());
  }
  void visit(std::string_view name, std::map<std::string, std::int64_t>& value,
             std::string_view help) override {
    add(name, Type::map, value.empty() ? "" : Json(value).dump(), "", help);
  }
  void visit(std::string_view name, std::map<std::string, std::string>& value,
             std::string_view help) override {
    add(name, Type::map, value.empty() ? "" : Json(value).dump(), "", help);
  }

  std::vector<ParamInfo> found;

 private:
  void add(std::string_view name, Type type, std::string value, std::string range,
           std::string_view help) {
    found.push_back(
        {std::string{name}, type, std::move(value), std::move(range), {}, std::string{help}});
  }
};

std::string range(const std::string& least, const std::string& most) {
  if (least.empty() && most.empty()) return {};
  if (most.empty()) return ">= " + least;
  if (least.empty()) return "<= " + most;
  return least + ".." + most;
}

std::string finite(double value) {
  return std::isfinite(value) ? Json(value).dump() : std::string{};
}

}  // namespace

std::string range_text(std::int64_t least, std::int64_t most) {
  using Limits = std::numeric_limits<std::int64_t>;
  return range(least == Limits::min() ? "" : std::to_string(least),
               most == Limits::max() ? "" : std::to_string(most));
}

std::string range_text(double least, double most) {
  const auto text = [](double value) {
    if (std::abs(value) >= std::numeric_limits<double>::max()) return std::string{};
    if (value == std::floor(value) && std::abs(value) < 1e15)
      return std::to_string(static_cast<std::int64_t>(value));
    return finite(value);
  };
  return range(text(least), text(most));
}

std::string joined(std::span<const std::string_view> words, std::string_view between) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

std::vector<ParamInfo> list_params(const ParamWalk& walk) {
  Lister lister;
  try {
    walk(lister);
  } catch (const InputError&) {
    // What takes the values refuses its defaults; by then it has declared them all.
  }
  return std::move(lister.found);
}

std::string type_name(const ParamInfo& param) {
  switch (param.type) {
    case Type::boolean:
      return "true | false";
    case Type::integer:
      return param.range.empty() ? "int" : "int " + param.range;
    case Type::number:
      return param.range.empty() ? "number" : "number " + param.range;
    case Type::time:
      return "time";
    case Type::text:
      return "text";
    case Type::map:
      return "name: int, ...";
    case Type::choice:
      break;
  }
  std::vector<std::string_view> words{param.choices.begin(), param.choices.end()};
  return joined(words, " | ");
}

std::string describe(const ParamInfo& param) {
  const bool plain = param.type == Type::integer || param.type == Type::number;
  std::string type = type_name(param);
  if (plain) type = param.type == Type::integer ? "int" : "number";
  return param.name + " (" + type + ", " + (param.value.empty() ? "not set" : param.value) + ") " +
         param.help.substr(0, param.help.find('\n'));
}

}  // namespace muster
