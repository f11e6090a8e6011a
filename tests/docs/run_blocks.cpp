// The commands in README.md and docs/*.md are run as a reader would run them: a block marked
//
//     ```sh run            a block that must succeed
//     ```sh run traces     the same, but it needs the public traces: $MUSTER_TRACES is their folder
//
// runs in a shell that stops at the first failure, with the built muster in PATH, in a folder that
// looks like the source root and takes what the commands write.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"

namespace fs = std::filesystem;

namespace {

struct Block {
  std::string where;  // "docs/cli.md:12"
  std::string commands;
  bool traces = false;
};

std::vector<Block> blocks_of(const fs::path& page) {
  std::ifstream in{page};
  const std::string name = fs::relative(page, MUSTER_SOURCE_DIR).string();
  std::vector<Block> found;
  bool inside = false, wanted = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.rfind("```", 0) == 0) {
      if (!inside && (line == "```sh run" || line == "```sh run traces")) {
        wanted = true;
        found.push_back({name + ":" + std::to_string(number), "", line.size() > 9});
      }
      if (inside) wanted = false;
      inside = !inside;
    } else if (wanted) {
      found.back().commands += line + "\n";
    }
  }
  return found;
}

std::vector<Block> all_blocks() {
  std::vector<fs::path> pages{MUSTER_SOURCE_DIR "/README.md"};
  for (const auto& entry : fs::directory_iterator{MUSTER_SOURCE_DIR "/docs"})
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::sort(pages.begin(), pages.end());
  std::vector<Block> all;
  for (const fs::path& page : pages)
    for (Block& block : blocks_of(page)) all.push_back(std::move(block));
  return all;
}

/// The source root through links, so that out/ and whatever else is written stays here.
struct Mirror {
  Mirror() {
    std::string name = (fs::temp_directory_path() / "muster-docs-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root = name;
    for (const auto& entry : fs::directory_iterator{MUSTER_SOURCE_DIR}) {
      const fs::path file = entry.path().filename();
      if (file != "out" && file != ".git") fs::create_symlink(entry.path(), root / file);
    }
  }
  ~Mirror() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  fs::path root;
};

}  // namespace

TEST_CASE("the commands in the documentation work") {
  const char* traces = std::getenv("MUSTER_TRACES");
  const bool have_traces = traces != nullptr && fs::is_directory(traces);
  const Mirror mirror;
  setenv("MUSTER_BUILD", MUSTER_BINARY_DIR, 1);
  setenv("PATH", (std::string{MUSTER_BINARY_DIR ":"} + std::getenv("PATH")).c_str(), 1);

  const std::vector<Block> blocks = all_blocks();
  CHECK(!blocks.empty());
  for (const Block& block : blocks) {
    if (block.traces && !have_traces) {
      WARN("skipped " << block.where
                      << ": it needs the public traces, and MUSTER_TRACES is not set");
      continue;
    }
    std::ofstream{mirror.root / ".block"} << block.commands;
    const std::string line =
        "cd '" + mirror.root.string() + "' && sh -eu .block >.said 2>&1 </dev/null";
    const int status = std::system(line.c_str());
    std::ostringstream said;
    said << std::ifstream{mirror.root / ".said"}.rdbuf();
    INFO(block.where << "\n" << block.commands << "\n" << said.str());
    CHECK(status == 0);
  }
}

TEST_CASE("what README.md shows of the first run is what the first run prints") {
  const Mirror mirror;
  const fs::path shown = mirror.root / "shown.txt";
  const std::string command = "cd '" + mirror.root.string() +
                              "' && '" MUSTER_BINARY_DIR
                              "/muster' run configs/experiments/first.json --out out/shown >'" +
                              shown.string() + "' 2>&1 </dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  const auto slurp = [](const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
  };
  const std::string printed = slurp(shown);
  const std::size_t from = printed.find("2,469 jobs: "), to = printed.find("\n\nwrote ");
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const std::string readme = slurp(MUSTER_SOURCE_DIR "/README.md");
  CHECK(readme.find("```\n" + printed.substr(from, to - from) + "\n```") != std::string::npos);
}
