#include "muster/workload/builder.hpp"

#include <string>
#include <vector>

#include <algorithm>
#include <random>
#include "catch.hpp"
#include "muster/core/error.hpp"

using namespace muster;
using namespace std::chrono_literals;

namespace {

JobRow row(std::string_view id, Duration submit, Duration duration = 10s, std::uint32_t gpus = 1) {
  JobRow r;
  r.job = id;
  r.submit = submit;
  r.duration = duration;
  r.shape.gpus = gpus;
  return r;
}

std::vector<std::string> ids(const Workload& w) {
  std::vector<std::string> all;
  for (std::uint32_t j = 0; j < w.size(); ++j) all.emplace_back(w.id_text(JobId{j}));
  return all;
}

const TraceReport::Note* find(const std::vector<TraceReport::Note>& notes, std::string_view code) {
  for (const auto& note : notes)
    if (note.code == code) return &note;
  return nullptr;
}

}  // namespace

TEST_CASE("names are stored once, in order of first appearance, and 0 is the empty one") {
  Names names;
  CHECK(names.size() == 1);
  CHECK(names[NameId{0}].empty());
  const NameId a = names.intern("alice");
  const NameId b = names.intern("bob");
  CHECK(a.value == 1);
  CHECK(b.value == 2);
  CHECK(names.intern("alice") == a);
  CHECK(names.intern("") == NameId{0});
  CHECK(names[b] == "bob");
  CHECK(names.size() == 3);
}

TEST_CASE("a text index finds every text of its column and no other") {
  // In order, in order until the middle, and in no order.
  for (const std::uint32_t step : {1U, 0U, 7919U}) {
    TextColumn column;
    TextIndex index;
    std::vector<std::string> texts;
    for (std::uint32_t i = 0; i < 1000; ++i)
      texts.push_back("job-" +
                      std::to_string(step == 0 ? (i < 500 ? i : 1499 - i) : i * step % 10007));
    for (const std::string& text : texts) {
      CHECK(index.find(column, text) == TextIndex::kAbsent);
      column.push_back(text);
      index.add_last(column);
    }
    for (std::uint32_t i = 0; i < 1000; ++i) CHECK(index.find(column, texts[i]) == i);
    CHECK(index.find(column, "job-99999") == TextIndex::kAbsent);
    CHECK(index.find(column, "job") == TextIndex::kAbsent);
    CHECK(index.find(column, "") == TextIndex::kAbsent);
  }
}

TEST_CASE("a text is added to a column and its index once, in order or not") {
  std::mt19937_64 random{3};
  const bool in_order = GENERATE(true, false);
  TextColumn column;
  TextIndex index;
  std::vector<std::string> added;
  for (int i = 0; i < 2'000; ++i) {
    std::string text =
        std::to_string(in_order ? static_cast<std::uint64_t>(i) / 2 : random() % 900);
    const bool there = std::find(added.begin(), added.end(), text) != added.end();
    REQUIRE(index.add(column, text) == !there);
    if (!there) added.push_back(std::move(text));
    REQUIRE(column.size() == added.size());
  }
  for (std::size_t row = 0; row < added.size(); ++row) {
    REQUIRE(column[row] == added[row]);
    REQUIRE(index.find(column, added[row]) == row);
  }
}

TEST_CASE("jobs are sorted by submit, equal times in the order of the trace") {
  TraceReport report;
  WorkloadBuilder builder(report);
  for (const auto& [id, at] : {std::pair{"a", 0s}, {"b", 20s}, {"c", 15s}, {"d", 20s}, {"e", 15s}})
    builder.add(row(id, at));
  const Workload w = builder.finish();
  CHECK(ids(w) == std::vector<std::string>{"a", "c", "e", "b", "d"});
  CHECK(w.row.items() == std::vector<std::uint32_t>{0, 2, 4, 1, 3});
  const auto* note = find(report.warnings, "out_of_order_submit");
  REQUIRE(note != nullptr);
  CHECK(note->count == 2);
  CHECK(note->jobs == std::vector<std::string>{"c", "e"});
}

