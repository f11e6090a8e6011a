#include "muster/io/text/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "io/text/decompress.hpp"
#include "muster/core/error.hpp"

namespace muster {
namespace {

class FileBytes final : public ByteSource {
 public:
  FileBytes(int descriptor, std::string file) : ByteSource(std::move(file)), file_(descriptor) {}
  ~FileBytes() override {
    if (file_ != STDIN_FILENO) ::close(file_);
  }

  std::size_t read(std::span<char> room) override {
    for (;;) {
      const ::ssize_t got = ::read(file_, room.data(), room.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR)
        throw InputError(name(), std::string{"cannot be read: "} + std::strerror(errno));
    }
  }

  std::uint64_t size() const override {
    struct stat status {};
    const bool file = ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
    return file ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

 private:
  int file_;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string_view content, std::string what)
      : ByteSource(std::move(what)), rest_(content) {}

  std::size_t read(std::span<char> room) override {
    const std::size_t n = std::min(room.size(), rest_.size());
    std::copy_n(rest_.data(), n, room.data());
    rest_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view rest_;
};

/// Gives back the bytes that were read to see what the stream is.
class Replayed final : public ByteSource {
 public:
  Replayed(std::string first, std::unique_ptr<ByteSource> rest)
      : ByteSource(rest->name()), first_(std::move(first)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> room) override {
    if (used_ == first_.size()) return rest_->read(room);
    const std::size_t n = std::min(room.size(), first_.size() - used_);
    std::copy_n(first_.data() + used_, n, room.data());
    used_ += n;
    return n;
  }

  std::uint64_t size() const override { return rest_->size(); }

 private:
  std::string first_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

/// What gives bytes for ever is no trace. Pipes, terminals and /dev/null come to an end.
void refuse_endless(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return;
  const bool ends = S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) ||
                    S_ISSOCK(status.st_mode) || ::isatty(descriptor) != 0 ||
                    (S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3));
  if (!ends)
    throw InputError(name, "is a device: expected a file, a pipe, or - for the standard input");
}

std::string look_alike(const std::filesystem::path& file) {
  std::vector<std::string> names;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  const std::string best = nearest(file.filename().string(), names);
  if (best.empty()) return {};
  return "did you mean \"" + (file.parent_path() / best).string() + "\"?";
}

}  // namespace

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed) {
  std::string first(4, '\0');
  std::size_t have = 0;
  while (have < first.size()) {
    const std::size_t got = packed->read(std::span{first}.subspan(have));
    if (got == 0) break;
    have += got;
  }
  first.resize(have);
  const bool gzip = first.starts_with("\x1f\x8b");
  const bool zstd = first == "\x28\xb5\x2f\xfd";
  auto whole = std::make_unique<Replayed>(std::move(first), std::move(packed));
  if (gzip) return gunzipped(std::move(whole));
  if (zstd) return unzstded(std::move(whole));
  return whole;
}

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file) {
  if (file == "-") {
    refuse_endless(STDIN_FILENO, "standard input");
    return unpacked(std::make_unique<FileBytes>(STDIN_FILENO, "standard input"));
  }
  const std::string name = file.string();
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(name, "expected a file, got a directory", "name the file inside it");
  const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) throw InputError(name, "no such file", look_alike(file));
  if (descriptor < 0)
    throw InputError(name, std::string{"cannot be opened: "} + std::strerror(errno));
  auto bytes = std::make_unique<FileBytes>(descriptor, name);
  refuse_endless(descriptor, name);
  return unpacked(std::move(bytes));
}

std::unique_ptr<ByteSource> bytes_of(std::string_view content, std::string name) {
  return unpacked(std::make_unique<MemoryBytes>(content, std::move(name)));
}

}  // namespace muster
