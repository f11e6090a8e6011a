// What a sweep of the number of spares says: to a person, as CSV, as JSON, as a picture.

#include "muster/lab/spares.hpp"
#include "sweep_text.hpp"

namespace muster {
namespace {

std::string remark(const SparesSweep& sweep, std::size_t i) {
  std::string text;
  if (sweep.enough && i == *sweep.enough) text = "<- reaches the target";
  if (i == sweep.pays) text += text.empty() ? "$ pays most" : ", $ pays most";
  return text;
}

std::string answer(const SparesSweep& sweep) {
  const std::string target = percent_cell(sweep.target);
  if (!sweep.enough) return "none of these reaches " + target;
  const SparesPoint& p = sweep.points[*sweep.enough];
  std::string text =
      count_text(p.spares, "spare") + " for " + target + " of the time: up " + percent_cell(p.up);
  if (sweep.step > 1 && *sweep.enough > 0)
    text += " (every " + std::to_string(sweep.step) + "th number was tried; " +
            count_text(sweep.points[*sweep.enough - 1].spares, "spare") + " are not enough)";
  if (p.up.mean() - p.up.half() < sweep.target) text += ", which these seeds are not sure of";
  return text;
}

}  // namespace

std::string spares_text(const SparesSweep& sweep, const TextOptions& options) {
  TextTable table{{"spares", "up", "expected", "work kept", "per node", ""}};
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SparesPoint& p = sweep.points[i];
    table.row({std::to_string(p.spares), percent_cell(p.up), percent_cell(p.expected),
               percent_cell(p.kept), percent_cell(p.per_node), remark(sweep, i)});
  }
  return sweep.subject + "\n" + seeds_line(sweep.seeds) + "\n" + table.text(options.colour) + "\n" +
         answer(sweep) + "; by the closed form " +
         (sweep.closed_form ? std::to_string(*sweep.closed_form) : "no number that is sane") +
         "\n$: the most work kept per node of the fleet, " +
         count_text(sweep.points[sweep.pays].spares, "spare") +
         edge_note(sweep.points, sweep.pays, &SparesPoint::spares) + "\n";
}

std::string spares_csv(const SparesSweep& sweep) {
  return sweep_csv(
      "spares,up_mean,up_half,expected,kept_mean,kept_half,per_node_mean,per_node_half,enough,"
      "pays_most",
      sweep, [&](const SparesPoint& p, std::size_t i) {
        return std::to_string(p.spares) + csv_cells(p.up) + csv_cells({p.expected}) +
               csv_cells(p.kept) + csv_cells(p.per_node) +
               flag_cell(sweep.enough && i >= *sweep.enough) + flag_cell(i == sweep.pays);
      });
}

std::string spares_json(const SparesSweep& sweep) {
  const auto head = [&](JsonText& json) {
    json.raw("target", decimal::shortest(sweep.target));
    json.raw("enough", sweep.enough ? std::to_string(sweep.points[*sweep.enough].spares) : "null");
    json.raw("closed_form", sweep.closed_form ? std::to_string(*sweep.closed_form) : "null");
    json.number("pays_most", sweep.points[sweep.pays].spares);
  };
  return sweep_json("muster.spares/1", sweep, head, "numbers",
                    [](JsonText& json, const SparesPoint& p) {
                      json.number("spares", p.spares);
                      put_sample(json, "up", p.up);
                      json.raw("expected", decimal::shortest(p.expected));
                      put_sample(json, "kept", p.kept);
                      put_sample(json, "per_node", p.per_node);
                    });
}

std::string spares_plot(const SparesSweep& sweep) {
  const std::string target = decimal::shortest(100 * sweep.target);
  std::string text = sweep_plot_head(sweep, "spare nodes", "share of the time, %") +
                     "set yrange [*:100]\n$points << END\n";
  for (const SparesPoint& p : sweep.points) {
    text += std::to_string(p.spares);
    for (const double v :
         {p.up.mean(), p.up.half(), p.expected, p.per_node.mean(), p.per_node.half()})
      text += " " + decimal::shortest(100 * v);
    text += "\n";
  }
  text += "END\n";
  if (sweep.enough) {
    const std::string at = std::to_string(sweep.points[*sweep.enough].spares);
    text += "set arrow from " + at + ", graph 0 to " + at +
            ", graph 1 nohead dt 3 lc rgb \"#777777\"\nset label \"reaches the target\" at " + at +
            ", graph 0.5 rotate by 90 center offset 0.8,0 tc rgb \"#555555\"\n";
  }
  const SparesPoint& pays = sweep.points[sweep.pays];
  text += marked_point(pays.spares, 100 * pays.per_node.mean());
  return text + "plot " + target + " with lines dt 3 lc rgb \"#777777\" title \"target\", " +
         "$points using 1:4 with lines lw 2 dt 2 lc rgb \"#edae49\" title \"needed nodes up, "
         "closed "
         "form\", $points using 1:2:3 with yerrorlines lw 2 pt 7 ps 0.4 lc rgb \"#3b6ea5\" title "
         "\"needed nodes up, simulated\", $points using 1:5:6 with yerrorlines lw 2 pt 7 ps 0.4 lc "
         "rgb \"#d1495b\" title \"work kept per node of the fleet\"" +
         plot_marked("pays most: " + count_text(pays.spares, "spare"));
}

}  // namespace muster
