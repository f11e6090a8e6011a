#include "io/results/result_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "muster/core/error.hpp"

namespace muster {
namespace fs = std::filesystem;
namespace {

/// The temporary files that exist now, for a process that ends without destructors (a failed
/// MUSTER_CHECK). A child of fork() leaves those of its parent alone.
class Partials {
 public:
  static Partials& all() {
    // Never destroyed: used while the process ends.
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
    static auto* const one = new Partials;
    return *one;
  }
  void add(const fs::path& file) {
    const std::scoped_lock lock{mutex_};
    files_.emplace(file.string(), ::getpid());
  }
  void remove(const fs::path& file) {
    const std::scoped_lock lock{mutex_};
    files_.erase(file.string());
  }

 private:
  Partials() {
    static_cast<void>(std::at_quick_exit([] { all().unlink_all(); }));
  }
  void unlink_all() {
    const std::scoped_lock lock{mutex_};
    for (const auto& [file, owner] : files_)
      if (owner == ::getpid()) ::unlink(file.c_str());
  }

  std::mutex mutex_;
  std::map<std::string, ::pid_t> files_;
};

}  // namespace

ResultFile::ResultFile(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  // The file that a link leads to is replaced, not the link.
  if (fs::is_symlink(path_, ignored))
    if (const fs::path target = fs::weakly_canonical(path_, ignored); !target.empty())
      path_ = target;
  if (fs::is_directory(path_, ignored))
    throw InputError(path_.string(), "is a directory; a result file goes here",
                     "remove it, or write the results elsewhere with --out");
  // A device or a pipe can't be put in place at the end: it takes what comes.
  const bool in_place = fs::exists(path_, ignored) && !fs::is_regular_file(path_, ignored);
  if (!in_place) partial_ = path_.string() + ".partial";
  const fs::path& opened = in_place ? path_ : partial_;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), ignored);
  fd_ = ::open(opened.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) fail("create", errno);
  there_ = !in_place;
  if (there_) Partials::all().add(partial_);
}

ResultFile::~ResultFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!there_) return;
  ::unlink(partial_.c_str());
  Partials::all().remove(partial_);
}

/// A mebibyte, or as much as is asked for at once.
void ResultFile::make_room(std::size_t bytes) {
  constexpr std::size_t kBuffer = std::size_t{1} << 20;
  flush();
  if (bytes <= size_) return;
  size_ = std::max(bytes, kBuffer);
  buffer_ = std::make_unique_for_overwrite<char[]>(size_);
}

void ResultFile::flush() {
  if (used_ == 0) return;
  std::string_view rest{buffer_.get(), used_};
  while (!rest.empty()) {
    const ::ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n >= 0)
      rest.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      fail("write", errno);
  }
  used_ = 0;
#ifdef SYNC_FILE_RANGE_WRITE
  // The disk works beside the run, and finish() waits for little. A hint: what comes of it is told there.
  static_cast<void>(::sync_file_range(fd_, 0, 0, SYNC_FILE_RANGE_WRITE));
#endif
}

void ResultFile::finish() {
  flush();
  // Some file systems (and pipes, devices) have nothing to sync: that is no failure.
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
    fail("write", errno);
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) fail("write", errno);
}

void ResultFile::commit() {
  if (!there_) return;
  if (::rename(partial_.c_str(), path_.c_str()) != 0) fail("rename the finished", errno);
  hand_over();
}

bool ResultFile::to_be_named() const {
  if (there_ && ::access(partial_.c_str(), F_OK) != 0) fail("rename the finished", errno);
  return there_;
}

void ResultFile::hand_over() {
  there_ = false;
  Partials::all().remove(partial_);
}

void ResultFile::fail(std::string_view doing, int error) const {
  std::string advice = "nothing was left behind; choose another place with --out";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    advice = "nothing was left behind; make room, or choose another place with --out";
  throw InputError(
      path_.string(),
      "cannot " + std::string{doing} + " file: " + std::generic_category().message(error), advice);
}

void write_result(const fs::path& path, std::string_view text) {
  ResultFile file{path};
  file.append(text);
  file.finish();
  file.commit();
}

}  // namespace muster
