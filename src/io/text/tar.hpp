#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "muster/io/text/bytes.hpp"

namespace muster {

/// Hands out the files in a tar archive (POSIX ustar, names of at most 100 characters), one after another.
void read_tar(ByteSource& archive,
              const std::function<void(std::string_view name, std::string text)>& take);

}  // namespace muster
