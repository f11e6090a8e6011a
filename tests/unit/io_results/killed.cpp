// A run that is killed while its finished files get their names: all of the old results, or all of the new.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "io/results/pending_commit.hpp"
#include "muster/core/error.hpp"
#include "muster/lab/replay.hpp"

using namespace muster;
namespace fs = std::filesystem;

namespace {

int renames_to_live = -1;  // below 0: nobody is killed
int rename_to_fail = -1;   // the how manieth, from 0; below 0: none

}  // namespace

/// In the place of the C library's, for all of this program.
extern "C" int rename(const char* from, const char* to) noexcept {
  if (renames_to_live >= 0 && renames_to_live-- == 0) ::kill(::getpid(), SIGKILL);
  if (rename_to_fail >= 0 && rename_to_fail-- == 0) {
    errno = EPERM;
    return -1;
  }
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace {

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "muster-killed-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
    std::ofstream{path / "t.csv"} << "job,submit,gpus,duration\na,0,8,100\nb,1,4,50\n";
  }
  ~Folder() { fs::remove_all(path); }

  Experiment experiment(const std::string& policy) const {
    ExperimentSpec spec;
    spec.set_text("/fleet", "1x8", "--fleet");
    spec.set_text("/workload/trace", (path / "t.csv").string(), "--trace");
    spec.set_text("/policy", policy, "--policy");
    return spec.load();
  }

  void run(const std::string& policy, const char* out) const {
    const Experiment experiment = this->experiment(policy);
    Results results{path / out, experiment.trace.workload};
    replay(experiment, loads_of(experiment), results, {});
  }

  /// Under easy, killed once so many files have got their names; its status.
  int run_killed_after(int names) const {
    const pid_t child = ::fork();
    if (child == 0) {
      renames_to_live = names;
      run("easy", "o");
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
  }

  std::map<std::string, std::string> files(const char* out) const {
    std::map<std::string, std::string> texts;
    for (const auto& entry : fs::directory_iterator(path / out)) {
      std::ifstream in{entry.path()};
      texts[entry.path().filename().string()] = {std::istreambuf_iterator<char>{in}, {}};
    }
    return texts;
  }

  fs::path path;
};

}  // namespace

TEST_CASE("a run that is killed between two of its files leaves the old ones or the new ones") {
  const Folder folder;
  folder.run("fifo", "old");
  folder.run("easy", "new");
  const auto old = folder.files("old"), fresh = folder.files("new");
  REQUIRE(old.size() == 5);
  REQUIRE(old.at("summary.json") != fresh.at("summary.json"));
  // The list of the files is the first to get its name, then they do.
  for (int done = 0; done <= 5; ++done) {
    INFO("killed after " << done << " names");
    fs::remove_all(folder.path / "o");
    folder.run("fifo", "o");
    REQUIRE(WIFSIGNALED(folder.run_killed_after(done)));
    complete_commit(folder.path / "o");
    auto left = folder.files("o");
    if (done == 0) {
      std::erase_if(left, [](const auto& file) { return file.first.ends_with(".partial"); });
      CHECK(left == old);
    } else {
      CHECK(left == fresh);
    }
    folder.run("fifo", "o");  // what was left behind is in nobody's way
    CHECK(folder.files("o") == old);
  }
}

TEST_CASE("what an earlier run left besides goes with the others, not before") {
  const Folder folder;
  for (int done = 0; done <= 2; ++done) {
    INFO("killed after " << done << " names");
    fs::remove_all(folder.path / "o");
    folder.run("fifo", "o");
    std::ofstream{folder.path / "o" / "events.csv"} << "of that run\n";
    folder.run_killed_after(done);
    CHECK((folder.files("o").count("events.csv") == 1) == (done == 0));
  }
}

TEST_CASE("a name that can't be given is told, and the next one goes on") {
  const Folder folder;
  folder.run("easy", "new");
  folder.run("fifo", "o");
  const auto fresh = folder.files("new");
  std::string said;
  rename_to_fail = 3;
  try {
    folder.run("easy", "o");
  } catch (const InputError& error) {
    said = error.what();
  }
  rename_to_fail = -1;
  CHECK(said == (folder.path / "o" / "ledger.csv").string() +
                    ": cannot rename the finished file: Operation not permitted\n"
                    "    the new results are complete, and those that have not got their names yet "
                    "are beside it as NAME.partial: make way for them, and whoever next reads or "
                    "writes this folder goes on");
  CHECK(folder.files("o").count("summary.json.partial") == 1);
  complete_commit(folder.path / "o");
  CHECK(folder.files("o") == fresh);
}

TEST_CASE("one run at a time writes to a folder") {
  const Folder folder;
  folder.run("fifo", "o");
  const auto before = folder.files("o");
  const Experiment experiment = folder.experiment("easy");
  {
    const Results first{folder.path / "o", experiment.trace.workload};
    CHECK_THROWS_WITH(folder.run("easy", "o"),
                      (folder.path / "o").string() +
                          ": another run is writing its results here\n    wait until it has "
                          "ended, or choose another place with --out");
  }
  CHECK(folder.files("o") == before);
  // What a killed one left under temporary names of files that this one does not write goes.
  std::ofstream{folder.path / "o" / "events.csv.partial"} << "long\n";
  folder.run("fifo", "o");
  CHECK(folder.files("o") == before);
}

TEST_CASE("whoever reads a run that was killed so completes it, wherever it lies by now") {
  const Folder folder;
  folder.run("fifo", "o");
  folder.run_killed_after(2);
  fs::rename(folder.path / "o", folder.path / "moved");
  const std::string experiment = ExperimentSpec::of_run(folder.path / "moved").text();
  CHECK(experiment.find("easy") != std::string::npos);
  CHECK(folder.files("moved").size() == 5);
}
