#include "muster/metrics/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace muster {
namespace {

/// Text that is `width` columns wide, flush right or left.
std::string right(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}
std::string left(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

template <class... Args>
std::string format(const char* pattern, Args... args) {
  std::array<char, 128> text;
  const int n = std::snprintf(text.data(), text.size(), pattern, args...);
  return {text.data(), static_cast<std::size_t>(std::clamp(n, 0, 127))};
}

std::string duration(double s) {
  if (s < 120) return format(s == static_cast<int>(s) ? "%.0f s" : "%.1f s", s);
  if (s < 7200) return format("%.1f min", s / 60);
  if (s < 172800) return format("%.1f h", s / 3600);
  return format("%.1f d", s / 86400);
}
std::string nanoseconds(std::int64_t ns) { return duration(static_cast<double>(ns) * 1e-9); }

/// "12.3 PB"
std::string bytes_text(double bytes) {
  std::size_t unit = 0;
  constexpr std::array<const char*, 8> units{"B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB"};
  for (; bytes >= 1000 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", bytes, units[unit]);
  return text.data();
}

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

/// "1 job", "2,469 jobs"
std::string counted(std::uint64_t n, const std::string& what) {
  return grouped(n) + " " + what + (n == 1 ? "" : "s");
}

/// Says things in colour, or not.
class Ink {
 public:
  explicit Ink(bool on) : on_(on) {}
  std::string bold(const std::string& text) const { return dress("1", text); }
  std::string faint(const std::string& text) const { return dress("2", text); }
  std::string warn(const std::string& text) const { return dress("33", text); }
  std::string of(GpuClass c, const std::string& text) const {
    if (c <= GpuClass::maintenance || c == GpuClass::lost) return dress("31", text);
    if (c <= GpuClass::idle_no_demand) return dress("34", text);
    return dress(c >= GpuClass::run_compute && c <= GpuClass::run_straggler ? "32" : "33", text);
  }

 private:
  std::string dress(const char* code, const std::string& text) const {
    return on_ ? "\x1b[" + std::string{code} + "m" + text + "\x1b[0m" : text;
  }
  bool on_;
};

std::string jobs_line(const Summary& s) {
  const std::pair<const char*, JobState> states[] = {
      {"completed", JobState::completed},
      {"failed", JobState::failed},
      {"timeout", JobState::timeout},
      {"cancelled", JobState::cancelled},
      {"withdrawn", JobState::cancelled_pending},
      {"rejected", JobState::rejected},
      {"running", JobState::running},
      {"pending", JobState::pending},
      {"held", JobState::held},
      {"never submitted", JobState::never_submitted}};
  std::string line = counted(s.jobs, "job");
  const char* separator = ": ";
  for (const auto& [text, state] : states) {
    if (s.count(state) == 0) continue;
    line += separator + grouped(s.count(state)) + " " + text;
    separator = ", ";
  }
  return line;
}

std::string times_row(const std::string& name, const Group& g) {
  const auto value = [](const Statistics& st, std::int64_t v) {
    return right(st.count == 0 ? "-" : nanoseconds(v), 10);
  };
  std::string row = left(name, 8) + right(grouped(g.jobs), 10);
  row += value(g.wait, g.wait.mean) + value(g.wait, g.wait.p50) + value(g.wait, g.wait.p95);
  row += value(g.jct, g.jct.mean) + value(g.jct, g.jct.p50) + value(g.jct, g.jct.p95);
  return row + "\n";
}

std::string times_table(const Summary& s, const Ink& ink) {
  std::string text =
      ink.faint(left("GPUs", 8) + right("jobs", 10) + right("wait mean", 10) +
                right("wait p50", 10) + right("wait p95", 10) + right("JCT mean", 10) +
                right("JCT p50", 10) + right("JCT p95", 10)) +
      "\n";
  for (const Group& g : s.by_size) text += times_row(g.name, g);
  if (s.by_size.size() != 1) text += times_row("all", s.all);
  return text;
}

std::string hours(Int128 gpu_time) {
  return format("%.1f", static_cast<double>(gpu_time) / 3600e12);
}

/// One row per queue, if there are several and not too many to look at.
std::string queues_table(const Summary& s, const Ink& ink) {
  constexpr std::size_t kMost = 12, kLongest = 20;
  if (s.by_queue.size() < 2 || s.by_queue.size() > kMost) return {};
  std::size_t width = 8;
  bool caps = false, own = false;
  for (const Group& g : s.by_queue) {
    width = std::max(width, std::min(g.name.size(), kLongest));
    caps |= g.cap_milli.has_value();
    own |= g.guaranteed_milli.has_value();
  }
  std::string text = left("queue", width) + right("jobs", 10) + right("wait p50", 10) +
                     right("wait p95", 10) + right("GPU-hours", 12) +
                     (caps ? right("cap", 8) : "") + (own ? right("guarantee", 11) : "");
  text = ink.faint(text) + "\n";
  const auto time = [](const Group& g, std::int64_t ns) {
    return right(g.wait.count == 0 ? "-" : nanoseconds(ns), 10);
  };
  const auto gpus = [](const std::optional<std::int64_t>& milli, std::size_t columns) {
    return right(milli ? to_decimal(*milli, 3) : "-", columns);
  };
  for (const Group& g : s.by_queue) {
    const std::string name = g.name.size() <= width ? g.name : g.name.substr(0, width - 2) + "..";
    text += left(name, width) + right(grouped(g.jobs), 10) + time(g, g.wait.p50) +
            time(g, g.wait.p95) + right(hours(g.gpu_time), 12);
    text += (caps ? gpus(g.cap_milli, 8) : "") + (own ? gpus(g.guaranteed_milli, 11) : "") + "\n";
  }
  return text + "\n";
}

/// A row with a bar for each class that is not empty.
std::string gpu_table(const Summary& s, const Ink& ink, int width) {
  constexpr std::size_t kText = 17 + 9 + 13 + 2;
  const std::size_t room = static_cast<std::size_t>(std::max(width, 50)) - kText;
  std::string text;
  for (std::size_t c = 0; c < kGpuClasses; ++c) {
    if (s.gpu_time[c] == 0) continue;
    const auto cls = static_cast<GpuClass>(c);
    const double part = share(s.gpu_time[c], total(s.gpu_time));
    const auto length = static_cast<std::size_t>(std::lround(part * static_cast<double>(room)));
    text += left(std::string{name(cls)}, 17) + right(percent_text(part), 9) +
            right(hours(s.gpu_time[c]), 13) + "  " +
            ink.of(cls, std::string(std::max<std::size_t>(length, 1), '#')) + "\n";
  }
  return text;
}

/// What outages did, by cause, and what came of the GPUs' time as Google counts it.
std::string outages_lines(const Summary& s) {
  constexpr std::size_t kShown = 4;
  std::string text = left("outages", 17) + "availability " + percent_text(s.availability()) + ", " +
                     format("%.1f", s.interruptions_per_day()) + " interruptions a day, " +
                     counted(s.restarts, "restart");
  std::vector<const OutageCount*> causes;
  for (const OutageCount& c : s.outages)
    if (c.interruptions != 0) causes.push_back(&c);
  std::stable_sort(causes.begin(), causes.end(), [](const auto* a, const auto* b) {
    return a->interruptions > b->interruptions;
  });
  for (std::size_t i = 0; i < std::min(causes.size(), kShown); ++i)
    text += (i == 0 ? ": " : ", ") + causes[i]->cause + " " + grouped(causes[i]->interruptions);
  if (causes.size() > kShown) text += ", ...";
  return text + "\n" + left("productivity", 17) + percent_text(s.scheduling_goodput()) +
         " scheduling x " + percent_text(s.runtime_goodput()) + " runtime x " +
         percent_text(s.program_goodput()) + " program = " +
         percent_text(s.scheduling_goodput() * s.runtime_goodput() * s.program_goodput()) + "\n";
}

/// How long jobs of a size ran until an outage interrupted them, where any of that size was.
std::string reliability_line(const Summary& s) {
  std::string text;
  for (const Reliability& r : s.reliability)
    if (const auto mttf = r.mttf_s())
      text += (text.empty() ? "" : ", ") + r.gpus + (r.gpus == "1" ? " GPU " : " GPUs ") +
              duration(*mttf);
  return left("MTTF of jobs", 17) + text + "\n";
}

std::string causes_line(const Summary& s) {
  std::vector<std::size_t> order;
  Int128 whole = 0;
  for (std::size_t c = 0; c < kCauses; ++c) {
    whole += s.wait_time[c];
    if (s.wait_time[c] != 0) order.push_back(c);
  }
  if (order.empty()) return "nobody waited\n";
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return s.wait_time[a] > s.wait_time[b]; });
  std::string line;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 4); ++i)
    line += (i == 0 ? "" : ", ") + std::string{name(static_cast<Cause>(order[i]))} + " " +
            percent_text(share(s.wait_time[order[i]], whole));
  return line + " of " + duration(static_cast<double>(whole) * 1e-9) + " in all\n";
}

