#include "io/traces/muster_values.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "muster/core/error.hpp"
#include "muster/io/text/csv.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {
namespace {

// Calls `each` with every part of `text` between separators.
template <class Each>
void for_each_part(std::string_view text, std::string_view separators, const Each& each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    each(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

template <class E, std::size_t N>
E word(Cell cell, const std::array<E, N>& all, E otherwise) {
  if (cell.empty()) return otherwise;
  std::string list;
  for (const E value : all) {
    if (name(value) == cell.text) return value;
    list += (list.empty() ? "" : ", ") + std::string{name(value)};
  }
  bad_cell(cell, "one of " + list);
}

std::optional<Level> level_named(std::string_view text) {
  if (text == "node") return Level::node;
  if (text == "nvlink") return Level::nvlink;
  if (text == "leaf") return Level::leaf;
  if (text == "pod") return Level::pod;
  if (text == "fabric") return Level::fabric;
  if (text == "any") return Level::fleet;
  return std::nullopt;
}

std::string_view level_text(Level level) {
  constexpr std::array<std::string_view, kLevels> kTexts{"node", "nvlink", "leaf",
                                                         "pod",  "fabric", "any"};
  return kTexts[static_cast<std::size_t>(level)];
}

}  // namespace

Qos qos_of(Cell cell) {
  return word(cell, std::array{Qos::guaranteed, Qos::normal, Qos::best_effort, Qos::spot},
              Qos::normal);
}

Outcome outcome_of(Cell cell) {
  return word(
      cell,
      std::array{Outcome::completed, Outcome::failed, Outcome::cancelled, Outcome::timeout,
                 Outcome::node_fail, Outcome::preempted, Outcome::running, Outcome::unknown},
      Outcome::completed);
}

std::string_view kind_of(Cell cell) {
  const bool known =
      cell.empty() || cell.text == "batch" || cell.text == "service" || cell.text == "interactive";
  if (!known) bad_cell(cell, "one of batch, service, interactive");
  return cell.text;
}

MigId mig_of(Cell cell) {
  const MigId id = mig_id(cell.text);
  if (id == 0)
    bad_cell(cell, "a MIG profile such as 1g.10gb, 2g.20gb, 3g.40gb, 4g.40gb or 7g.80gb");
  return id;
}

std::uint64_t task_sum(Cell cell) {
  std::uint64_t sum = 0;
  bool good = cell.empty() || (cell.text.front() != '+' && cell.text.back() != '+');
  for_each_part(cell.text, "+", [&](std::string_view part) {
    const std::int64_t gpus = parse_integer(part).value_or(0);
    good = good && gpus >= 1 && gpus <= 64;
    if (good) sum += static_cast<std::uint64_t>(gpus);
  });
  if (!good) bad_cell(cell, "the GPUs of each task, such as 4+8 (1 to 64 each)");
  return sum;
}

std::vector<std::string> id_list(Cell cell) {
  std::vector<std::string> ids;
  for_each_part(cell.text, ";|", [&](std::string_view part) {
    if (part.empty()) bad_cell(cell, "job ids separated by ; or |");
    ids.emplace_back(part);
  });
  return ids;
}

std::pair<std::uint32_t, std::uint32_t> gpu_range(Cell cell) {
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  const bool list = cell.text.find('|') != std::string_view::npos;
  const std::string_view between = list ? "|" : "-";
  bool good = !cell.text.ends_with(between);
  std::size_t parts = 0;
  for_each_part(cell.text, between, [&](std::string_view part) {
    const std::int64_t gpus = parse_integer(part).value_or(0);
    good = good && gpus >= 1 && gpus <= kMostGpus && (list || (gpus >= most && ++parts <= 2));
    least = std::min(least, gpus);
    most = std::max(most, gpus);
  });
  if (!good || most == 0) bad_cell(cell, "a range such as 2-8 or a list such as 1|2|4|8");
  return {static_cast<std::uint32_t>(least), static_cast<std::uint32_t>(most)};
}

std::vector<SizeRequest> size_list(Cell cell) {
  std::vector<SizeRequest> list;
  for_each_part(cell.text, ";", [&](std::string_view part) {
    const std::size_t colon = part.find(':');
    const auto after = parse_time_span(part.substr(0, colon));
    const std::int64_t gpus =
        colon == std::string_view::npos ? 0 : parse_integer(part.substr(colon + 1)).value_or(0);
    const bool in_order = list.empty() || !after || *after > list.back().after;
    if (!after || *after < Duration{} || *after > kLongest || gpus < 1 || gpus > kMostGpus ||
        !in_order)
      bad_cell(cell, "times after the submit with numbers of GPUs, in order, such as 10min:8;1h:4");
    list.push_back({*after, static_cast<std::uint32_t>(gpus)});
  });
  return list;
}

std::vector<Duration> time_list(Cell cell) {
  constexpr const char* kExpected = "the run times of attempts, such as 2h;30min";
  std::vector<Duration> list;
  Duration left = kLongest;
  if (const auto text = trimmed(cell.text); text.ends_with(';') || text.ends_with('|'))
    bad_cell(cell, kExpected);
  for_each_part(cell.text, ";|", [&](std::string_view part) {
    const auto time = parse_time_span(part);
    if (!time || *time < Duration{}) bad_cell(cell, kExpected);
    if (*time > left) bad_cell(cell, "attempts of at most 100 years together");
    list.push_back(*time);
    left -= *time;
  });
  return list;
}

void set_locality(Cell cell, Shape& shape) {
  constexpr std::string_view kWish = "prefer:";
  for_each_part(cell.text, ";", [&](std::string_view part) {
    const bool wish = part.starts_with(kWish);
    const auto level = level_named(wish ? part.substr(kWish.size()) : part);
    if (!level) bad_cell(cell, "node, nvlink, leaf, pod, fabric or any; a wish as prefer:leaf");
    (wish ? shape.preferred : shape.required) = *level;
  });
}

std::string locality_text(const Shape& shape) {
  std::string text;
  if (shape.required != Level::fleet) text = level_text(shape.required);
  if (shape.preferred == Level::fleet) return text;
  return text + (text.empty() ? "prefer:" : ";prefer:") + std::string{level_text(shape.preferred)};
}

}  // namespace muster
