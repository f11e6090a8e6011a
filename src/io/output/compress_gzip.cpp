#include <zlib.h>

#include <vector>

#include "io/output/compress.hpp"
#include "muster/core/check.hpp"

namespace muster {
namespace {

class Gzip final : public Compressor {
 public:
  explicit Gzip(Sink sink) : sink_(std::move(sink)), out_(1 << 16) {
    constexpr int kGzipHeader = 16;  // added to the window bits; the header has no time in it
    MUSTER_CHECK(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipHeader,
                              8, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~Gzip() override { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void append(std::string_view text) override { pump(text, Z_NO_FLUSH); }
  void finish() override { pump({}, Z_FINISH); }

 private:
  void pump(std::string_view text, int mode) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    do {
      const std::string_view piece = text.substr(0, kMost);
      text.remove_prefix(piece.size());
      // zlib does not write through next_in; its type predates const.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));  // NOLINT
      stream_.avail_in = static_cast<uInt>(piece.size());
      do {
        stream_.next_out = out_.data();
        stream_.avail_out = static_cast<uInt>(out_.size());
        MUSTER_CHECK(deflate(&stream_, mode) != Z_STREAM_ERROR);
        sink_({reinterpret_cast<const char*>(out_.data()), out_.size() - stream_.avail_out});
      } while (stream_.avail_out == 0);
    } while (!text.empty());
  }

  Sink sink_;
  std::vector<Bytef> out_;
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Compressor> gzip_compressor(Compressor::Sink sink) {
  return std::make_unique<Gzip>(std::move(sink));
}

}  // namespace muster