TEST_CASE("the order of equal times survives a long sort") {
  TraceReport report;
  WorkloadBuilder builder(report);
  for (int i = 0; i < 1000; ++i) builder.add(row("", std::chrono::seconds{i % 2}));
  const Workload w = builder.finish();
  for (std::uint32_t j = 1; j < 1000; ++j)
    if (w.submit[JobId{j - 1}] == w.submit[JobId{j}]) CHECK(w.row[JobId{j - 1}] < w.row[JobId{j}]);
}

TEST_CASE("every column follows its job when the trace is not sorted") {
  TraceReport report;
  WorkloadBuilder builder(report);
  JobRow late = row("late", 100s, 7s, 8);
  late.user = "alice";
  late.estimate = 60s;
  late.priority = 5;
  late.recorded_start = 130s;
  late.depends_on = {"early"};
  builder.add(late);
  builder.add(row("early", 40s, 3s, 2));
  const Workload w = builder.finish();
  CHECK(ids(w) == std::vector<std::string>{"early", "late"});
  CHECK(w.shapes[w.shape[JobId{1}]].gpus == 8);
  CHECK(w.names[w.user[JobId{1}]] == "alice");
  CHECK(w.names[w.user[JobId{0}]].empty());
  CHECK(w.estimate[JobId{1}] == 60s);
  CHECK(w.estimate[JobId{0}] == kUnknown);
  CHECK(w.priority[JobId{1}] == 5);
  CHECK(w.truth.duration[JobId{1}] == 7s);
  CHECK(w.truth.recorded_start[JobId{1}] == SimTime{90s});
  CHECK(w.truth.recorded_start[JobId{0}] == kNever);
  CHECK(w.depends_on.at(JobId{1}) == std::vector<JobId>{JobId{0}});
}

