#include <zlib.h>

#include <array>
#include <string>
#include <utility>

#include "io/text/decompress.hpp"
#include "muster/core/error.hpp"

namespace muster {
namespace {

/// A gzip stream, or several one after another (as `cat a.gz b.gz` makes).
class GzipBytes final : public ByteSource {
 public:
  explicit GzipBytes(std::unique_ptr<ByteSource> packed)
      : ByteSource(packed->name()), packed_(std::move(packed)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw InputError(name(), "out of memory");
  }
  ~GzipBytes() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> room) override {
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
    while (stream_.avail_out == room.size()) {
      if (stream_.avail_in == 0 && !refill()) break;
      step();
    }
    return room.size() - stream_.avail_out;
  }

 private:
  bool refill() {
    const std::size_t got = packed_->read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(got);
    if (got == 0 && inside_)
      throw InputError(name(), "the gzip data ends early: the file was cut short",
                       "fetch or copy it again; `gzip -t` tells whether it is whole");
    return got > 0;
  }

  void step() {
    inside_ = true;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_ = false;
      inflateReset(&stream_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      const char* why = stream_.msg != nullptr ? stream_.msg : "not gzip";
      throw InputError(name(), std::string{"the gzip data is damaged ("} + why + ")",
                       "fetch or copy it again; `gzip -t` tells whether it is whole");
    }
  }

  std::unique_ptr<ByteSource> packed_;
  z_stream stream_{};
  bool inside_ = false;  // of a stream: the end of the file would be too early
  std::array<char, 1 << 16> input_;
};

}  // namespace

std::unique_ptr<ByteSource> gunzipped(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<GzipBytes>(std::move(packed));
}

}  // namespace muster