std::string notes(const Summary& s, const Ink& ink) {
  constexpr std::size_t kShown = 5;
  std::string text;
  const auto list = [&](const char* what, std::size_t count, auto&& line) {
    for (std::size_t i = 0; i < std::min(count, kShown); ++i)
      text += ink.warn(what) + ": " + line(i) + "\n";
    if (count > kShown) text += "    and " + grouped(count - kShown) + " more in summary.json\n";
  };
  list("finding", s.findings.size(), [&](std::size_t i) { return s.findings[i].text; });
  if (!s.rejections.empty())
    text += ink.warn("rejected") + ": " + s.rejections.front().text +
            (s.rejected > 1 ? " (and " + grouped(s.rejected - 1) + " more)" : "") + "\n";
  list("warning", s.warnings.size(), [&](std::size_t i) { return s.warnings[i]; });
  // What the run warns of, it says with numbers: the trace need not say it again.
  std::vector<const TraceReport::Note*> unsaid;
  if (s.trace)
    for (const TraceReport::Note& n : s.trace->warnings)
      if (std::none_of(s.warnings.begin(), s.warnings.end(),
                       [&](const std::string& w) { return w.starts_with(n.code + ":"); }))
        unsaid.push_back(&n);
  list("trace", unsaid.size(), [&](std::size_t i) {
    const TraceReport::Note& n = *unsaid[i];
    return n.code + ", " + grouped(n.count) + (n.count == 1 ? " row: " : " rows: ") + n.meaning;
  });
  return text;
}

}  // namespace

