#include "muster/io/shipped.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace fs = std::filesystem;

namespace muster {
namespace {

/// The directory that holds the code of this function: libmuster's, or the program's if it is linked
/// statically. A foreign program that uses an installed libmuster finds its configs through it.
fs::path library_directory() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&library_directory), &info) == 0 || !info.dli_fname)
    return {};
  std::error_code error;
  return fs::canonical(info.dli_fname, error).parent_path();
}

/// Looks a few directories up from `start`: bin/muster, lib/<triplet>/libmuster.so and
/// build/<preset>/tests/<test> are all within four.
fs::path configs_above(fs::path start) {
  std::error_code error;
  for (int up = 0; up < 5 && !start.empty(); ++up) {
    for (const fs::path& candidate : {start / "share/muster/configs", start / "configs"})
      if (fs::is_directory(candidate / "fleets", error)) return candidate;
    if (start == start.root_path()) break;
    start = start.parent_path();
  }
  return {};
}

fs::path configs() {
  if (const char* given = std::getenv("MUSTER_CONFIGS"); given && *given) return given;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (fs::path found = configs_above(program.parent_path()); !found.empty()) return found;
  return configs_above(library_directory());
}

bool is_plain(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos;
}

}  // namespace

fs::path shipped(std::string_view kind, std::string_view name) {
  if (!is_plain(kind) || !is_plain(name)) return {};
  const fs::path root = configs();
  if (root.empty()) return {};
  fs::path file = root / kind / (std::string{name} + ".json");
  std::error_code error;
  return fs::is_regular_file(file, error) ? file : fs::path{};
}

std::vector<std::string> shipped_names(std::string_view kind) {
  std::vector<std::string> names;
  const fs::path root = configs();
  std::error_code error;
  if (root.empty() || !is_plain(kind)) return names;
  for (const auto& entry : fs::directory_iterator(root / kind, error))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace muster
