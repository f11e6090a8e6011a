#include "muster/io/nccl_log.hpp"

#include <algorithm>
#include <optional>

#include "io/config/json_text.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/csv.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

/// A line without what mpirun or srun put in front of it.
std::string_view without_prefix(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('[')) {
    const std::size_t end = line.find(">:");
    return end == std::string_view::npos ? line : trimmed(line.substr(end + 2));
  }
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits > 0 && digits != std::string_view::npos && line[digits] == ':')
    return trimmed(line.substr(digits + 1));
  return line;
}

/// Where a header says that the size and the first time stand.
struct Columns {
  std::size_t size = 0, time = 0;
};

std::optional<Columns> header(std::string_view comment) {
  CsvLine words;
  words.split_blanks(comment.substr(1));
  std::optional<std::size_t> size, time;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "size" && !size) size = i;
    if (words[i] == "time" && !time) time = i;
  }
  if (!size || !time || *size > *time) return std::nullopt;
  return Columns{*size, *time};
}

NcclRow row(const CsvLine& words, const Columns& columns, const std::string& where) {
  const auto number = [&](std::size_t column, const char* what) {
    const auto value = column < words.size() ? parse_real(words[column]) : std::nullopt;
    if (!value || *value < 0)
      throw InputError(
          where, std::string{"expected a "} + what + " in column " + std::to_string(column + 1) +
                     (column < words.size() ? ", got \"" + std::string{words[column]} + "\""
                                            : ", but the line ends before it"));
    return *value;
  };
  return {number(columns.size, "size"), number(columns.time, "time")};
}

std::vector<NcclRow> read_text_log(std::string_view text, const std::string& name) {
  std::vector<NcclRow> rows;
  std::optional<Columns> columns;
  CsvLine words;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = without_prefix(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++number;
    if (line.starts_with('#')) {
      if (const auto found = header(line)) columns = found;
      continue;
    }
    words.split_blanks(line);
    if (!columns || words.size() == 0 || !parse_integer(words[0])) continue;  // what others print
    rows.push_back(row(words, *columns, name + ":" + std::to_string(number)));
  }
  if (!columns)
    throw InputError(name, "is no log of nccl-tests: no commented line names size and time");
  return rows;
}

std::vector<NcclRow> read_json_log(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name);
  const auto results = json.find("results");
  if (results == json.end() || !results->is_array())
    throw InputError(name + ": /results", "expected an array: what nccl-tests -J writes");
  std::vector<NcclRow> rows;
  for (std::size_t i = 0; i < results->size(); ++i) {
    const std::string at = name + ": /results/" + std::to_string(i);
    const Json& result = (*results)[i];
    const auto number = [&](const Json& value, const std::string& where) {
      if (!value.is_number() || value.get<double>() < 0)
        throw InputError(where, "expected a number, got " + shown(value));
      return value.get<double>();
    };
    if (!result.is_object() || !result.contains("size") || !result.contains("out_of_place") ||
        !result["out_of_place"].is_object() || !result["out_of_place"].contains("time"))
      throw InputError(at, "expected \"size\" and \"out_of_place\" with its \"time\"");
    rows.push_back({number(result["size"], at + "/size"),
                    number(result["out_of_place"]["time"], at + "/out_of_place/time")});
  }
  return rows;
}

}  // namespace

std::vector<NcclRow> read_nccl_log(std::string_view text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  std::vector<NcclRow> rows = json ? read_json_log(text, name) : read_text_log(text, name);
  std::erase_if(rows, [](const NcclRow& r) { return r.bytes == 0 || r.us == 0; });
  if (rows.empty()) throw InputError(name, "has no row with a size and a time");
  return rows;
}

}  // namespace muster
