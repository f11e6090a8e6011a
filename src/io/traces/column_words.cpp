#include "io/traces/column_words.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "io/traces/muster_columns.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/csv.hpp"

namespace muster {
namespace {

/// What others call the columns that matter most, without case and punctuation.
constexpr auto kWords = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"jobid", "job"},
    {"id", "job"},
    {"jobname", "job"},
    {"submittime", "submit"},
    {"submits", "submit"},
    {"submission", "submit"},
    {"submissiontime", "submit"},
    {"submitted", "submit"},
    {"submittedat", "submit"},
    {"arrival", "submit"},
    {"arrivaltime", "submit"},
    {"timestamp", "submit"},
    {"createdat", "submit"},
    {"creationtime", "submit"},
    {"gpu", "gpus"},
    {"numgpu", "gpus"},
    {"numgpus", "gpus"},
    {"ngpus", "gpus"},
    {"ngpu", "gpus"},
    {"gpunum", "gpus"},
    {"gpucount", "gpus"},
    {"gpucnt", "gpus"},
    {"gpusrequested", "gpus"},
    {"reqgpus", "gpus"},
    {"size", "gpus"},
    {"runtime", "duration"},
    {"durations", "duration"},
    {"runtimes", "duration"},
    {"length", "duration"},
    {"elapsed", "duration"},
    {"runningtime", "duration"},
    {"servicetime", "duration"},
    {"userid", "user"},
    {"username", "user"},
    {"owner", "user"},
    {"vc", "queue"},
    {"partition", "queue"},
    {"pool", "queue"},
    {"account", "group"},
    {"team", "group"},
    {"tenant", "group"},
    {"walltime", "estimate"},
    {"requestedtime", "estimate"},
    {"timelimit", "limit"},
    {"numnodes", "nodes"},
    {"nnodes", "nodes"},
    {"gputype", "gpu_type"},
    {"gpumodel", "gpu_type"},
    {"status", "outcome"},
    {"state", "outcome"},
    {"starttime", "recorded_start"},
    {"endtime", "recorded_end"},
});

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_name(std::string_view field) {
  return !field.empty() && std::isdigit(static_cast<unsigned char>(field.front())) == 0 &&
         field.front() != '-' && field.find_first_of("{}<>\"") == std::string_view::npos;
}

bool is_column(std::string_view name) {
  return std::any_of(muster_columns().begin(), muster_columns().end(),
                     [&](const MusterColumn& column) { return column.name == name; });
}

std::string listed(const std::vector<std::string>& items) {
  return fmt::format("{}", fmt::join(items, ", "));
}

}  // namespace

std::string canonical_column(std::string_view name) {
  const std::string word = plain(name);
  for (const MusterColumn& column : muster_columns())
    if (plain(column.name) == word) return std::string{column.name};
  for (const auto& [other, column] : kWords)
    if (other == word) return std::string{column};
  std::vector<std::string> names;
  for (const MusterColumn& column : muster_columns()) names.emplace_back(column.name);
  return nearest(name, names);
}

std::string header_advice(std::string_view line) {
  CsvLine fields;
  std::string text = "as canonical CSV it";
  if (!fields.split(line, ',') || fields.size() < 2) {
    for (const auto& [mark, name] : {std::pair{';', "semicolons"}, {'\t', "tabs"}}) {
      if (line.find(mark) == std::string_view::npos) continue;
      if (!fields.split(line, mark)) return {};
      text = "its columns are separated by " + std::string{name} +
             ", those of canonical CSV by commas; as such it";
      break;
    }
    if (fields.size() < 2) return {};
  }
  std::vector<std::string> has, missing, guesses;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_name(fields.trim(i))) return {};
    if (is_column(fields.trim(i))) has.emplace_back(fields.trim(i));
  }
  for (const std::string needed : {"job", "submit", "gpus", "duration"}) {
    if (std::find(has.begin(), has.end(), needed) != has.end()) continue;
    if (needed != "job") missing.push_back(needed);  // rows are numbered
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (!is_column(fields.trim(i)) && canonical_column(fields.trim(i)) == needed) {
        guesses.push_back("\"" + std::string{fields.trim(i)} + "\" as " + needed);
        break;
      }
  }
  text += " has " + (has.empty() ? "no known column" : listed(has));
  if (!missing.empty()) text += " and lacks " + listed(missing);
  if (!guesses.empty()) text += "\nrename the columns: " + listed(guesses);
  return text + "\ndocs/traces.md lists all columns; those that it does not list must go";
}

}  // namespace muster
