#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "io/cost/desk.hpp"
#include "io/results/json_text.hpp"

namespace muster {
namespace {

std::string plain(const std::string& json) {
  return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

std::string decimal(std::int64_t ns, std::int64_t unit) {
  std::string text = std::to_string(ns / unit);
  std::string digits = std::to_string(ns % unit + unit).substr(1);
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits.empty() ? text : text + "." + digits;
}

}  // namespace

std::string json_number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}
std::string json_micros(Duration time) { return decimal(time.count(), 1000); }
std::string json_seconds(Duration time) { return decimal(time.count(), 1000000000); }

std::string cost_text(const CostAnswer& answer) {
  std::string out;
  for (const auto& [name, value] : answer.values)
    out += fmt::format("{:<15} {}\n", name, plain(value));
  if (answer.terms.empty()) return out;
  out += fmt::format("\n{:<17} {:>14}  {}\n", "term", "us", "from");
  for (const CostAnswer::Term& term : answer.terms) {
    out += fmt::format("{:<17} {:>14}  {}\n", term.name, json_micros(term.time), term.inputs);
    if (!term.source.empty()) out += fmt::format("{:<17} {:>14}  {}\n", "", "", term.source);
  }
  return out;
}

std::string cost_json(const CostAnswer& answer) {
  JsonText json;
  json.open();
  for (const auto& [name, value] : answer.values) json.raw(name, value);
  json.open_list("terms");
  for (const CostAnswer::Term& term : answer.terms) {
    json.open();
    json.text("name", term.name);
    json.raw("us", json_micros(term.time));
    json.text("inputs", term.inputs);
    json.text("source", term.source);
    json.close();
  }
  json.close_list();
  json.close();
  return json.take();
}

}  // namespace muster
