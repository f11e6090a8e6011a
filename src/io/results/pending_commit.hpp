#pragma once
#include <filesystem>
#include <span>

namespace muster {

/// While the finished files of a run get their names one by one, "commit.partial" beside them lists those. So
/// a run that is killed just then leaves either all of the earlier results or, once somebody calls
/// complete_commit(), all of the new ones, and never a mixture that nobody knows of.
class PendingCommit {
 public:
  /// `files` by the names that they will have; their contents are on the disk.
  PendingCommit(const std::filesystem::path& directory,
                std::span<const std::filesystem::path> files);
  ~PendingCommit();
  PendingCommit(const PendingCommit&) = delete;
  PendingCommit& operator=(const PendingCommit&) = delete;

 private:
  std::filesystem::path list_;
};

/// Gives those files of a killed run their names that have not got them yet. Nothing if there was none.
void complete_commit(const std::filesystem::path& directory);

}  // namespace muster
