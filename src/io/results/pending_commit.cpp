#include "io/results/pending_commit.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "io/results/result_file.hpp"
#include "muster/core/error.hpp"

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

/// By its name alone what lies in the directory, which may be moved; a link may lead elsewhere.
std::string line_of(const fs::path& file, const fs::path& directory) {
  return (file.parent_path() == directory ? file.filename() : fs::absolute(file)).string() + "\n";
}

constexpr std::string_view kRemove = "remove ";

/// Whoever else goes by the same list may have been there first.
void give_name(const fs::path& file) {
  const fs::path partial = file.string() + ".partial";
  std::error_code error;
  if (!fs::exists(partial, error)) return;
  fs::rename(partial, file, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError(
        file.string(), "cannot rename the finished file: " + error.message(),
        "the new results are complete, and those that have not got their names yet are "
        "beside it as NAME.partial: make way for them, and whoever next reads or writes "
        "this folder goes on");
}

}  // namespace

void PendingCommit::announce(const fs::path& directory) const {
  std::string text;
  for (const fs::path& file : removed) text += std::string{kRemove} + line_of(file, directory);
  for (const fs::path& file : named) text += line_of(file, directory);
  write_result(list_in(directory), text);
  sync_directory(directory);
}

void complete_commit(const fs::path& directory) {
  std::ifstream list(list_in(directory));
  if (!list) return;
  std::error_code ignored;
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with(kRemove))
      fs::remove(directory / line.substr(kRemove.size()), ignored);
    else
      give_name(directory / line);
  }
  sync_directory(directory);
  fs::remove(list_in(directory), ignored);
}

}  // namespace muster
