#include "io/traces/slurm_values.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {
namespace {

constexpr std::string_view kGpu = "gres/gpu";

// Calls `each` with key and value of every "key=value" between commas.
template <class Each>
void for_each_entry(Cell cell, const Each& each) {
  for (std::string_view rest = cell.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view entry = rest.substr(0, end);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos)
      bad_cell(cell, "entries such as gres/gpu=8 between commas");
    each(entry.substr(0, equals), entry.substr(equals + 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::uint32_t as_count(Cell cell, std::int64_t sum) {
  if (sum < 0 || sum > kMostGpus) bad_cell(cell, "at most " + std::to_string(kMostGpus) + " GPUs");
  return static_cast<std::uint32_t>(sum);
}

std::int64_t count_in(Cell cell, std::string_view value) {
  const auto n = parse_integer(value);
  if (!n || *n < 0 || *n > kMostGpus) bad_cell(cell, "whole numbers of GPUs");
  return *n;
}

}  // namespace

Duration slurm_duration(Cell cell) {
  constexpr const char* kExpected = "a time as Slurm writes it: [days-][hours:]minutes:seconds";
  std::string_view text = cell.text;
  Duration sum{};
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const std::int64_t days = parse_integer(text.substr(0, dash)).value_or(-1);
    if (days < 0 || days > 36500) bad_cell(cell, kExpected);
    sum += std::chrono::hours{24 * days};
    text.remove_prefix(dash + 1);
  }
  std::array<std::string_view, 3> parts;
  std::size_t count = 0;
  for (std::size_t colon = 0; colon != std::string_view::npos && count < 3; ++count) {
    colon = text.find(':');
    parts[count] = text.substr(0, colon);
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  }
  if (!text.empty() || (count == 1 && dash == std::string_view::npos)) bad_cell(cell, kExpected);
  // Behind days, two parts are hours and minutes; alone they are minutes and seconds.
  constexpr std::array<Duration, 3> kUnits{std::chrono::hours{1}, std::chrono::minutes{1},
                                           std::chrono::seconds{1}};
  const std::size_t from = count == 3 || dash != std::string_view::npos ? 0 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const bool digit = !parts[i].empty() && parts[i].front() >= '0' && parts[i].front() <= '9';
    const auto part = parse_duration(parts[i], kUnits[from + i]);
    if (!digit || !part || *part > kLongest) bad_cell(cell, kExpected);
    sum += *part;
  }
  if (sum > kLongest) bad_cell(cell, "a time of at most 100 years");
  return sum;
}

Outcome outcome_of_slurm_state(std::string_view state) {
  state = state.substr(0, state.find(' '));  // "CANCELLED by 4242"
  if (state.ends_with('+')) state.remove_suffix(1);
  constexpr std::array<std::pair<std::string_view, Outcome>, 12> kStates{{
      {"COMPLETED", Outcome::completed},
      {"FAILED", Outcome::failed},
      {"OUT_OF_MEMORY", Outcome::failed},
      {"CANCELLED", Outcome::cancelled},
      {"REVOKED", Outcome::cancelled},
      {"TIMEOUT", Outcome::timeout},
      {"DEADLINE", Outcome::timeout},
      {"NODE_FAIL", Outcome::node_fail},
      {"BOOT_FAIL", Outcome::node_fail},
      {"PREEMPTED", Outcome::preempted},
      {"RUNNING", Outcome::running},
      {"SUSPENDED", Outcome::running},
  }};
  for (const auto& [text, outcome] : kStates)
    if (state == text) return outcome;
  return Outcome::unknown;
}

Outcome outcome_of_slurm_code(std::int64_t code) {
  switch (code & 0xff) {  // flags above
    case 1:
    case 2:
      return Outcome::running;
    case 3:
      return Outcome::completed;
    case 4:
      return Outcome::cancelled;
    case 5:
    case 11:
      return Outcome::failed;
    case 6:
    case 10:
      return Outcome::timeout;
    case 7:
    case 9:
      return Outcome::node_fail;
    case 8:
      return Outcome::preempted;
    default:
      return Outcome::unknown;
  }
}

bool is_pending_state(std::string_view state) {
  state = state.substr(0, state.find(' '));
  return state == "PENDING" || state == "REQUEUED" || state == "CONFIGURING";
}

std::uint32_t gpus_of_tres(Cell cell) {
  std::int64_t all = -1;
  std::int64_t typed = 0;
  for_each_entry(cell, [&](std::string_view key, std::string_view value) {
    if (key == kGpu) all = count_in(cell, value);
    if (key.starts_with(kGpu) && key.substr(kGpu.size()).starts_with(':'))
      typed += count_in(cell, value);
  });
  return as_count(cell, all >= 0 ? all : typed);
}

std::string_view gpu_type_of_tres(std::string_view tres) {
  std::string_view type;
  const Cell cell{"TRES", tres};
  bool several = false;
  for_each_entry(cell, [&](std::string_view key, std::string_view) {
    if (!key.starts_with(kGpu) || !key.substr(kGpu.size()).starts_with(':')) return;
    several = several || !type.empty();
    type = key.substr(kGpu.size() + 1);
  });
  return several ? std::string_view{} : type;
}

std::uint32_t gpus_of_tres_ids(Cell cell, std::string_view gpu_ids) {
  std::int64_t sum = 0;
  for_each_entry(cell, [&](std::string_view key, std::string_view value) {
    for (std::string_view rest = gpu_ids; !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      if (rest.substr(0, end) == key) sum += count_in(cell, value);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  });
  return as_count(cell, sum);
}

bool is_unknown_time(std::string_view text) {
  return text.empty() || text == "Unknown" || text == "None" || text == "N/A";
}

}  // namespace muster
