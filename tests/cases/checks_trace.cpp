// What is said before and around a run: errors, warnings, and how a trace was understood; and where
// jobs were put.

#include <algorithm>
#include <bit>
#include <optional>
#include <regex>

#include "checks.hpp"
#include "muster/core/error.hpp"

namespace muster::cases {
namespace {

/// A complaint as the product words it.
struct Said {
  std::string code, job, text;
  std::uint64_t line = 0;
};

std::vector<Said> errors_of(const Trial& t) {
  std::vector<Said> all;
  for (const Rejection& r : t.outcome.summary.rejections)
    all.push_back({r.code, std::string{t.workload().id_text(r.job)}, r.text, 0});
  for (const ReservationOutcome& r : t.outcome.summary.reservations)
    if (!r.confirmed) all.push_back({r.code, r.id, r.text, 0});
  // What a user asked for and did not get while the job ran.
  static const std::regex kRefused("(resize_\\w+): (.* job (\\S+) .*)");
  for (const std::string& warning : t.outcome.summary.warnings)
    if (std::smatch m; std::regex_match(warning, m, kRefused)) all.push_back({m[1], m[3], m[2], 0});
  for (const TraceReport::Note& note : t.setting.trace.report.rejected)
    for (std::size_t i = 0; i < note.lines.size(); ++i) {
      Said said{note.code, i < note.jobs.size() ? note.jobs[i] : "", "", note.lines[i]};
      const std::string place = ":" + std::to_string(said.line) + ":";
      for (const std::string& text : t.setting.trace.report.errors)
        if (text.find(place) != std::string::npos) said.text = text;
      // Rows of a case are lines of a table that has a header.
      said.text += t.setting.rows_are_lines ? " [line " + std::to_string(said.line) + "]"
                                            : " [row " + std::to_string(said.line - 1) + "]";
      all.push_back(said);
    }
  return all;
}

/// "half_life <= 0": what the configuration says to values it can't have.
std::vector<Said> errors_when(const std::string& condition, const std::string& code,
                              const Trial& t) {
  static const std::regex kCondition("(\\w+) *(<=|<|=|==) *(-?[0-9.]+)");
  std::smatch m;
  if (!std::regex_match(condition, m, kCondition)) throw Unsupported("errors when " + condition);
  std::vector<Said> all;
  std::vector<double> values;
  if (m[2] != "<") values.push_back(std::stod(m[3]));
  if (m[2].str().front() == '<') values.push_back(std::stod(m[3]) - 1);
  for (const double value : values) {
    Json policy = t.setting.policy;
    policy[m[1].str()] = value;
    try {
      make_policy(t.setting.family, policy);
      return {};
    } catch (const InputError& e) {
      all = {{code, "", e.what(), 0}};
    }
  }
  return all;
}

}  // namespace

void check_errors(const Json& errors, const Trial& t) {
  for (const Json& json : errors) {
    Members want(json, "expect errors");
    const std::string code = want.text("code"), when = want.text("when"),
                      job = want.text("job", want.text("reservation"));
    const Json* line = want.find("line");
    const Json* row = want.find("row");
    const Json* at = want.find("t");
    std::vector<Said> said = when.empty() ? errors_of(t) : errors_when(when, code, t);
    std::erase_if(said, [&](const Said& s) {
      if (!code.empty() && s.code != code) return true;
      if (!job.empty() && s.job != job) return true;
      if (at && !names(s.text, "at " + at->dump() + " s")) return true;
      if (line && s.line != line->get<std::uint64_t>()) return true;
      return row && s.line != row->get<std::uint64_t>() + 1;
    });
    t.checks.that(!said.empty(), "no error " + json.dump());
    if (const Json* words = want.find("message_must_name"))
      for (const Json& word : *words)
        t.checks.that(
            std::any_of(said.begin(), said.end(),
                        [&](const Said& s) { return names(s.text, word.get<std::string>()); }),
            "error " + code + ": expected it to name " + word.dump() + ", got \"" +
                (said.empty() ? "" : said.front().text) + "\"");
    want.done();
  }
}

namespace {

const TraceReport::Note* note_of(const TraceReport& report, const std::string& code) {
  for (const auto* list : {&report.warnings, &report.skipped, &report.rejected})
    for (const TraceReport::Note& note : *list)
      if (note.code == code) return &note;
  return nullptr;
}

/// Warnings of a run are text that begins with their code.
void check_run_warning(Members& want, const std::string& code, const Trial& t) {
  const std::string type = want.text("gpu_type");
  std::vector<std::string> said;
  for (const std::string& text : t.outcome.report.warnings)
    if (text.starts_with(code + ":") && (type.empty() || names(text, type))) said.push_back(text);
  t.checks.that(!said.empty(), "no warning " + code + (type.empty() ? "" : " that names " + type));
  const Json* count = want.find("count");
  if (said.empty() || !count) return;
  // Either one for each, or one that says how many.
  t.checks.that(std::to_string(said.size()) == count->dump() || names(said.front(), count->dump()),
                "warning " + code + ": expected a count of " + count->dump() + ", got \"" +
                    said.front() + "\"");
}

}  // namespace

void check_warnings(const Json& warnings, const Trial& t) {
  for (const Json& json : warnings) {
    Members want(json, "expect warnings");
    const std::string code = want.text("code");
    if (const TraceReport::Note* note = note_of(t.setting.trace.report, code)) {
      if (const Json* count = want.find("count"))
        t.checks.number("warnings " + code, static_cast<double>(note->count), *count);
      if (const Json* line = want.find("line"))
        t.checks.that(
            std::count(note->lines.begin(), note->lines.end(), line->get<std::uint64_t>()) > 0,
            "warning " + code + " is not about line " + line->dump());
      if (const Json* jobs = want.find("jobs"))
        t.checks.equal("jobs of " + code, Json(note->jobs).dump(), jobs->dump());
      if (const Json* value = want.find("value"))
        t.checks.that(std::any_of(note->values.begin(), note->values.end(),
                                  [&](const std::string& v) { return names(v, value->dump()); }),
                      "warning " + code + " does not say " + value->dump());
    } else {
      check_run_warning(want, code, t);
    }
    want.done();
  }
}

namespace {

double noted(const std::vector<TraceReport::Note>& notes, const std::string& part) {
  double sum = 0;
  for (const TraceReport::Note& note : notes)
    if (note.code.find(part) != std::string::npos) sum += static_cast<double>(note.count);
  return sum;
}

/// A number of each job, by id.
void check_each(Members& parse, const std::string& key, const Trial& t,
                const std::function<double(JobId)>& value) {
  const Json* want = parse.find(key);
  if (!want) return;
  for (const auto& [id, number] : want->items()) {
    const JobId j = t.setting.job(id);
    if (j == kNoJob)
      t.checks.that(false, key + ": job " + id + " is not replayed");
    else
      t.checks.number(key + " of " + id, value(j), number);
  }
}

/// The line of a trace in the case that begins with this job id.
std::string row_of(const Json& jobs, const std::string& id) {
  for (const auto& [format, lines] : jobs.items())
    if (lines.is_array())
      for (const Json& line : lines)
        if (line.is_string() && line.get<std::string>().starts_with(id + "|"))
          return line.get<std::string>();
  return {};
}

/// Of jobs that the reader replays, what becomes of them; of others, why they were left out.
void check_parsed_states(const Json& states, const Trial& t) {
  for (const auto& [id, want] : states.items()) {
    if (t.setting.job(id) != kNoJob) {
      t.checks.equal("state of " + id, std::string{name(t.job(id).state)}, want.get<std::string>());
      continue;
    }
    bool cancelled = false;
    for (const TraceReport::Note& note : t.setting.trace.report.skipped)
      if (std::count(note.jobs.begin(), note.jobs.end(), id) > 0)
        cancelled |= note.code.find("cancelled") != std::string::npos ||
                     (note.code == "never_started" &&
                      row_of(t.variant.jobs, id).find("CANCELLED") != std::string::npos);
    t.checks.equal("state of " + id, cancelled ? "CANCELLED_PENDING" : "unknown",
                   want.get<std::string>());
  }
}

}  // namespace

void check_parse(const Json& json, const Trial& t) {
  const TraceReport& report = t.setting.trace.report;
  const Workload& w = t.workload();
  Members parse(json, "expect parse");
  const auto rows = static_cast<double>(report.rows),
             rejected = static_cast<double>(report.total(report.rejected));
  const double steps = noted(report.skipped, "step");
  const double pending =
      noted(report.skipped, "cancelled") + noted(report.skipped, "never_started");
  double withdrawn = 0;
  for (std::uint32_t i = 0; i < w.size(); ++i)
    withdrawn += Workload::at_or(w.cancel, JobId{i}, kUnknown) != kUnknown &&
                 Workload::at_or(w.truth.recorded_start, JobId{i}, kNever) == kNever;
  const std::map<std::string, double> counts{
      {"rows", rows},
      {"data_lines", rows},
      {"replayed", static_cast<double>(report.replayed)},
      {"rejected", rejected},
      {"steps_ignored", steps},
      {"jobs", rows - steps},
      {"skipped_cancelled", noted(report.skipped, "cancelled")},
      {"skipped", static_cast<double>(report.total(report.skipped))},
      {"never_started", pending + withdrawn}};
  for (const auto& [key, value] : counts)
    if (const Json* want = parse.find(key)) t.checks.number(key, value, *want);

  check_each(parse, "durations", t, [&](JobId j) { return seconds(w.truth.duration[j]); });
  check_each(parse, "waits_recorded", t, [&](JobId j) {
    return seconds(Workload::at_or(w.truth.recorded_start, j, kNever) - w.submit[j]);
  });
  check_each(parse, "estimates", t, [&](JobId j) {
    return seconds(w.estimate[j] == kUnknown ? t.setting.default_estimate : w.estimate[j]);
  });
  check_each(parse, "gpus", t,
             [&](JobId j) { return static_cast<double>(w.shapes[w.shape[j]].gpus); });
  check_each(parse, "submits", t, [&](JobId j) { return seconds(w.submit[j]); });
  if (const Json* states = parse.find("states")) check_parsed_states(*states, t);
  parse.done();
}

namespace {

/// GPUs of a run by the name of the node.
std::map<std::string, std::uint32_t> by_node(const Run& run, const Fleet& fleet) {
  std::map<std::string, std::uint32_t> gpus;
  for (const Slice& s : run.where)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      gpus[fleet.node_name(NodeId{n})] += count(s.gpus);
  return gpus;
}

/// Sorted.
std::vector<std::string> names_of(const std::vector<Slice>& where, const Fleet& fleet) {
  std::vector<std::string> names;
  for (const Slice& s : where)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      names.push_back(fleet.node_name(NodeId{n}));
  std::sort(names.begin(), names.end());
  return names;
}

/// "rack B (all 3)", "F1": all of the run inside that domain, and on so many nodes.
bool inside(const std::string& text, const Run& run, const Fleet& fleet) {
  static const std::regex kDomain(
      "(?:rack |leaf |fabric |pod )?(\\S+)(?: \\((?:all )?(both|[0-9]+)\\))?");
  std::smatch m;
  if (!std::regex_match(text, m, kDomain)) throw Unsupported("placement " + text);
  const auto gpus = by_node(run, fleet);
  if (m[2].matched && gpus.size() != (m[2] == "both" ? 2 : std::stoul(m[2]))) return false;
  if (gpus.size() == 1 && gpus.begin()->first == m[1]) return true;
  bool known = false;
  for (const Level level : {Level::leaf, Level::pod, Level::fabric})
    for (std::uint32_t i = 0; i < fleet.domains[static_cast<std::size_t>(level)].size(); ++i) {
      if (fleet.domain_name(level, i) != m[1]) continue;
      known = true;
      const NodeRange range = fleet.domains[static_cast<std::size_t>(level)][i];
      if (std::all_of(run.where.begin(), run.where.end(), [&](const Slice& s) {
            return range.first <= s.first.value && s.first.value + s.count <= range.last;
          }))
        return true;
    }
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
    known |= fleet.node_name(NodeId{n}) == m[1];
  if (!known) throw Unsupported("placement " + text);
  return false;
}

/// "slots 4-7", "slot 6": of one GPU in MIG mode.
std::optional<std::string> slots_held(const Run& run) {
  const GpuMask mask = run.where.at(0).gpus;
  const int first = std::countr_zero(mask) % 8, n = std::popcount(mask);
  if (n == 1) return "slot " + std::to_string(first);
  return "slots " + std::to_string(first) + "-" + std::to_string(first + n - 1);
}

/// {"X": "B", "Y": "A"}: the GPUs on each node are those of the tasks said to be there.
bool tasks_at(const Json& want, const std::string& id, const Run& run, const Trial& t) {
  std::map<std::string, std::uint32_t> expected;
  for (const Json& job : t.variant.jobs) {
    if (job.value("id", "") != id) continue;
    for (const Json& task : job.at("tasks"))
      expected[want.at(task.at("name").get<std::string>()).get<std::string>()] +=
          task.at("gpus").get<std::uint32_t>();
  }
  return expected == by_node(run, t.setting.fleet);
}

}  // namespace

void check_placements(const Json& placements, const Trial& t) {
  for (const auto& [id, want] : placements.items()) {
    const auto& runs = t.job(id).runs;
    if (runs.empty()) {
      t.checks.that(false, "placement of " + id + ": it never ran");
      continue;
    }
    std::string got;
    for (const auto& [node, gpus] : by_node(runs.front(), t.setting.fleet))
      got += " " + node + ":" + std::to_string(gpus);
    bool good = false;
    if (const auto slots = t.workload().shapes[t.workload().shape[t.setting.job(id)]].mig != 0
                               ? slots_held(runs.front())
                               : std::nullopt) {
      good = want == *slots;
      got = " " + *slots;
    } else if (want.is_string()) {
      good = inside(want.get<std::string>(), runs.front(), t.setting.fleet);
    } else if (want.is_object()) {
      good = tasks_at(want, id, runs.front(), t);
    } else if (want.is_array() && !want.empty() && want.front().is_array()) {
      Json all = Json::array({names_of(runs.front().where, t.setting.fleet)});
      for (const Reshaped& r : runs.front().reshapes)
        all.push_back(names_of(r.where, t.setting.fleet));
      got = all.dump();
      good = want.size() == all.size();
      for (std::size_t i = 0; good && i < all.size(); ++i) {
        auto nodes = want[i].get<std::vector<std::string>>();
        std::sort(nodes.begin(), nodes.end());
        good = all[i].get<std::vector<std::string>>() == nodes;
      }
    } else if (want.is_array() && !want.empty() && want.front().is_string()) {
      std::map<std::string, std::uint32_t> nodes;
      for (const Json& node : want) nodes[node.get<std::string>()] = 1;
      auto held = by_node(runs.front(), t.setting.fleet);
      good = held.size() == nodes.size() &&
             std::all_of(held.begin(), held.end(),
                         [&](const auto& h) { return nodes.count(h.first); });
    } else {
      throw Unsupported("placement " + want.dump());
    }
    t.checks.that(good, "placement of " + id + ": expected " + want.dump() + ", got" + got);
  }
}

}  // namespace muster::cases