TEST_CASE("the first submit becomes the origin unless the clock is to be kept") {
  TraceReport report;
  WorkloadBuilder shifted(report);
  shifted.counts_from(0);
  shifted.add(row("a", 1700000000s));
  shifted.add(row("b", 1700000060s));
  const Workload w = shifted.finish();
  CHECK(w.submit[JobId{0}] == kStart);
  CHECK(w.submit[JobId{1}] == SimTime{60s});
  CHECK(w.origin_unix_ns == 1700000000'000000000);
  CHECK(report.origin == 1700000000s);

  WorkloadBuilder kept(report);
  kept.add(row("a", 5s));
  CHECK(kept.finish(true).submit[JobId{0}] == SimTime{5s});
  CHECK(report.origin == 0s);
}

TEST_CASE("columns that nobody used do not exist") {
  TraceReport report;
  WorkloadBuilder builder(report);
  builder.add(row("a", 0s));
  JobRow b = row("b", 1s);
  b.deadline = 100s;
  builder.add(b);
  builder.add(row("c", 2s));
  const Workload w = builder.finish();
  CHECK(w.priority.empty());
  CHECK(w.limit.empty());
  CHECK(w.truth.recorded_start.empty());
  CHECK(w.deadline.items() == std::vector<Duration>{kUnknown, 100s, kUnknown});
}

TEST_CASE("an id that comes again gets a number appended, or is refused") {
  TraceReport report;
  WorkloadBuilder builder(report);
  CHECK(builder.add(row("a", 0s)) == 0);
  CHECK(builder.add(row("a", 1s)) == 0);
  CHECK(builder.add(row("a#3", 2s)) == 0);
  CHECK(builder.add(row("a", 3s)) == 0);
  CHECK(ids(builder.finish()) == std::vector<std::string>{"a", "a#2", "a#3", "a#3'"});
  CHECK(find(report.warnings, "duplicate_job")->count == 2);

  WorkloadBuilder strict(report);
  strict.refuse_duplicates();
  JobRow first = row("a", 0s);
  first.line = 17;
  CHECK(strict.add(first) == 0);
  CHECK(strict.add(row("a", 1s)) == 17);
  CHECK(strict.size() == 1);
}

TEST_CASE("an estimate of zero or less is reported and not stored") {
  TraceReport report;
  WorkloadBuilder builder(report);
  JobRow zero = row("D", 0s);
  zero.estimate = 0s;
  builder.add(zero);
  JobRow negative = row("E", 0s);
  negative.estimate = -5s;
  builder.add(negative);
  const Workload w = builder.finish();
  CHECK(w.estimate[JobId{0}] == kUnknown);
  CHECK(w.estimate[JobId{1}] == kUnknown);
  CHECK(find(report.warnings, "estimate_not_positive")->jobs == std::vector<std::string>{"D", "E"});
}

TEST_CASE("a recorded start before the submit is kept and reported by how much") {
  TraceReport report;
  WorkloadBuilder builder(report);
  JobRow r = row("r2", 60s);
  r.recorded_start = 50s;
  builder.add(r);
  const Workload w = builder.finish();
  CHECK(w.truth.recorded_start[JobId{0}] == SimTime{-10s});
  CHECK(find(report.warnings, "recorded_start_before_submit")->values ==
        std::vector<std::string>{"-10 s"});
}

TEST_CASE("jobs that ask for the same share one shape") {
  TraceReport report;
  WorkloadBuilder builder(report);
  for (const std::uint32_t gpus : {1, 8, 1, 8, 8}) builder.add(row("", 0s, 1s, gpus));
  JobRow typed = row("", 0s, 1s, 8);
  typed.types = "A100";
  builder.add(typed);
  const Workload w = builder.finish();
  CHECK(w.shapes.size() == 3);
  CHECK(w.shape[JobId{0}] == w.shape[JobId{2}]);
  CHECK(w.names[w.shapes[w.shape[JobId{5}]].types] == "A100");
}

TEST_CASE("dependencies must name jobs of the trace and come to an end") {
  const auto build = [](std::vector<std::pair<std::string, std::vector<std::string>>> jobs) {
    TraceReport report;
    report.source = "t.csv";
    WorkloadBuilder builder(report);
    std::uint64_t line = 1;
    for (const auto& [id, needs] : jobs) {
      JobRow r = row(id, 0s);
      r.depends_on = needs;
      r.line = ++line;
      builder.add(r);
    }
    try {
      builder.finish();
    } catch (const InputError& e) {
      return std::string{e.what()};
    }
    return std::string{};
  };
  CHECK(build({{"a", {}}, {"b", {"a"}}, {"c", {"a", "b", "a"}}}).empty());
  CHECK(build({{"a", {"b"}}, {"b", {}}}).empty());
  CHECK(build({{"a", {}}, {"b", {"x"}}}) ==
        "t.csv:3: depends_on: expected ids of jobs of this trace, got \"x\" (job b)\n"
        "    several ids are separated by ; or |");
  CHECK(
      build({{"a", {"c"}}, {"b", {"a"}}, {"c", {"b"}}, {"d", {}}}) ==
      "t.csv: depends_on: job \"a\" waits for itself, directly or through others (3 jobs in all)");
  CHECK(
      build({{"a", {"a"}}}) ==
      "t.csv: depends_on: job \"a\" waits for itself, directly or through others (1 jobs in all)");
}

TEST_CASE("a dependency on a row that was left out counts as fulfilled") {
  TraceReport report;
  report.note(report.skipped, "cpu_only", "", 2);
  WorkloadBuilder builder(report);
  JobRow r = row("b", 0s);
  r.depends_on = {"a"};
  builder.add(r);
  CHECK(builder.finish().depends_on.empty());
  CHECK(find(report.warnings, "dependency_left_out")->values == std::vector<std::string>{"a"});
}

TEST_CASE("submit times further apart than a century are refused") {
  TraceReport report;
  report.source = "t.csv";
  WorkloadBuilder builder(report);
  builder.add(row("a", 0s));
  builder.add(row("b", std::chrono::hours{24 * 365 * 101}));
  CHECK_THROWS_WITH(builder.finish(),
                    "t.csv: the submit times span more than 100 years\n    are they all "
                    "in the same unit, and count from the same instant?");
}
