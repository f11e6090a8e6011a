#pragma once
#include <filesystem>

namespace muster {

/// As long as it lives no other run writes its results to this directory: InputError if one does now.
/// Where the file system has no locks, nothing is locked.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int fd_;
};

}  // namespace muster
