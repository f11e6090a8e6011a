#include "io/results/report_html.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "io/results/time_chart.hpp"
#include "muster/core/int128.hpp"
#include "muster/core/version.hpp"
#include "muster/metrics/text.hpp"

namespace muster {
namespace {

constexpr std::string_view kStyle = R"(<style>
:root { color-scheme: light dark; --ink: #1c2530; --faint: #667; --line: #dde1e6; --page: #fff; --card: #f5f7f9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --faint: #9aa5b1; --line: #39424d; --page: #14191f; --card: #1d242c; }
}
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 980px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; margin-bottom: 0; } h2 { font-size: 1.15em; margin-top: 2em; }
.faint, .axis { color: var(--faint); fill: var(--faint); } .axis { font-size: 12px; }
.grid { stroke: var(--line); stroke-width: .7; opacity: .6; }
.cards { display: flex; flex-wrap: wrap; gap: .6em; margin: 1.2em 0; }
.cards div { background: var(--card); border-radius: 6px; padding: .5em .9em; min-width: 7.5em; }
.cards b { display: block; font-size: 1.35em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2em .8em; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
td.bar { width: 300px; } td.bar i { display: block; height: .9em; border-radius: 2px; }
svg { width: 100%; height: auto; } pre { overflow-x: auto; background: var(--card); padding: 1em; }
.note { border-left: 4px solid #d98a00; padding-left: .8em; }
</style>
)";

/// Colours that people with any kind of sight tell apart (Okabe & Ito 2008), and shades of them.
std::string_view colour(GpuClass c) {
  switch (c) {
    case GpuClass::down:
    case GpuClass::maintenance:
      return "#7d1d1d";
    case GpuClass::lost:
      return "#d55e00";
    case GpuClass::idle_fragmented:
      return "#e69f00";
    case GpuClass::idle_reserved:
      return "#56b4e9";
    case GpuClass::idle_quota:
      return "#cc79a7";
    case GpuClass::idle_outage:
      return "#8c564b";
    case GpuClass::idle_policy:
      return "#f0e442";
    case GpuClass::idle_too_few:
      return "#b8c4d0";
    case GpuClass::idle_no_demand:
      return "#dfe5ea";
    case GpuClass::hoarded:
    case GpuClass::starting:
    case GpuClass::checkpoint:
      return "#0072b2";
    default:
      return "#009e73";
  }
}

std::string length(const Statistics& s, std::int64_t ns) {
  return s.count == 0 ? "-" : length_text(Duration{ns});
}
std::string hours(Int128 gpu_time) {
  return fmt::format("{:.1f}", static_cast<double>(gpu_time) / 3600e12);
}

/// Means over at most kColumns columns: neighbours are taken together.
struct Columns {
  static constexpr std::size_t kColumns = 480;

  explicit Columns(const Series& series) : series_(series) {
    step_ = std::max<std::size_t>(1, (series.size() + kColumns - 1) / kColumns);
    for (std::size_t i = 0; i < series.size(); i += step_) edges.push_back(series.begin_of(i));
    if (series.size() > 0) edges.push_back(series.end_of(series.size() - 1));
  }
  /// `per` of a column's unit make one of what is shown.
  std::vector<double> of(std::size_t column, std::int64_t per) const {
    std::vector<double> means;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      Int128 sum = 0;
      for (std::size_t row = i * step_; row < std::min((i + 1) * step_, series_.size()); ++row)
        sum += series_.row(row)[column];
      means.push_back(share(sum, Int128{(edges[i + 1] - edges[i]).count()} * per));
    }
    return means;
  }

  std::vector<SimTime> edges;

 private:
  const Series& series_;
  std::size_t step_ = 1;
};

std::string gpus_chart(const Columns& columns) {
  TimeChart chart{columns.edges, {}, "GPUs"};
  chart.curves.push_back({"held by jobs", "#009e73", false, columns.of(Series::held, 1000)});
  for (std::size_t i = 0; i < kIdleClasses; ++i) {
    const auto c = static_cast<GpuClass>(kFirstIdle + i);
    std::vector<double> values = columns.of(Series::idle + i, 1000);
    if (std::all_of(values.begin(), values.end(), [](double v) { return v == 0; })) continue;
    chart.curves.push_back(
        {std::string{name(c)}, std::string{colour(c)}, false, std::move(values)});
  }
  return svg_text(chart);
}

std::string jobs_chart(const Columns& columns) {
  TimeChart chart{columns.edges, {}, "jobs"};
  chart.curves.push_back({"waiting", "#d55e00", true, columns.of(Series::waiting, 1)});
  chart.curves.push_back({"running", "#0072b2", true, columns.of(Series::running, 1)});
  return svg_text(chart);
}

std::string cards(const Summary& s) {
  std::string text;
  const auto card = [&](const std::string& value, std::string_view what) {
    text += fmt::format("<div><b>{}</b>{}</div>\n", value, what);
  };
  card(std::to_string(s.jobs), s.jobs == 1 ? "job" : "jobs");
  card(percent_text(share(s.allocated(), s.available())), "utilisation");
  card(percent_text(share(s.useful_gpu_time, s.available())), "goodput");
  card(length(s.all.wait, s.all.wait.mean), "mean wait");
  card(length(s.all.wait, s.all.wait.p95), "wait p95");
  card(length(s.all.jct, s.all.jct.mean), "mean JCT");
  if (s.preemptions > 0) card(std::to_string(s.preemptions), "preemptions");
  if (s.interruptions > 0) {
    card(std::to_string(s.interruptions), "interruptions");
    if (s.count(JobState::completed) > 0) card(percent_text(s.ettr), "ETTR");
  }
  return "<div class=\"cards\">\n" + text + "</div>\n";
}

std::string bar_row(std::string_view label, std::string_view meant, double part,
                    const std::string& amount, std::string_view fill) {
  return fmt::format(
      "<tr title=\"{}\"><td>{}</td><td>{}</td><td>{}</td>"
      "<td class=\"bar\"><i style=\"width:{:.1f}%;background:{}\"></i></td></tr>\n",
      html_text(meant), label, percent_text(part), amount, 100 * part, fill);
}

std::string gpu_time_table(const Summary& s) {
  std::string text = "<table><tr><th>GPU time</th><th>share</th><th>GPU-hours</th><th></th></tr>\n";
  for (std::size_t c = 0; c < kGpuClasses; ++c) {
    if (s.gpu_time[c] == 0) continue;
    const auto cls = static_cast<GpuClass>(c);
    text += bar_row(name(cls), meaning(cls), share(s.gpu_time[c], total(s.gpu_time)),
                    hours(s.gpu_time[c]), colour(cls));
  }
  return text + "</table>\n";
}

std::string wait_table(const Summary& s) {
  Int128 whole = 0;
  for (const Int128 part : s.wait_time) whole += part;
  if (whole == 0) return "<p>Nobody waited.</p>\n";
  std::string text =
      "<table><tr><th>waited for</th><th>share</th><th>job-hours</th><th></th></tr>\n";
  for (std::size_t c = 0; c < kCauses; ++c) {
    if (s.wait_time[c] == 0) continue;
    const auto cause = static_cast<Cause>(c);
    text += bar_row(name(cause), meaning(cause), share(s.wait_time[c], whole),
                    fmt::format("{:.1f}", static_cast<double>(s.wait_time[c]) / 3600e9),
                    colour(idle_class(cause)));
  }
  return text + "</table>\n";
}

std::string group_table(std::string_view title, const std::vector<Group>& groups) {
  if (groups.empty()) return "";
  std::string text = fmt::format(
      "<h2>By {}</h2>\n<table><tr><th>{}</th><th>jobs</th><th>wait mean</th><th>wait p50</th>"
      "<th>wait p95</th><th>JCT mean</th><th>JCT p95</th><th>GPU-hours</th></tr>\n",
      title, title);
  for (const Group& g : groups)
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        g.name.empty() ? "(none)" : html_text(g.name), g.jobs, length(g.wait, g.wait.mean),
        length(g.wait, g.wait.p50), length(g.wait, g.wait.p95), length(g.jct, g.jct.mean),
        length(g.jct, g.jct.p95), hours(g.gpu_time));
  return text + "</table>\n";
}

