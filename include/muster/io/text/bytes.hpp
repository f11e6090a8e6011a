#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace muster {

/// Where text comes from: a file, standard input, memory, or a decompressor over one of them.
class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills the front of `room`; returns 0 only at the end. Throws InputError if it can't be read.
  virtual std::size_t read(std::span<char> room) = 0;

  /// How many bytes it gives in all; 0 if that is not known.
  virtual std::uint64_t size() const { return 0; }

  /// What messages call it.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// A file, or standard input for "-", decompressed if its first bytes say gzip or zstd (whatever
/// it is called).
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file);

/// Text in memory (which must outlive the source), treated just like a file's content.
std::unique_ptr<ByteSource> bytes_of(std::string_view content, std::string name);

}  // namespace muster
