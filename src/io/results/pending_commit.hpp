#pragma once
#include <filesystem>
#include <vector>

namespace muster {

/// The finished files of a run get their names one by one, and older ones that would tell of another
/// run go: meanwhile "commit.partial" beside them lists what is to be done. So a run that is killed or
/// fails just then leaves either all of the earlier results or, once somebody calls
/// complete_commit(), all of the new ones, and never a mixture that nobody knows of.
struct PendingCommit {
  std::vector<std::filesystem::path>
      named;  // by the names that they will have, written as NAME.partial
  std::vector<std::filesystem::path> removed;  // whether they are there or not

  /// Puts the list on the disk. The contents of the files are there already.
  void announce(const std::filesystem::path& directory) const;
};

/// Does what is left of what a list in the directory says; nothing if there is none. InputError if
/// something is in the way: then the list stays, for the next one.
void complete_commit(const std::filesystem::path& directory);

}  // namespace muster
