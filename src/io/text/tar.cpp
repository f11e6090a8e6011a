#include "io/text/tar.hpp"

#include <array>
#include <optional>

#include "muster/core/error.hpp"

namespace muster {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kMost = std::size_t{1} << 30;  // of one file

/// Fills `room`; false if the archive ends before.
bool fill(ByteSource& archive, std::span<char> room) {
  while (!room.empty()) {
    const std::size_t got = archive.read(room);
    if (got == 0) return false;
    room = room.subspan(got);
  }
  return true;
}

/// A field of octal digits, ended by a space or a NUL.
std::optional<std::size_t> octal(std::string_view field) {
  std::size_t value = 0;
  bool any = false;
  for (const char c : field) {
    if (c == ' ' && !any) continue;
    if (c < '0' || c > '7') break;
    value = value * 8 + static_cast<std::size_t>(c - '0');
    any = true;
    if (value > kMost) return std::nullopt;
  }
  return any ? std::optional{value} : std::nullopt;
}

[[noreturn]] void refuse(const ByteSource& archive) {
  throw InputError(archive.name(), "is no tar archive, or a damaged one",
                   "`tar tf` tells what is in it");
}

}  // namespace

void read_tar(ByteSource& archive,
              const std::function<void(std::string_view name, std::string text)>& take) {
  std::array<char, kBlock> header;
  while (fill(archive, header)) {
    const std::string_view text{header.data(), header.size()};
    if (text[0] == '\0') return;  // two blocks of zeros end it
    if (text.substr(257, 5) != "ustar") refuse(archive);
    const std::string name{text.substr(0, std::min<std::size_t>(100, text.find('\0')))};
    const auto size = octal(text.substr(124, 12));
    if (!size) refuse(archive);
    std::string content((*size + kBlock - 1) / kBlock * kBlock, '\0');
    if (!fill(archive, content)) refuse(archive);
    content.resize(*size);
    const char kind = text[156];
    if (kind == '0' || kind == '\0') take(name, std::move(content));
  }
}

}  // namespace muster
