// Several policies side by side.

#include "muster/lab/compare.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "catch.hpp"

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
                             "," + to_decimal(easy.all.wait.mean, 9) + ","));
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

TEST_CASE("a comparison whose folder can't be written is an error") {
  const Folder out;
  std::ofstream{out.path / "easy"} << "a file";
  CHECK_THROWS_WITH(compared({"fifo", "easy"}, out.path), Contains("is a file"));
}
