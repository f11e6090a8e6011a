#include "io/results/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "muster/core/error.hpp"

namespace muster {

// The lock is the directory's own: it needs no file, and goes with the process.
DirectoryLock::DirectoryLock(const std::filesystem::path& directory)
    : fd_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0 || ::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(fd_);
  throw InputError(directory.string(), "another run is writing its results here",
                   "wait until it has ended, or choose another place with --out");
}

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace muster
