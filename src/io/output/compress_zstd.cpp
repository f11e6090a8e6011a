#include <zstd.h>

#include <string>

#include "io/output/compress.hpp"
#include "muster/core/check.hpp"

namespace muster {
namespace {

class Zstd final : public Compressor {
 public:
  explicit Zstd(Sink sink) : sink_(std::move(sink)), stream_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    MUSTER_CHECK(stream_);
    out_.resize(ZSTD_CStreamOutSize());
  }

  void append(std::string_view text) override { pump(text, ZSTD_e_continue); }
  void finish() override { pump({}, ZSTD_e_end); }

 private:
  void pump(std::string_view text, ZSTD_EndDirective mode) {
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_.get(), &out, &in, mode);
      MUSTER_CHECK(!ZSTD_isError(left));
      sink_({out_.data(), out.pos});
      done = mode == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
  }

  Sink sink_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> stream_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Compressor> zstd_compressor(Compressor::Sink sink) {
  return std::make_unique<Zstd>(std::move(sink));
}

}  // namespace muster
