#pragma once
#include <functional>
#include <memory>
#include <string_view>

namespace muster {

/// Takes text and passes it on in another form.
class Compressor {
 public:
  using Sink = std::function<void(std::string_view)>;
  virtual ~Compressor() = default;
  virtual void append(std::string_view text) = 0;
  virtual void finish() = 0;
};

std::unique_ptr<Compressor> gzip_compressor(Compressor::Sink sink);
std::unique_ptr<Compressor> zstd_compressor(Compressor::Sink sink);

}  // namespace muster
