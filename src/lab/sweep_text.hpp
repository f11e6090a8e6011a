#pragma once
#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

#include "io/results/decimal.hpp"
#include "io/results/json_text.hpp"
#include "muster/lab/sample.hpp"

namespace muster {

/// Rows of cells, flush right in their columns; the last column is flush left, for remarks.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) { row(std::move(head)); }
  void row(std::vector<std::string> cells) {
    if (widths_.size() < cells.size()) widths_.resize(cells.size());
    for (std::size_t c = 0; c < cells.size(); ++c)
      widths_[c] = std::max(widths_[c], cells[c].size());
    rows_.push_back(std::move(cells));
  }
  std::string text(bool colour) const {
    std::string all;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::string line;
      for (std::size_t c = 0; c < rows_[r].size(); ++c) {
        const std::string& cell = rows_[r][c];
        const bool last = c + 1 == widths_.size();
        line +=
            (c == 0 ? "" : "  ") + (last ? "" : std::string(widths_[c] - cell.size(), ' ')) + cell;
      }
      while (line.ends_with(' ')) line.pop_back();
      all += (colour && r == 0 ? "\x1b[2m" + line + "\x1b[0m" : line) + "\n";
    }
    return all;
  }

 private:
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

/// "91.23 %"
inline std::string percent_cell(double ratio) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f %%", 100 * ratio);
  return text.data();
}

/// "91.23 +- 0.04 %"
inline std::string percent_cell(const Sample& sample) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f +- %.2f %%", 100 * sample.mean(),
                100 * sample.half());
  return text.data();
}

/// {"mean": ..., "half_95": ..., "by_seed": [...]}
inline void put_sample(JsonText& json, std::string_view key, const Sample& sample) {
  json.open(key);
  json.raw("mean", decimal::shortest(sample.mean()));
  json.raw("half_95", decimal::shortest(sample.half()));
  json.line("by_seed", sample.values, decimal::shortest);
  json.close();
}

/// ",0.9123,0.0004" of numbers.
inline std::string csv_cells(std::initializer_list<double> values) {
  std::string text;
  for (const double v : values) text += "," + decimal::shortest(v);
  return text;
}

}  // namespace muster
