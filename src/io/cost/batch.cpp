// A CSV of questions to a CSV of answers.

#include <algorithm>

#include "io/config/text_file.hpp"
#include "io/cost/desk.hpp"
#include "io/results/result_file.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/csv.hpp"

namespace muster {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

const std::vector<std::string> kColumns{"kind",  "fleet", "placement", "op",      "bytes",
                                        "model", "plan",  "mapping",   "without", "calibration"};

std::string plain(const std::string& json) {
  const bool quoted = json.size() >= 2 && json.front() == '"';
  return csv_quoted(quoted ? std::string_view{json}.substr(1, json.size() - 2)
                           : std::string_view{json});
}

class Batch {
 public:
  explicit Batch(const std::string& name) : name_(name) {}

  void header(std::string_view line) {
    split(line);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      columns_.emplace_back(fields_.trim(i));
      if (std::find(kColumns.begin(), kColumns.end(), columns_.back()) == kColumns.end())
        throw InputError(where(""), "there is no column \"" + columns_.back() + "\"",
                         did_you_mean(columns_.back(), kColumns));
      if (std::count(columns_.begin(), columns_.end(), columns_.back()) > 1)
        throw InputError(where(""), "column \"" + columns_.back() + "\" is given twice");
    }
    for (const char* needed : {"kind", "fleet", "placement"})
      if (std::find(columns_.begin(), columns_.end(), needed) == columns_.end())
        throw InputError(where(""), "column \"" + std::string{needed} + "\" is missing");
  }

  void row(std::string_view line) {
    CostAnswer answer;
    std::string error;
    try {
      answer = desk_.answer(question(line));
    } catch (const InputError& wrong) {
      error = wrong.what();
      errors_.push_back(error);
    }
    answers_.push_back({std::move(answer), std::move(error)});
  }

  void next_line() { ++number_; }
  bool has_header() const { return !columns_.empty(); }

  CostBatch take() {
    std::vector<std::string> names;
    for (const auto& [answer, error] : answers_)
      for (const auto& [name, value] : answer.values)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    CostBatch out;
    for (const std::string& name : names) out.csv += name + ",";
    out.csv += "terms,error\n";
    for (const auto& [answer, error] : answers_) {
      for (const std::string& name : names) {
        const auto is_it = [&](const auto& value) { return value.first == name; };
        const auto value = std::find_if(answer.values.begin(), answer.values.end(), is_it);
        if (value != answer.values.end()) out.csv += plain(value->second);
        out.csv += ",";
      }
      std::string parts;
      for (const CostAnswer::Term& term : answer.terms)
        parts += (parts.empty() ? "" : ";") + term.name + "=" + json_micros(term.time);
      out.csv += csv_quoted(parts) + "," + csv_quoted(error.substr(0, error.find('\n'))) + "\n";
    }
    out.errors = std::move(errors_);
    out.rows = answers_.size();
    return out;
  }

 private:
  std::string where(std::string_view column) const {
    std::string text = name_ + ":" + std::to_string(number_);
    return column.empty() ? text : text + ": " + std::string{column};
  }

  void split(std::string_view line) {
    if (!fields_.split(line, ',')) throw InputError(where(""), "its quotes make no sense");
  }

  CostQuestion question(std::string_view line) {
    split(line);
    if (fields_.size() != columns_.size())
      throw InputError(where(""),
                       "has " + std::to_string(fields_.size()) + " fields, the header " +
                           std::to_string(columns_.size()),
                       "a plan with commas stands in quotes");
    CostQuestion question;
    question.where = [this](std::string_view column) { return where(column); };
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::string value{fields_.trim(i)};
      if (columns_[i] == "kind")
        question.kind = std::move(value);
      else
        question.values[columns_[i]] = std::move(value);
    }
    return question;
  }

  std::string name_;
  std::uint64_t number_ = 0;
  CostDesk desk_;
  CsvLine fields_;
  std::vector<std::string> columns_;
  std::vector<std::pair<CostAnswer, std::string>> answers_;
  std::vector<std::string> errors_;
};

}  // namespace

CostBatch cost_batch(std::string_view csv, const std::string& name) {
  Batch batch(name);
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  while (!csv.empty()) {
    const std::size_t end = csv.find('\n');
    std::string_view line = csv.substr(0, end);
    csv = end == std::string_view::npos ? std::string_view{} : csv.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    batch.next_line();
    if (trimmed(line).empty()) continue;
    if (batch.has_header())
      batch.row(line);
    else
      batch.header(line);
  }
  if (!batch.has_header()) throw InputError(name, "is empty: expected a header and questions");
  return batch.take();
}

CostBatch cost_batch_file(const std::string& file, const std::string& out) {
  CostBatch batch = cost_batch(read_text(file, "muster cost batch"), file);
  if (!out.empty()) write_result(out, batch.csv);
  return batch;
}

}  // namespace muster
