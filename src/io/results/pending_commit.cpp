#include "io/results/pending_commit.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>

#include "io/results/result_file.hpp"

namespace muster {
namespace fs = std::filesystem;
namespace {

fs::path list_in(const fs::path& directory) { return directory / "commit.partial"; }

/// Names in a directory that was changed are on the disk after this, where it has one.
void sync_directory(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  static_cast<void>(::fsync(fd));
  ::close(fd);
}

}  // namespace

PendingCommit::PendingCommit(const fs::path& directory, std::span<const fs::path> files)
    : list_(list_in(directory)) {
  std::string text;
  // By its name alone what lies in the directory, which may be moved; a link may lead elsewhere.
  for (const fs::path& file : files)
    text +=
        (file.parent_path() == directory ? file.filename() : fs::absolute(file)).string() + "\n";
  write_result(list_, text);
  sync_directory(directory);
}

PendingCommit::~PendingCommit() {
  sync_directory(list_.parent_path());
  std::error_code ignored;
  fs::remove(list_, ignored);
}

void complete_commit(const fs::path& directory) {
  std::ifstream list(list_in(directory));
  if (!list) return;
  std::error_code ignored;
  for (std::string name; std::getline(list, name);) {
    const fs::path file = directory / name;
    const fs::path partial = file.string() + ".partial";
    if (fs::exists(partial, ignored)) fs::rename(partial, file, ignored);
  }
  sync_directory(directory);
  fs::remove(list_in(directory), ignored);
}

}  // namespace muster
