#include <zstd.h>

#include <array>
#include <string>
#include <utility>

#include "io/text/decompress.hpp"
#include "muster/core/error.hpp"

namespace muster {
namespace {

/// A zstd frame, or several one after another.
class ZstdBytes final : public ByteSource {
 public:
  explicit ZstdBytes(std::unique_ptr<ByteSource> packed)
      : ByteSource(packed->name()), packed_(std::move(packed)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw InputError(name(), "out of memory");
  }
  ~ZstdBytes() override { ZSTD_freeDStream(stream_); }

  std::size_t read(std::span<char> room) override {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    while (out.pos == 0) {
      // Output may still be waiting inside the decoder when the input is used up.
      if (in_.pos == in_.size && !pending_ && !refill()) break;
      const std::size_t status = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(status))
        throw InputError(
            name(), std::string{"the zstd data is damaged ("} + ZSTD_getErrorName(status) + ")",
            "fetch or copy it again; `zstd -t` tells whether it is whole");
      inside_ = status != 0;
      pending_ = out.pos == out.size && inside_;
    }
    return out.pos;
  }

 private:
  bool refill() {
    in_ = {input_.data(), packed_->read(input_), 0};
    if (in_.size == 0 && inside_)
      throw InputError(name(), "the zstd data ends early: the file was cut short",
                       "fetch or copy it again; `zstd -t` tells whether it is whole");
    return in_.size > 0;
  }

  std::unique_ptr<ByteSource> packed_;
  ZSTD_DStream* stream_;
  bool inside_ = false;   // of a frame: the end of the file would be too early
  bool pending_ = false;  // the last call filled the room: there may be more
  std::array<char, 1 << 16> input_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
};

}  // namespace

std::unique_ptr<ByteSource> unzstded(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<ZstdBytes>(std::move(packed));
}

}  // namespace muster
