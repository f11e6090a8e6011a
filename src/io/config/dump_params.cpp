#include "io/config/dump_params.hpp"

#include "io/config/duration_text.hpp"
#include "muster/io/params_json.hpp"

namespace muster {
namespace {

std::string key(std::string_view name) { return std::string{name}; }

/// Whole seconds as a number, which is what people write; the rest as text, which is exact.
Json time_value(Duration d) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (d == kUnknown) return nullptr;
  if (d == kUnlimited || d.count() % kSecond != 0) return duration_text(d);
  return d.count() / kSecond;
}

}  // namespace

void ParamDump::visit(std::string_view name, bool& value, std::string_view) {
  object[key(name)] = value;
}
void ParamDump::visit(std::string_view name, std::int64_t& value, std::int64_t, std::int64_t,
                      std::string_view) {
  object[key(name)] = value;
}
void ParamDump::visit(std::string_view name, double& value, double, double, std::string_view) {
  object[key(name)] = value;
}
void ParamDump::visit(std::string_view name, Duration& value, std::string_view) {
  object[key(name)] = time_value(value);
}
void ParamDump::visit(std::string_view name, std::string& value, std::string_view) {
  object[key(name)] = value;
}
void ParamDump::visit(std::string_view name, int& value, std::span<const std::string_view> choices,
                      std::string_view) {
  object[key(name)] = choices[static_cast<std::size_t>(value)];
}
void ParamDump::visit(std::string_view name, std::map<std::string, std::int64_t>& value,
                      std::string_view) {
  object[key(name)] = value;
}
void ParamDump::visit(std::string_view name, std::map<std::string, std::string>& value,
                      std::string_view) {
  object[key(name)] = value;
}

std::string dump_params(const ParamWalk& walk) {
  ParamDump dump;
  walk(dump);
  return dump.object.dump(2);
}

}  // namespace muster
