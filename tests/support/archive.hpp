#pragma once
#include <array>
#include <cstdio>
#include <map>
#include <string>

namespace muster::test {

/// A tar archive (ustar) of these files.
inline std::string tar(const std::map<std::string, std::string>& files) {
  std::string out;
  for (const auto& [name, text] : files) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    std::array<char, 13> size{};
    std::snprintf(size.data(), size.size(), "%011o ", static_cast<unsigned>(text.size()));
    header.replace(124, 12, size.data(), 12);
    header[156] = '0';
    header.replace(257, 5, "ustar");
    out += header + text + std::string((512 - text.size() % 512) % 512, '\0');
  }
  return out + std::string(1024, '\0');
}

}  // namespace muster::test
