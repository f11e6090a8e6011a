#pragma once
#include <filesystem>
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
    buffer_ += text;
    if (buffer_.size() >= kBuffer) flush();
  }
  /// Everything is on the disk after this, still under the temporary name.
  void finish();
  /// Gives the finished file its name.
  void commit();
  const std::filesystem::path& path() const { return path_; }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 20;
  void flush();
  [[noreturn]] void fail(std::string_view doing, int error) const;

  std::filesystem::path path_, partial_;
  std::string buffer_;
  int fd_ = -1;
  bool there_ = false;  // the temporary file exists
};

/// A result file that is `text`.
void write_result(const std::filesystem::path& path, std::string_view text);

}  // namespace muster
