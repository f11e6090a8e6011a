#pragma once
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace muster {

/// A file that comes into being whole or not at all: written under "NAME.partial" in the same
/// directory, and renamed by commit(). Dropped without it, nothing is left. Every failure is an
/// InputError that names the file and the reason. What is there already and is no regular file (a
/// device, a pipe) is written as it stands; a symbolic link is followed.
class ResultFile {
 public:
  explicit ResultFile(std::filesystem::path path);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    used_ += text.size();
  }
  /// Where the next `bytes` go. What was written there counts once wrote() has said where it ends.
  char* room(std::size_t bytes) {
    if (size_ - used_ < bytes) make_room(bytes);
    return buffer_.get() + used_;
  }
  void wrote(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.get()); }
  /// Everything is on its way to the disk after this.
  void flush();
  /// Everything is on the disk after this, still under the temporary name.
  void finish();
  /// Gives the finished file its name.
  void commit();
  /// Whether it is there under a temporary name, as devices and pipes are not. InputError if it ought to be.
  bool to_be_named() const;
  /// The finished file stays under its temporary name, for whoever renames it (PendingCommit).
  void hand_over();
  const std::filesystem::path& path() const { return path_; }

 private:
  void make_room(std::size_t bytes);
  [[noreturn]] void fail(std::string_view doing, int error) const;

  std::filesystem::path path_, partial_;
  std::unique_ptr<char[]> buffer_;  // not zeroed: short files touch little of it
  std::size_t size_ = 0, used_ = 0;
  int fd_ = -1;
  bool there_ = false;  // the temporary file exists
};

/// A result file that is `text`.
void write_result(const std::filesystem::path& path, std::string_view text);

}  // namespace muster
