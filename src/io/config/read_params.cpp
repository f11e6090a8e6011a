#include <algorithm>
#include <map>
#include <optional>

#include "io/config/dump_params.hpp"
#include "io/config/duration_text.hpp"
#include "io/config/json_text.hpp"
#include "io/config/param_text.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"
#include "muster/io/params_json.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

/// Replaces each value that the object names, and notes the value of each parameter. (What makes a
/// policy walks its parameters only once: afterwards nobody can ask for them.)
class Reader final : public ParamVisitor {
 public:
  Reader(const Json& object, const ParamSource& source) : object_(object), source_(source) {}

  void visit(std::string_view name, bool& value, std::string_view help) override {
    if (const Json* given = find(name)) {
      if (!given->is_boolean()) expected(name, "true or false", *given);
      value = given->get<bool>();
    }
    now_.visit(name, value, help);
  }

  void visit(std::string_view name, std::int64_t& value, std::int64_t least, std::int64_t most,
             std::string_view help) override {
    if (const Json* given = find(name)) {
      const std::string what = spaced("an integer", range_text(least, most));
      value = integer(name, *given, what);
      if (value < least || value > most) expected(name, what, *given);
    }
    now_.visit(name, value, least, most, help);
  }

  void visit(std::string_view name, double& value, double least, double most,
             std::string_view help) override {
    if (const Json* given = find(name)) {
      const std::string what = spaced("a number", range_text(least, most));
      if (!given->is_number()) expected(name, what, *given);
      value = given->get<double>();
      if (!(value >= least && value <= most)) expected(name, what, *given);
    }
    now_.visit(name, value, least, most, help);
  }

  void visit(std::string_view name, Duration& value, std::string_view help) override {
    if (const Json* given = find(name)) value = time(name, *given);
    now_.visit(name, value, help);
  }

  void visit(std::string_view name, std::string& value, std::string_view help) override {
    if (const Json* given = find(name)) {
      if (!given->is_string()) expected(name, "text", *given);
      value = given->get<std::string>();
    }
    now_.visit(name, value, help);
  }

  void visit(std::string_view name, int& value, std::span<const std::string_view> choices,
             std::string_view help) override {
    if (const Json* given = find(name)) value = choice(name, *given, choices);
    now_.visit(name, value, choices, help);
  }

  void visit(std::string_view name, std::map<std::string, std::int64_t>& value,
             std::string_view help) override {
    if (const Json* given = find(name)) {
      if (!given->is_object()) expected(name, R"(an object such as {"a": 8, "b": 16})", *given);
      value.clear();
      for (const auto& [key, number] : given->items())
        value[key] = amount(std::string{name} + "/" + pointer_token(key), number);
    }
    now_.visit(name, value, help);
  }

  void visit(std::string_view name, std::map<std::string, std::string>& value,
             std::string_view help) override {
    if (const Json* given = find(name)) {
      if (!given->is_object()) expected(name, R"(an object such as {"a": "b"})", *given);
      value.clear();
      for (const auto& [key, text] : given->items()) {
        if (!text.is_string()) expected(std::string{name} + "/" + pointer_token(key), "text", text);
        value[key] = text.get<std::string>();
      }
    }
    now_.visit(name, value, help);
  }

  Json now() { return std::move(now_.object); }

 private:
  Duration time(std::string_view name, const Json& value) const {
    if (value == "unlimited") return kUnlimited;
    std::optional<Duration> read;
    if (value.is_number()) read = parse_time_span(value.dump());
    if (value.is_string()) read = parse_time_span(value.get<std::string>());
    if (!read || *read < Duration{} || *read > kLongest)
      expected(name, R"(a time of at most 100 years (seconds, or text such as "15min"))", value);
    return *read;
  }

  int choice(std::string_view name, const Json& value,
             std::span<const std::string_view> choices) const {
    std::string advice;
    if (value.is_string()) {
      const std::string word = value.get<std::string>();
      const auto at = std::find(choices.begin(), choices.end(), word);
      if (at != choices.end()) return static_cast<int>(at - choices.begin());
      advice = nearest(word, {choices.begin(), choices.end()});
      if (!advice.empty()) advice = "did you mean \"" + advice + "\"?";
    }
    expected(name, "one of " + joined(choices, ", "), value, advice);
  }

  const Json* find(std::string_view name) const {
    const auto at = object_.find(name);
    return at == object_.end() ? nullptr : &*at;
  }

  std::int64_t integer(std::string_view name, const Json& given, const std::string& what) const {
    if (!given.is_number_integer()) expected(name, what, given);
    if (given.is_number_unsigned() &&
        given.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
      expected(name, what, given);
    return given.get<std::int64_t>();
  }

  std::int64_t amount(const std::string& name, const Json& given) const {
    const std::string what = "an integer >= 0";
    const std::int64_t value = integer(name, given, what);
    if (value < 0) expected(name, what, given);
    return value;
  }

  static std::string spaced(const std::string& a, const std::string& b) {
    return b.empty() ? a : a + " " + b;
  }

  [[noreturn]] void expected(std::string_view name, const std::string& what, const Json& given,
                             const std::string& advice = {}) const {
    throw InputError(source_.where(name), "expected " + what + ", got " + shown(given), advice);
  }

  const Json& object_;
  const ParamSource& source_;
  ParamDump now_;
};

void refuse_unknown(const Json& object, const std::vector<ParamInfo>& known,
                    const ParamSource& source) {
  std::vector<std::string> names;
  for (const ParamInfo& param : known) names.push_back(param.name);
  for (const auto& [key, value] : object.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    names.insert(names.end(), source.beside.begin(), source.beside.end());
    std::string advice;
    if (names.empty()) {
      advice = "it takes none";
    } else if (const std::string meant = nearest(key, names); meant.empty()) {
      advice = did_you_mean(key, names);
    } else {
      const auto it =
          static_cast<std::size_t>(std::find(names.begin(), names.end(), meant) - names.begin());
      advice = "did you mean \"" + meant + "\"?";
      if (it < known.size()) advice += "  it takes: " + describe(known[it]);
    }
    throw InputError(source.where(key), source.owner + " has no such parameter", advice);
  }
}

}  // namespace

Json read_params_object(const Json& object, const ParamWalk& walk, const ParamSource& source) {
  if (!object.is_object())
    throw InputError(source.where(""), "expected an object with the parameters of " + source.owner +
                                           ", got " + shown(object));
  refuse_unknown(object, list_params(walk), source);
  const Json set = without_nulls(object);
  Reader reader{set, source};
  walk(reader);
  return reader.now();
}

std::string read_params(std::string_view json, const ParamWalk& walk, const ParamSource& source) {
  return read_params_object(parse_json(json, source.where("")), walk, source).dump(2);
}

}  // namespace muster