std::string fingerprint_text(std::uint64_t fingerprint) {
  return format("%016llx", static_cast<unsigned long long>(fingerprint));
}

std::string length_text(Duration d) { return duration(seconds(d)); }

std::string percent_text(double ratio) { return format("%.1f %%", 100 * ratio); }

std::string summary_text(const Summary& s, const TextOptions& options) {
  const Ink ink{options.colour};
  std::string text = ink.bold(jobs_line(s)) + "\n";
  text += to_decimal(s.installed_milli, 3) + " GPUs";
  if (!s.fleet.empty()) text += " (" + s.fleet + ")";
  text += " for " + duration(seconds(s.window()));
  if (s.offered_load) text += ", offered load " + percent_text(*s.offered_load);
  if (s.preemptions != 0) text += ", " + counted(s.preemptions, "preemption");
  if (s.interruptions != 0) text += ", " + counted(s.interruptions, "interruption");
  if (s.reshapes.resizes != 0) text += ", " + counted(s.reshapes.resizes, "resize");
  if (s.reshapes.moves != 0) text += ", " + counted(s.reshapes.moves, "move");
  if (s.broken_promises != 0) text += ", " + counted(s.broken_promises, "broken promise");
  text += s.stopped_early ? ", stopped early\n\n" : "\n\n";

  text += times_table(s, ink) + "\n" + queues_table(s, ink);
  text += ink.faint(left("GPU time", 17) + right("share", 9) + right("GPU-hours", 13)) + "\n";
  text += gpu_table(s, ink, options.width) + "\n";
  text += left("utilisation", 17) + percent_text(share(s.allocated(), s.available())) +
          " held by jobs, " + percent_text(share(s.ran(), s.available())) + " work kept, " +
          percent_text(share(s.useful_gpu_time, s.available())) +
          " by jobs that completed (goodput)\n";
  if (s.across(Level::leaf).value_or(0) > 0)
    text += left("several nodes", 17) + percent_text(*s.across(Level::leaf)) +
            " of their GPU time across leaves, " + percent_text(*s.across(Level::pod)) +
            " across pods\n";
  if (s.traffic && s.traffic->nodes > 0)
    text += left("network", 17) + bytes_text(s.traffic->nodes) + " out of nodes, of which " +
            percent_text(s.traffic->leaves / s.traffic->nodes) + " over leaves, " +
            percent_text(s.traffic->pods / s.traffic->nodes) + " over pods\n";
  const auto struck = [](const OutageCount& c) { return c.times != 0; };
  if (std::any_of(s.outages.begin(), s.outages.end(), struck)) text += outages_lines(s);
  if (s.interruptions != 0) {
    const bool any = s.count(JobState::completed) > 0;
    text += left("ETTR", 17);
    text += any ? percent_text(s.ettr) + " of the time of jobs that completed was work kept"
                : std::string{"no job completed"};
    if (s.ettr_expected) text += ", expected " + percent_text(*s.ettr_expected);
    text += "\n";
  }
  if (s.interruptions != 0) text += reliability_line(s);
  if (s.own_failures.attempts != 0)
    text += left("own failures", 17) + own_failures_text(s.own_failures) + "\n";
  if (s.stragglers.any()) text += left("stragglers", 17) + stragglers_text(s.stragglers) + "\n";
  text += left("waited for", 17) + causes_line(s);
  if (s.all.bounded_slowdown.count != 0)
    text += left("bounded slowdown", 17) +
            format("mean %.2f, p95 %.2f, max %.2f\n",
                   static_cast<double>(s.all.bounded_slowdown.mean) * 1e-9,
                   static_cast<double>(s.all.bounded_slowdown.p95) * 1e-9,
                   static_cast<double>(s.all.bounded_slowdown.max) * 1e-9);
  text += left("fingerprint", 17) + fingerprint_text(s.fingerprint) + "\n";
  return text + notes(s, ink);
}

}  // namespace muster
