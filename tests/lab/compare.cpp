// Several policies side by side.

#include "muster/lab/compare.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "muster/policy/registry.hpp"

using namespace muster;
using namespace muster::test;
namespace fs = std::filesystem;

namespace {

/// A place that goes away.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "muster-lab-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

/// Fails as the policy of a plug-in may: at its first decision, with whatever it likes.
struct Failing final : Policy {
  struct Params {
    bool odd = false;
    void walk(ParamVisitor& visit) { visit.visit("odd", odd, "throws a number"); }
  };
  explicit Failing(const Params& given) : params(given) {}
  std::optional<Rejection> refuse(const View&, JobId) override { return std::nullopt; }
  void decide(const View&, Plan&) override {
    if (params.odd) throw 5;
    throw std::runtime_error("no more ideas");
  }
  Explanation explain(const View&, JobId) override { return {}; }
  Params params;
};
const RegisterPolicy<Failing> failing{"failing", "throws"};

std::string slurp(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

/// The bundled week on `fleet`, once per policy.
std::vector<Compared> compared(const std::vector<std::string>& names, const fs::path& out,
                               CompareOptions options = {}, const std::string& fleet = "16x8") {
  std::vector<ExperimentSpec> specs;
  for (const std::string& name : names) {
    specs.emplace_back();
    specs.back().set_text("/fleet", fleet, "--fleet");
    specs.back().set_text("/workload/trace", MUSTER_SOURCE_DIR "/traces/first/first.csv",
                          "--trace");
    specs.back().set_text("/policy", name, "--policy");
  }
  options.out = out;
  return compare(specs, names, options);
}

}  // namespace

TEST_CASE("a comparison is what the runs alone are, on any number of threads") {
  const std::vector<std::string> names{
      "easy", "srtf", "fair_share", "kubernetes_default", "fifo", "batch:order=sjf,skip=true"};
  const Folder one, four;
  CompareOptions options;
  std::size_t reports = 0;
  options.progress = [&](std::size_t done, double part) {
    CHECK(done <= names.size());
    CHECK((part >= 0 && part <= 1));
    ++reports;
  };
  const std::vector<Compared> alone = compared(names, one.path, options);
  CHECK(reports > 0);
  options.threads = 4;
  const std::vector<Compared> together = compared(names, four.path, options);
  REQUIRE(alone.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(alone[i].policy == names[i]);
    REQUIRE(alone[i].summary);
    CHECK(alone[i].summary->fingerprint == together[i].summary->fingerprint);
    CHECK(slurp(alone[i].folder / "summary.json") == slurp(together[i].folder / "summary.json"));
    CHECK(slurp(alone[i].folder / "jobs.csv").size() > 100'000);
  }
  CHECK(alone[5].folder == one.path / "batch-order=sjf-skip=true");
  CHECK_THAT(comparison_note(alone[3]), StartsWith("no job runs, and incomplete gangs wait"));
  CHECK(comparison_note(alone[0]) == "");

  write_comparison(one.path / "a.csv", alone);
  write_comparison(one.path / "b.csv", together);
  const std::string table = slurp(one.path / "a.csv");
  CHECK(table == slurp(one.path / "b.csv"));
  CHECK(std::count(table.begin(), table.end(), '\n') == 7);
  const Summary& easy = *alone[0].summary;
  CHECK_THAT(table, Contains("\neasy,2469," + std::to_string(easy.count(JobState::completed)) +
                             ",0,0" + "," + to_decimal(easy.all.wait.mean, 9) + ","));
  CHECK_THAT(table, Contains("\n\"batch:order=sjf,skip=true\",2469,"));
}

TEST_CASE("a comparison says what could not run, and what was stopped") {
  const Folder out;
  const std::vector<std::string> names{"fifo", "batch:reclaim=fair_share,preemption=requeue",
                                       "easy"};
  CompareOptions options;
  options.seconds = 1e-9;
  std::vector<Compared> runs = compared(names, out.path, options);
  CHECK_THAT(runs[1].refusal, Contains("/reclaim: needs quotas, and there are none"));
  CHECK_FALSE(runs[1].summary);
  CHECK_THAT(comparison_note(runs[0]), StartsWith("stopped for its time after "));
  CHECK(runs[0].summary->stopped_early);
  const std::string text = comparison_text(runs, {});
  CHECK_THAT(text, Contains("\nfifo"));
  CHECK_THAT(text, Contains("\n\nfifo: stopped for its time after "));  // below the table
  CHECK_THAT(text, Contains("did not run (see below)\n"));
  CHECK_THAT(text, Contains("needs quotas, and there are none\n"));

  options.seconds = 0;
  options.interrupted = [] { return true; };
  runs = compared({"fifo", "easy"}, out.path, options);
  CHECK(comparison_note(runs[0]) == "stopped early");
}

TEST_CASE("a table for a person has the best mean turnaround first") {
  const Folder out;
  const std::string text =
      comparison_text(compared({"fifo", "kubernetes_default", "srtf", "easy"}, out.path), {});
  const std::size_t srtf = text.find("\nsrtf"), easy = text.find("\neasy"),
                    fifo = text.find("\nfifo"), stuck = text.find("\nkubernetes_default");
  CHECK(text.find("policy ") == 0);
  CHECK(srtf < easy);
  CHECK(easy < fifo);
  CHECK(fifo < stuck);  // it did not come to its end, whatever its mean is
  CHECK(stuck != std::string::npos);
}

TEST_CASE("who was rejected and who was killed at a limit has a column where somebody was") {
  const Folder folder;
  const auto table = [&](const std::string& policy, const std::string& fleet) {
    const std::vector<Compared> runs = compared({policy}, folder.path / "out", {}, fleet);
    write_comparison(folder.path / "out.csv", runs);
    const Summary& s = runs.front().summary.value();
    std::ostringstream counts;
    counts << "," << s.jobs << "," << s.count(JobState::completed) << ","
           << s.count(JobState::timeout) << "," << s.rejected << ",";
    CHECK(slurp(folder.path / "out.csv").find(counts.str()) != std::string::npos);
    const std::string text = comparison_text(runs, {});
    return text.substr(0, text.find('\n'));
  };
  const auto has = [](const std::string& text, const std::string& what) {
    return text.find(what) != std::string::npos;
  };
  const std::string all = table("fifo", "16x8");
  CHECK(!has(all, "rejected"));
  CHECK(!has(all, "killed"));
  const std::string wide = table("fifo", "2x8");
  CHECK(has(wide, "rejected"));
  CHECK(!has(wide, "killed"));
  const std::string late = table("batch:default_estimate=60", "16x8");
  CHECK(has(late, "killed"));
  CHECK(!has(late, "rejected"));
}

TEST_CASE("rows that are equal because the schedules are say so") {
  const Folder out;
  const std::string text = comparison_text(
      compared({"fifo", "easy", "batch:order=fifo", "srtf"}, out.path, {}, "16x8"), {});
  const std::string said = "\n\nthe same schedule, start by start: ";
  const std::size_t at = text.find(said);
  REQUIRE(at != std::string::npos);
  CHECK_THAT(text.substr(at + said.size()), StartsWith("fifo, batch:order=fifo\nwarning: "));
  // All of them warn of it.
  CHECK_THAT(text, Contains("\nwarning: estimate_missing: 186 of 2469 jobs have no estimate"));
}

TEST_CASE("what is in the way of a comparison's output is an error before any run") {
  const Folder out;
  CompareOptions options;
  options.progress = [](std::size_t, double) { FAIL("a policy runs"); };
  const auto refused = [&](const fs::path& folder, const char* message) {
    CHECK_THROWS_WITH(compared({"fifo", "easy"}, folder, options), EndsWith(message));
  };
  const std::string elsewhere = "\n    choose another place with --out";
  std::ofstream{out.path / "easy"} << "a file";
  refused(out.path, ("easy: is a file; results need a directory" + elsewhere).c_str());
  refused(out.path / "easy", ("cannot make the directory: Not a directory" + elsewhere).c_str());
  fs::remove(out.path / "easy");
  fs::create_directory(out.path / "compare.csv");
  refused(out.path,
          "compare.csv: is a directory; a result file goes here\n"
          "    remove it, or write the results elsewhere with --out");
}

TEST_CASE("what all policies share is refused once, before any of them runs") {
  const Folder out;
  const std::vector<std::string> names{"fifo", "easy"};
  const auto refused = [&](const char* pointer, const char* value, const char* message) {
    std::vector<ExperimentSpec> specs(2);
    for (std::size_t i = 0; i < 2; ++i) {
      specs[i].set_text("/fleet", "16x8", "--fleet");
      specs[i].set_text("/workload/trace", MUSTER_SOURCE_DIR "/traces/first/first.csv", "--trace");
      specs[i].set_text("/policy", names[i], "--policy");
      specs[i].set(pointer, value, "--set");
    }
    CompareOptions options;
    options.out = out.path / "new";
    CHECK_THROWS_WITH(compare(specs, names, options), StartsWith(message));
    CHECK_FALSE(fs::exists(options.out));
  };
  refused("/engine/horizon", "0", "--set: expected a time above 0");
  refused("/seed", "-1", "--set: expected an integer >= 0");
  refused("/fleet", "0x8", "fleet ");
  refused("/workload/trace", "none.csv", "--set: there is no file");
  // What only a run finds out is in the way of each of them.
  refused("/failures/retries", "x", "--set: expected");
}

TEST_CASE("a policy that fails has a row with the reason, and the others their answers") {
  const Folder out;
  const std::vector<Compared> runs = compared({"failing", "fifo", "failing:odd=true"}, out.path);
  CHECK_FALSE(runs[0].summary);
  CHECK(comparison_note(runs[0]) == "no more ideas");
  CHECK(comparison_note(runs[1]) == "");
  CHECK(runs[1].summary->count(JobState::completed) > 0);
  CHECK(comparison_note(runs[2]) == "it threw what is no std::exception");
  CHECK(fs::is_empty(runs[0].folder));
}

TEST_CASE("the folders of policies with long or like names are short, and told apart") {
  const Folder out;
  const std::string caps = "fifo:caps={\"" + std::string(300, 'x') + "\":1}";
  const std::vector<std::string> names{"fifo", "fifo", caps, caps};
  const std::vector<Compared> runs = compared(names, out.path);
  CHECK(runs[0].folder == out.path / "fifo");
  CHECK(runs[1].folder == out.path / "fifo-2");
  CHECK(runs[2].folder == out.path / ("fifo-caps=--" + std::string(48, 'x')));
  CHECK(runs[3].folder == runs[2].folder.string() + "-2");
  for (const Compared& run : runs) CHECK(fs::exists(run.folder / "summary.json"));
}

TEST_CASE("where no job came to an end there is no slowdown and no fairness") {
  const Folder out;
  Compared none{"none", {}, Summary{}, {}}, some{"some", {}, Summary{}, {}};
  none.summary->to = kStart + Duration{9'007'199'254'740'993};  // no double has this many seconds
  some.summary->to = none.summary->to;
  some.summary->all.jct.count = some.summary->all.bounded_slowdown.count = 1;
  some.summary->all.jct.mean = 5;
  some.summary->traffic = Traffic{3, 2, 1};
  const std::vector<Compared> runs{none, some};
  write_comparison(out.path / "t.csv", runs);
  const std::string table = slurp(out.path / "t.csv");
  CHECK_THAT(table, Contains("\nnone,0,0,0,0,,,,,,,,,,0,0,,0,0,0,0,,,,,,9007199.254740993,"));
  CHECK_THAT(
      table,
      Contains("\nsome,0,0,0,0,,,,,0.000000005,0,0,0,0,0,0,1,0,0,0,0,,,3,2,1,9007199.254740993,"));
  const std::string text = comparison_text(runs, {});
  CHECK(text.find("\nsome") < text.find("\nnone"));
  const std::string row = text.substr(text.find("\nnone"));
  CHECK(std::count(row.begin(), row.end(), '-') == 7);
}
