#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/core/time.hpp"
#include "muster/topology/fleet.hpp"

namespace muster {

/// A size as people write it: "8", "1e9", "4KiB", "512MB", "1.5GiB". In bytes.
double parse_size(std::string_view text, const std::string& where);

/// GPUs of a fleet as people write them, joined by "+":
///     4        four GPUs of the first node that has as many and is not yet used
///     8x16     the same of 16 nodes: eight of each
///     n7       the node n7, all of it
///     n0:0,1,4 GPUs of the node n0
/// Throws InputError. In node order, neighbours that are alike in one slice.
std::vector<Slice> parse_placement(const Fleet& fleet, std::string_view text,
                                   const std::string& where);

/// A question to the cost model: the flags of `muster cost`, or a row of a CSV.
struct CostQuestion {
  std::string kind;  // "collective", "step"
  std::map<std::string, std::string, std::less<>> values;
  /// Where a value stands, for messages: "--op", "questions.csv:3: op".
  std::function<std::string(std::string_view name)> where;

  std::string value(std::string_view name) const;
};

/// What the model says. Values are JSON: numbers, or texts in quotes.
struct CostAnswer {
  struct Term {
    std::string name;
    Duration time{};
    std::string inputs, source;
  };
  std::vector<std::pair<std::string, std::string>> values;
  std::vector<Term> terms;  // they sum to the time
  std::string title;        // of the table
};

/// Answers questions; keeps the fleets, calibrations and models that it has loaded.
class CostDesk {
 public:
  CostDesk();
  ~CostDesk();
  /// Throws InputError.
  CostAnswer answer(const CostQuestion& question);

  struct Inside;  // src/io/cost/desk.hpp

 private:
  std::unique_ptr<Inside> inside_;
};

std::string cost_text(const CostAnswer& answer);
std::string cost_json(const CostAnswer& answer);

/// Answers to a CSV of questions, in the same order.
struct CostBatch {
  std::string csv;  // the values of the answers, their terms, and for each bad row what is wrong
  std::size_t rows = 0;
  std::vector<std::string> errors;  // the whole messages, of the bad rows
};

/// Columns are the names of the flags of `muster cost`, and "kind". `name` starts messages. Throws InputError
/// where there is no such CSV; a bad row costs only itself.
CostBatch cost_batch(std::string_view csv, const std::string& name);
/// The same of a file, written to `out` unless that is "".
CostBatch cost_batch_file(const std::string& file, const std::string& out);

}  // namespace muster
