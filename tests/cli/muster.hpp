#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"

namespace muster::test {

inline std::string slurp(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

/// What a command said and how it ended.
struct Ran {
  int status = -1;
  std::string out, err;
};

/// A folder of its own for one test, with the files that the test needs, in which the program is
/// run as a user runs it.
class Place {
 public:
  explicit Place(const std::map<std::string, std::string>& files = {}) {
    std::string name = (std::filesystem::temp_directory_path() / "muster-cli-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    for (const auto& [file, text] : files) put(file, text);
  }
  ~Place() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void put(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream{root_ / file} << text;
  }

  /// `arguments` as one types them after "muster" in a shell.
  Ran muster(const std::string& arguments) const {
    return shell(MUSTER_BINARY_DIR "/muster " + arguments);
  }

  Ran shell(const std::string& command) const {
    const auto beside = [&](const char* what) { return root_.string() + what; };
    const std::string line = "cd '" + root_.string() + "' && { " + command + " ; } >'" +
                             beside(".out") + "' 2>'" + beside(".err") + "' </dev/null";
    const int status = std::system(line.c_str());
    Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(beside(".out")),
            slurp(beside(".err"))};
    std::filesystem::remove(beside(".out"));
    std::filesystem::remove(beside(".err"));
    return ran;
  }

  /// Every file below, sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{root_})
      found.push_back(std::filesystem::relative(entry.path(), root_).string());
    std::sort(found.begin(), found.end());
    return found;
  }

  std::string read(const std::string& file) const { return slurp(root_ / file); }
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

/// Four jobs on one node of 8: b waits for a, c passes b, d waits for all.
inline const char* kFourJobs =
    "job,submit,gpus,duration,estimate\n"
    "a,0,4,100,100\n"
    "b,10,8,50,50\n"
    "c,20,4,60,60\n"
    "d,30,8,10,10\n";

}  // namespace muster::test
