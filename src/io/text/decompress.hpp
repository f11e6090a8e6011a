#pragma once
#include <memory>

#include "muster/io/text/bytes.hpp"

namespace muster {

/// `packed` as it is, or decompressed if it begins like a gzip or zstd stream.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed);

std::unique_ptr<ByteSource> gunzipped(std::unique_ptr<ByteSource> packed);
std::unique_ptr<ByteSource> unzstded(std::unique_ptr<ByteSource> packed);

}  // namespace muster
