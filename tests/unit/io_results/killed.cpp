// A run that is killed while its finished files get their names: all of the old results, or all of the new.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "catch.hpp"
#include "io/results/pending_commit.hpp"
#include "muster/lab/replay.hpp"

using namespace muster;
namespace fs = std::filesystem;

namespace {

int renames_to_live = -1;  // below 0: nobody is killed

}  // namespace

/// In the place of the C library's, for all of this program.
extern "C" int rename(const char* from, const char* to) noexcept {
  if (renames_to_live >= 0 && renames_to_live-- == 0) ::kill(::getpid(), SIGKILL);
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

  void run(const std::string& policy, const char* out) const {
    ExperimentSpec spec;
    spec.set_text("/fleet", "1x8", "--fleet");
    spec.set_text("/workload/trace", (path / "t.csv").string(), "--trace");
    spec.set_text("/policy", policy, "--policy");
    const Experiment experiment = spec.load();
    Results results{path / out, experiment.trace.workload};
    replay(experiment, loads_of(experiment), results, {});
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
    const pid_t child = ::fork();
    if (child == 0) {
      renames_to_live = done;
      folder.run("easy", "o");
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
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

TEST_CASE("whoever reads a run that was killed so completes it, wherever it lies by now") {
  const Folder folder;
  folder.run("fifo", "o");
  const pid_t child = ::fork();
  if (child == 0) {
    renames_to_live = 2;
    folder.run("easy", "o");
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  fs::rename(folder.path / "o", folder.path / "moved");
  const std::string experiment = ExperimentSpec::of_run(folder.path / "moved").text();
  CHECK(experiment.find("easy") != std::string::npos);
  CHECK(folder.files("moved").size() == 5);
}
