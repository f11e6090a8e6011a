// What a sweep of checkpoint intervals says: to a person, as CSV, as JSON, as a picture.

#include <algorithm>

#include "muster/lab/checkpoints.hpp"
#include "sweep_text.hpp"

namespace muster {
namespace {

std::string seconds_text(Duration d) { return to_decimal(d.count(), 9); }

/// A number or nothing.
std::string number_or(const std::optional<double>& value, const char* nothing) {
  return value ? decimal::shortest(*value) : nothing;
}

std::string remark(const CheckpointSweep& sweep, std::size_t i) {
  std::string text = sweep.points[i].formula;
  if (i == sweep.best) text += text.empty() ? "<- best" : " <- best";
  if (sweep.points[i].tied) text += text.empty() ? "~ best" : " ~ best";
  return text;
}

}  // namespace

std::string checkpoints_text(const CheckpointSweep& sweep, const TextOptions& options) {
  const bool expected = std::any_of(sweep.points.begin(), sweep.points.end(),
                                    [](const auto& p) { return p.expected.has_value(); });
  std::vector<std::string> head{"interval", "ETTR", "goodput", "writing", "lost", "restarting"};
  if (expected) head.emplace_back("expected");
  head.emplace_back("");
  TextTable table{head};
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const CheckpointPoint& p = sweep.points[i];
    std::vector<std::string> row{length_text(p.interval), percent_cell(p.ettr),
                                 percent_cell(p.goodput), percent_cell(p.writing),
                                 percent_cell(p.lost),    percent_cell(p.starting)};
    if (expected) row.push_back(p.expected ? percent_cell(*p.expected) : "-");
    row.push_back(remark(sweep, i));
    table.row(std::move(row));
  }
  const CheckpointPoint& best = sweep.points[sweep.best];
  std::string text = sweep.subject + "\n" + seeds_line(sweep.seeds) + "\n" +
                     table.text(options.colour) + "\nbest of these: a checkpoint every " +
                     length_text(best.interval) + ", ETTR " + percent_cell(best.ettr);
  if (sweep.daly != kUnknown)
    text += "; Young " + length_text(sweep.young) + ", Daly " + length_text(sweep.daly);
  return text + (sweep.seeds > 1 ? "\n~: the seeds can't tell it from the best\n" : "\n");
}

std::string checkpoints_csv(const CheckpointSweep& sweep) {
  return sweep_csv(
      "interval_s,ettr_mean,ettr_half,goodput_mean,goodput_half,writing,lost,restarting,expected,"
      "formula,best,tied",
      sweep, [&](const CheckpointPoint& p, std::size_t i) {
        return seconds_text(p.interval) + csv_cells(p.ettr) + csv_cells(p.goodput) +
               csv_cells({p.writing, p.lost, p.starting}) + "," + number_or(p.expected, "") + "," +
               p.formula + flag_cell(i == sweep.best) + flag_cell(p.tied);
      });
}

std::string checkpoints_json(const CheckpointSweep& sweep) {
  const auto head = [&](JsonText& json) {
    json.raw("young_s", sweep.young == kUnknown ? "null" : seconds_text(sweep.young));
    json.raw("daly_s", sweep.daly == kUnknown ? "null" : seconds_text(sweep.daly));
    json.raw("best_s", seconds_text(sweep.points[sweep.best].interval));
  };
  return sweep_json("muster.checkpoints/1", sweep, head, "intervals",
                    [](JsonText& json, const CheckpointPoint& p) {
                      json.raw("interval_s", seconds_text(p.interval));
                      json.text("formula", p.formula);
                      put_sample(json, "ettr", p.ettr);
                      put_sample(json, "goodput", p.goodput);
                      json.raw("writing", decimal::shortest(p.writing));
                      json.raw("lost", decimal::shortest(p.lost));
                      json.raw("restarting", decimal::shortest(p.starting));
                      json.raw("expected", number_or(p.expected, "null"));
                      json.flag("tied", p.tied);
                    });
}

std::string checkpoints_plot(const CheckpointSweep& sweep) {
  const auto minutes = [](Duration d) { return decimal::shortest(seconds(d) / 60); };
  const auto mark = [&](const char* name, Duration at, const char* side) {
    return "set arrow from " + minutes(at) + ", graph 0 to " + minutes(at) +
           ", graph 1 nohead dt 3 lc rgb \"#777777\"\nset label \"" + name + "\" at " +
           minutes(at) + ", graph 0.06 " + side + " tc rgb \"#555555\"\n";
  };
  std::string text =
      sweep_plot_head(sweep, "a checkpoint every ... minutes", "ETTR, %") + "set logscale x\n";
  if (sweep.daly != kUnknown)
    text += mark("Young", sweep.young, "left offset 0.5,0") +
            mark("Daly", sweep.daly, "right offset -0.5,0");
  text += "$points << END\n";
  bool expected = false;
  for (const CheckpointPoint& p : sweep.points) {
    text += minutes(p.interval) + " " + decimal::shortest(100 * p.ettr.mean()) + " " +
            decimal::shortest(100 * p.ettr.half()) + " " +
            (p.expected ? decimal::shortest(100 * *p.expected) : "NaN") + "\n";
    expected |= p.expected.has_value();
  }
  const CheckpointPoint& best = sweep.points[sweep.best];
  text += "END\n" + marked_point(seconds(best.interval) / 60, 100 * best.ettr.mean()) + "plot ";
  if (expected)
    text += "$points using 1:4 with lines lw 2 dt 2 lc rgb \"#edae49\" title \"closed form\", ";
  return text +
         "$points using 1:2:3 with yerrorlines lw 2 pt 7 ps 0.4 lc rgb \"#3b6ea5\" title "
         "\"simulated, 95 %\"" +
         plot_marked("best of these: every " + length_text(best.interval));
}

}  // namespace muster
