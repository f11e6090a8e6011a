#include "io/config/text_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "muster/core/error.hpp"

namespace muster {
namespace fs = std::filesystem;
namespace {

/// Names of what lies beside `file`, for "did you mean".
std::vector<std::string> siblings(const fs::path& file) {
  constexpr std::size_t kEnough = 1000;
  std::vector<std::string> names;
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  for (fs::directory_iterator at{folder, ignored}, end; at != end && names.size() < kEnough;
       at.increment(ignored))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void require_file(const fs::path& file, const std::string& where) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status))
    throw InputError(where, "\"" + file.string() + "\" is a directory, not a file");
  if (fs::exists(status)) return;
  if (!fs::status_known(status))
    throw InputError(where, "\"" + file.string() + "\" can't be looked at: " + error.message());
  std::string meant = nearest(file.filename().string(), siblings(file));
  if (!meant.empty()) meant = "did you mean \"" + (file.parent_path() / meant).string() + "\"?";
  throw InputError(where, "there is no file \"" + file.string() + "\"", meant);
}

std::string read_text(const fs::path& file, const std::string& where) {
  require_file(file, where);
  std::error_code ignored;
  if (fs::is_character_file(file, ignored) || fs::is_block_file(file, ignored))
    throw InputError(where, "\"" + file.string() + "\" is a device, not a file");
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  if (!in.is_open() || in.bad())
    throw InputError(where, "the file \"" + file.string() + "\" can't be read",
                     "its permissions may forbid it");
  return std::move(text).str();
}

}  // namespace muster
