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
#include "muster/policy/parts/words.hpp"

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

/// "91.23 +- 0.04 %"; of one seed, which has no interval, "91.23 %"
inline std::string percent_cell(const Sample& sample) {
  if (sample.values.size() < 2) return percent_cell(sample.mean());
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f +- %.2f %%", 100 * sample.mean(),
                100 * sample.half());
  return text.data();
}

/// What the numbers are of, and what +- is.
inline std::string seeds_line(std::uint64_t seeds) {
  return count_text(seeds, "seed") +
         (seeds == 1 ? ", which has no confidence interval: how sure this is, nobody knows\n"
                     : "; +- is the 95 % confidence interval of the mean\n");
}

/// Half of the interval; `nothing` of one seed.
inline std::string half_cell(const Sample& sample, const char* nothing) {
  return sample.values.size() < 2 ? nothing : decimal::shortest(sample.half());
}

/// A sweep as JSON: what it is of, what `head` puts of the whole, and a list of what `put` puts of each point.
template <class Sweep, class Head, class Put>
std::string sweep_json(const char* schema, const Sweep& sweep, Head head, const char* list,
                       Put put) {
  JsonText json;
  json.open();
  json.text("schema", schema);
  json.text("subject", sweep.subject);
  json.number("seeds", sweep.seeds);
  head(json);
  json.open_list(list);
  for (const auto& point : sweep.points) {
    json.open();
    put(json, point);
    json.close();
  }
  json.close_list();
  json.close();
  return json.take();
}

/// A sweep as CSV: a header, and `cells` of each point and its index.
template <class Sweep, class Cells>
std::string sweep_csv(const char* header, const Sweep& sweep, Cells cells) {
  std::string text = std::string{header} + "\n";
  for (std::size_t i = 0; i < sweep.points.size(); ++i) text += cells(sweep.points[i], i) + "\n";
  return text;
}

inline const char* flag_cell(bool set) { return set ? ",1" : ",0"; }

/// That the best number lies at the edge of those that were tried, so that others may be better.
template <class Points, class Number>
std::string edge_note(const Points& points, std::size_t best, Number number) {
  if (points.size() > 1 && best + 1 == points.size())
    return ", the most that were tried: more may be better";
  if (points.size() > 1 && best == 0 && points[0].*number > 0)
    return ", the fewest that were tried: fewer may be better";
  return "";
}

/// In gnuplot's single quotes, where nothing but these means anything.
inline std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string{"''"} : std::string(1, c == '\n' ? ' ' : c);
  return out + "'";
}

/// How the pictures of sweeps begin: what they are of, over how many seeds, and their axes.
template <class Sweep>
std::string sweep_plot_head(const Sweep& sweep, const std::string& x, const std::string& y) {
  return "set terminal svg size 760,440 noenhanced font \"sans-serif,13\" background \"white\"\n"
         "set title " +
         quoted(sweep.subject + "; " + count_text(sweep.seeds, "seed")) +
         " font \",10\"\nset xlabel \"" + x + "\"; set ylabel \"" + y +
         "\"\nset grid lc rgb \"#dddddd\"; set key below; set autoscale xfix\n"
         "set offsets graph 0.03, graph 0.03, 0, 0\n";
}

/// A point of a picture that is pointed out, in red.
inline std::string marked_point(double x, double y) {
  return "$marked << END\n" + decimal::shortest(x) + " " + decimal::shortest(y) + "\nEND\n";
}
inline std::string plot_marked(const std::string& title) {
  return ", $marked using 1:2 with points pt 7 ps 1.1 lc rgb \"#d1495b\" title \"" + title + "\"\n";
}

/// {"mean": ..., "half_95": ..., "by_seed": [...]}
inline void put_sample(JsonText& json, std::string_view key, const Sample& sample) {
  json.open(key);
  json.raw("mean", decimal::shortest(sample.mean()));
  json.raw("half_95", half_cell(sample, "null"));
  json.line("by_seed", sample.values, decimal::shortest);
  json.close();
}

/// ",0.9123,0.0004" of a mean and half of its interval.
inline std::string csv_cells(const Sample& sample) {
  return "," + decimal::shortest(sample.mean()) + "," + half_cell(sample, "");
}
/// ",0.9123,0.0004" of numbers.
inline std::string csv_cells(std::initializer_list<double> values) {
  std::string text;
  for (const double v : values) text += "," + decimal::shortest(v);
  return text;
}

}  // namespace muster
