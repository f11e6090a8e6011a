// What a sweep of the spares of an experiment says: to a person, as CSV, as JSON, as a picture.

#include "muster/lab/kept_spares.hpp"
#include "sweep_text.hpp"

namespace muster {
namespace {

std::string wait_cell(const Sample& wait_s) {
  const auto length = [](double s) {
    return length_text(Duration{static_cast<std::int64_t>(s * 1e9)});
  };
  std::string text = length(wait_s.mean());
  if (wait_s.values.size() > 1) text += " +- " + length(wait_s.half());
  return text;
}

}  // namespace

std::string kept_spares_text(const KeptSparesSweep& sweep, const TextOptions& options) {
  TextTable table{{"spares", "goodput", "ETTR", "mean wait", ""}};
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const KeptSparesPoint& p = sweep.points[i];
    table.row({std::to_string(p.spares), percent_cell(p.goodput), percent_cell(p.ettr),
               wait_cell(p.wait_s),
               i == sweep.best ? "<- best"
               : p.tied        ? "~ best"
                               : ""});
  }
  const KeptSparesPoint& best = sweep.points[sweep.best];
  return sweep.subject + "\n" + seeds_line(sweep.seeds) + "\n" + table.text(options.colour) +
         "\nbest of these: " + count_text(best.spares, "spare") + ", goodput " +
         percent_cell(best.goodput) + " of all GPU time, the spares' too" +
         edge_note(sweep.points, sweep.best, &KeptSparesPoint::spares) + "\n" +
         (sweep.seeds > 1 ? "~: the seeds can't tell it from the best\n" : "");
}

std::string kept_spares_csv(const KeptSparesSweep& sweep) {
  return sweep_csv(
      "spares,goodput_mean,goodput_half,ettr_mean,ettr_half,wait_mean_s,wait_half_s,best,tied",
      sweep, [&](const KeptSparesPoint& p, std::size_t i) {
        return std::to_string(p.spares) + csv_cells(p.goodput) + csv_cells(p.ettr) +
               csv_cells(p.wait_s) + flag_cell(i == sweep.best) + flag_cell(p.tied);
      });
}

std::string kept_spares_json(const KeptSparesSweep& sweep) {
  const auto head = [&](JsonText& json) { json.number("best", sweep.points[sweep.best].spares); };
  return sweep_json("muster.kept_spares/1", sweep, head, "numbers",
                    [](JsonText& json, const KeptSparesPoint& p) {
                      json.number("spares", p.spares);
                      put_sample(json, "goodput", p.goodput);
                      put_sample(json, "ettr", p.ettr);
                      put_sample(json, "wait_s", p.wait_s);
                      json.flag("tied", p.tied);
                    });
}

std::string kept_spares_plot(const KeptSparesSweep& sweep) {
  std::string text =
      sweep_plot_head(sweep, "nodes kept as spares", "share, %") + "$points << END\n";
  for (const KeptSparesPoint& p : sweep.points) {
    text += std::to_string(p.spares);
    for (const double v : {p.goodput.mean(), p.goodput.half(), p.ettr.mean(), p.ettr.half()})
      text += " " + decimal::shortest(100 * v);
    text += "\n";
  }
  const KeptSparesPoint& best = sweep.points[sweep.best];
  return text + "END\n" + marked_point(best.spares, 100 * best.goodput.mean()) +
         "plot $points using 1:2:3 with yerrorlines lw 2 pt 7 ps 0.4 lc rgb \"#3b6ea5\" title "
         "\"goodput of all GPU time\", $points using 1:4:5 with yerrorlines lw 2 pt 7 ps 0.4 lc "
         "rgb "
         "\"#edae49\" title \"ETTR\"" +
         plot_marked("best of these: " + std::to_string(best.spares));
}

}  // namespace muster
