#include <cmath>
#include <nlohmann/json.hpp>

#include "io/results/decimal.hpp"
#include "io/results/json_text.hpp"
#include "muster/core/version.hpp"
#include "muster/io/results.hpp"
#include "muster/metrics/text.hpp"

namespace muster {
namespace {

/// A distribution of nothing has no mean and no percentiles.
void put(JsonText& json, std::string_view key, const Statistics& s) {
  const auto value = [&](std::string_view name, std::int64_t v) {
    json.raw(name, s.count == 0 ? "null" : to_decimal(v, 9));
  };
  json.open(key);
  value("mean", s.mean);
  value("p50", s.p50);
  value("p95", s.p95);
  value("p99", s.p99);
  value("max", s.max);
  json.number("count", s.count);
  json.close();
}

void put_jobs(JsonText& json, const Summary& s) {
  json.open("jobs");
  json.number("total", s.jobs);
  const std::pair<std::string_view, JobState> states[] = {
      {"completed", JobState::completed},
      {"failed", JobState::failed},
      {"timeout", JobState::timeout},
      {"cancelled", JobState::cancelled},
      {"cancelled_pending", JobState::cancelled_pending},
      {"rejected", JobState::rejected},
      {"running", JobState::running},
      {"pending", JobState::pending},
      {"held", JobState::held},
      {"never_submitted", JobState::never_submitted}};
  for (const auto& [name, state] : states) json.number(name, s.count(state));
  json.close();
}

void put_groups(JsonText& json, std::string_view key, std::string_view what,
                const std::vector<Group>& groups) {
  json.open_list(key);
  for (const Group& g : groups) {
    json.open();
    json.text(what, g.name);
    if (g.members != 1) json.number("members", g.members);
    if (g.cap_milli) json.raw("cap_gpus", to_decimal(*g.cap_milli, 3));
    if (g.guaranteed_milli) json.raw("guaranteed_gpus", to_decimal(*g.guaranteed_milli, 3));
    json.number("jobs", g.jobs);
    json.number("completed", g.completed);
    json.number("preemptions", g.preemptions);
    json.raw("gpu_time_s", to_decimal(g.gpu_time, kGpuTimeDigits));
    put(json, "wait_s", g.wait);
    put(json, "jct_s", g.jct);
    put(json, "bounded_slowdown", g.bounded_slowdown);
    json.close();
  }
  json.close_list();
}

void put_books(JsonText& json, const Summary& s) {
  json.open("gpu_time_s");
  for (std::size_t c = 0; c < kGpuClasses; ++c)
    json.raw(name(static_cast<GpuClass>(c)), to_decimal(s.gpu_time[c], kGpuTimeDigits));
  json.raw("total", to_decimal(total(s.gpu_time), kGpuTimeDigits));
  json.close();

  Int128 waited = 0;
  json.open("wait_time_s");
  for (std::size_t c = 0; c < kCauses; ++c) {
    json.raw(name(static_cast<Cause>(c)), to_decimal(s.wait_time[c], 9));
    waited += s.wait_time[c];
  }
  json.raw("total", to_decimal(waited, 9));
  json.close();
}

void put_spread(JsonText& json, const Summary& s) {
  const auto across = [&](const char* key, Level level) {
    const std::optional<double> part = s.across(level);
    json.raw(key, part ? decimal::shortest(*part) : "null");
  };
  const auto by_level = [&](const char* key, const GpuTimeByLevel& times) {
    json.open(key);
    for (std::size_t l = 0; l < kLevels; ++l)
      json.raw(name(static_cast<Level>(l)), to_decimal(times[l], kGpuTimeDigits));
    json.close();
  };
  json.open("spread");
  by_level("gpu_time_s", s.spread);
  if (s.waited != GpuTimeByLevel{}) by_level("network_s", s.waited);
  across("across_leaves", Level::leaf);
  across("across_pods", Level::pod);
  if (s.traffic) {
    json.open("bytes");
    json.raw("nodes", decimal::shortest(std::round(s.traffic->nodes)));
    json.raw("leaves", decimal::shortest(std::round(s.traffic->leaves)));
    json.raw("pods", decimal::shortest(std::round(s.traffic->pods)));
    json.close();
  }
  json.close();
}

void put_stragglers(JsonText& json, const StragglerCounts& s) {
  if (!s.any()) return;
  json.open("stragglers");
  json.number("episodes", s.episodes);
  json.number("alarms", s.alarms);
  json.number("false_alarms", s.false_alarms);
  json.number("replaced", s.replaced);
  json.number("excluded", s.excluded);
  json.number("worn_links", s.worn_links);
  json.number("stopped", s.stopped);
  json.close();
}

void put_own_failures(JsonText& json, const OwnFailures& f) {
  if (f.attempts == 0) return;
  json.open("own_failures");
  json.number("attempts", f.attempts);
  json.number("given_up", f.given_up);
  json.raw("lost_gpu_time_s", to_decimal(f.lost, kGpuTimeDigits));
  json.close();
}

/// Each ratio by its plain name as the conventions define it, and over both denominators by name.
void put_ratios(JsonText& json, const Summary& s) {
  const auto ratio = [&](const std::string& name, Int128 part, Int128 whole) {
    json.raw(name, decimal::shortest(share(part, whole)));
    json.raw(name + "_of_installed", decimal::shortest(share(part, s.installed())));
    json.raw(name + "_of_available", decimal::shortest(share(part, s.available())));
  };
  ratio("utilisation", s.allocated(), s.available());
  ratio("allocation", s.allocated(), s.installed());
  ratio("running", s.ran(), s.installed());
  ratio("goodput", s.useful_gpu_time, s.available());
  json.open("productivity");
  json.raw("scheduling", decimal::shortest(s.scheduling_goodput()));
  json.raw("runtime", decimal::shortest(s.runtime_goodput()));
  json.raw("program", decimal::shortest(s.program_goodput()));
  json.raw("all",
           decimal::shortest(s.scheduling_goodput() * s.runtime_goodput() * s.program_goodput()));
  json.close();
  json.raw("ettr", decimal::shortest(s.ettr));
  if (s.ettr_expected) json.raw("ettr_expected", decimal::shortest(*s.ettr_expected));
  json.raw("jain_fairness", decimal::shortest(s.fairness));
  json.raw("offered_load", s.offered_load ? decimal::shortest(*s.offered_load) : "null");
}

void put_notes(JsonText& json, std::string_view key, const std::vector<TraceReport::Note>& notes) {
  json.open_list(key);
  for (const TraceReport::Note& n : notes) {
    json.open();
    json.text("code", n.code);
    json.text("meaning", n.meaning);
    json.number("count", n.count);
    json.line("lines", n.lines, [](std::uint64_t line) { return std::to_string(line); });
    json.line("jobs", n.jobs, JsonText::quoted);
    json.line("values", n.values, JsonText::quoted);
    json.close();
  }
  json.close_list();
}

std::uint64_t sum(const std::vector<TraceReport::Note>& notes) {
  std::uint64_t count = 0;
  for (const TraceReport::Note& n : notes) count += n.count;
  return count;
}

void put_trace(JsonText& json, const std::optional<TraceReport>& trace) {
  if (!trace) {
    json.raw("trace", "null");
    return;
  }
  json.open("trace");
  json.text("format", trace->format);
  json.text("source", trace->source);
  json.number("rows", trace->rows);
  json.number("replayed", trace->replayed);
  json.number("skipped", sum(trace->skipped));
  json.number("rejected", sum(trace->rejected));
  put_notes(json, "skipped_why", trace->skipped);
  put_notes(json, "rejected_why", trace->rejected);
  json.line("errors", trace->errors, JsonText::quoted);
  put_notes(json, "warnings", trace->warnings);
  json.open("facts");
  for (const auto& [fact, value] : trace->facts) json.text(fact, value);
  json.close();
  json.raw("origin_s", to_decimal(trace->origin.count(), 9));
  json.close();
}

void put_outages(JsonText& json, const Summary& s) {
  if (s.outages.empty()) return;
  json.open("outages");
  json.raw("availability", decimal::shortest(s.availability()));
  json.raw("interruptions_per_day", decimal::shortest(s.interruptions_per_day()));
  json.open_list("causes");
  for (const OutageCount& c : s.outages) {
    json.open();
    json.text("cause", c.cause);
    json.number("times", c.times);
    json.number("interruptions", c.interruptions);
    json.raw("lost_gpu_time_s", to_decimal(c.lost, kGpuTimeDigits));
    json.close();
  }
  json.close_list();
  json.open_list("mttf");
  for (const Reliability& r : s.reliability) {
    const std::optional<double> mttf = r.mttf_s();
    json.open();
    json.text("gpus", r.gpus);
    json.number("jobs", r.jobs);
    json.raw("run_s", to_decimal(r.run, 9));
    json.number("interruptions", r.interruptions);
    json.raw("mttf_s", mttf ? decimal::shortest(*mttf) : "null");
    json.close();
  }
  json.close_list();
  json.close();
}

void put_reservations(JsonText& json, const std::vector<ReservationOutcome>& reservations) {
  if (reservations.empty()) return;
  json.open_list("reservations");
  for (const ReservationOutcome& r : reservations) {
    json.open();
    json.text("id", r.id);
    json.text("state", r.confirmed ? "CONFIRMED" : "DENIED");
    if (!r.confirmed) json.text("code", r.code);
    json.text("text", r.text);
    json.close();
  }
  json.close_list();
}

void put_findings(JsonText& json, const Summary& s) {
  json.open_list("findings");
  for (const Summary::Found& f : s.findings) {
    json.open();
    json.text("kind", name(f.kind));
    json.raw("from_s", decimal::seconds(f.from));
    json.raw("to_s", decimal::seconds(f.to));
    json.line("jobs", f.jobs, JsonText::quoted);
    json.text("text", f.text);
    json.close();
  }
  json.close_list();

  json.open("rejections");
  json.number("count", s.rejected);
  json.open_list("first");
  for (const Summary::Refused& r : s.rejections) {
    json.open();
    json.text("job", r.job);
    json.text("code", r.code);
    json.text("text", r.text);
    json.close();
  }
  json.close_list();
  json.close();
}

std::string experiment_json(const std::string& text) {
  if (text.empty()) return "null";
  const auto parsed = nlohmann::ordered_json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return JsonText::quoted(text);
  return parsed.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string summary_json(const Summary& s) {
  JsonText json;
  json.open();
  json.text("schema", "muster.summary/1");
  json.text("muster_version", version());
  json.text("fingerprint", fingerprint_text(s.fingerprint));
  json.text("fleet", s.fleet);
  json.raw("installed_gpus", to_decimal(s.installed_milli, 3));
  json.open("window_s");
  json.raw("from", decimal::seconds(s.from));
  json.raw("to", decimal::seconds(s.to));
  json.close();
  json.raw("makespan_s", to_decimal(s.window().count(), 9));
  json.flag("stopped_early", s.stopped_early);
  json.number("records", s.records);
  json.number("passes", s.passes);

  put_jobs(json, s);
  put(json, "wait_s", s.all.wait);
  put(json, "jct_s", s.all.jct);
  put(json, "bounded_slowdown", s.all.bounded_slowdown);
  put_ratios(json, s);
  json.number("preemptions", s.preemptions);
  json.number("interruptions", s.interruptions);
  json.number("restarts", s.restarts);
  json.number("resizes", s.reshapes.resizes);
  json.number("moves", s.reshapes.moves);
  json.number("gpus_moved", s.reshapes.gpus_moved);
  json.number("broken_promises", s.broken_promises);
  put_books(json, s);
  put_spread(json, s);
  put_stragglers(json, s.stragglers);
  put_own_failures(json, s.own_failures);
  put_groups(json, "by_size", "gpus", s.by_size);
  put_groups(json, "by_queue", "queue", s.by_queue);
  put_groups(json, "by_user", "user", s.by_user);
  put_outages(json, s);
  put_reservations(json, s.reservations);
  put_findings(json, s);
  json.open_list("warnings");
  for (const std::string& w : s.warnings) json.text({}, w);
  json.close_list();
  put_trace(json, s.trace);
  json.raw("experiment", experiment_json(s.experiment));
  json.close();
  return json.take();
}

}  // namespace muster