/// What took nodes away, what failed by itself, and what was slow; nothing where nothing did.
std::string failures_section(const Summary& s) {
  std::string text;
  for (const OutageCount& c : s.outages)
    if (c.times > 0)
      text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                          html_text(c.cause), c.times, c.interruptions, hours(c.lost));
  if (!text.empty())
    text = fmt::format(
        "<p>Nodes were available for {} of the time.</p>\n<table><tr><th>cause</th><th>times</th>"
        "<th>jobs interrupted</th><th>GPU-hours lost</th></tr>\n{}</table>\n",
        percent_text(s.availability()), text);
  const auto line = [&](std::string_view what, const std::string& found) {
    if (!found.empty()) text += fmt::format("<p>{}: {}.</p>\n", what, found);
  };
  line("Attempts that failed by themselves", own_failures_text(s.own_failures));
  line("Stragglers", stragglers_text(s.stragglers));
  return text.empty() ? text : "<h2>Outages, failures and stragglers</h2>\n" + text;
}

std::string notes(const Summary& s) {
  std::string text;
  const auto note = [&](std::string_view kind, const std::string& what) {
    text += fmt::format("<p class=\"note\"><b>{}</b> {}</p>\n", kind, html_text(what));
  };
  for (const Summary::Found& found : s.findings) note(name(found.kind), found.text);
  for (const Summary::Refused& refused : s.rejections) note("rejected", refused.text);
  if (s.rejected > s.rejections.size())
    note("rejected",
         "and " + std::to_string(s.rejected - s.rejections.size()) + " more, see jobs.csv");
  for (const std::string& warning : s.warnings) note("warning", warning);
  return text.empty() ? text : "<h2>To be noticed</h2>\n" + text;
}

}  // namespace

std::string report_html(const Summary& summary, const Series& series) {
  const std::string title = "muster: " + html_text(summary.fleet);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n{}"
      "</head>\n<body>\n<h1>{}</h1>\n",
      title, kStyle, title);
  page += fmt::format(
      "<p class=\"faint\">{} GPUs for {}{}{}, fingerprint {}, muster {}</p>\n",
      to_decimal(summary.installed_milli, 3), length_text(summary.window()),
      summary.offered_load ? ", offered load " + percent_text(*summary.offered_load) : "",
      summary.stopped_early ? ", stopped early" : "", fingerprint_text(summary.fingerprint),
      version());
  page += cards(summary) + notes(summary);
  if (const Columns columns{series}; columns.edges.size() > 1)
    page += "<h2>GPUs over time</h2>\n" + gpus_chart(columns) + "<h2>Jobs over time</h2>\n" +
            jobs_chart(columns);
  page += "<h2>Where the GPUs' time went</h2>\n" + gpu_time_table(summary) +
          "<h2>What jobs waited for</h2>\n" + wait_table(summary) + failures_section(summary) +
          group_table("size", summary.by_size) + group_table("queue", summary.by_queue) +
          group_table("user", summary.by_user);
  if (!summary.experiment.empty())
    page +=
        "<h2>The experiment</h2>\n<details><summary>what is needed to run it again</summary><pre>" +
        html_text(summary.experiment) + "</pre></details>\n";
  return page + "</body>\n</html>\n";
}

}  // namespace muster
