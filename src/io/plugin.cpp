#include "muster/io/plugin.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <set>
#include <utility>

#include "io/config/text_file.hpp"
#include "muster/core/error.hpp"
#include "muster/core/registry.hpp"
#include "muster/core/suspects.hpp"
#include "muster/policy/plugin.hpp"

namespace muster {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMark = MUSTER_PLUGIN_MARK;
constexpr std::string_view kAbi = MUSTER_PLUGIN_ABI;

/// What the file says it was built against, found without running any of it. Empty: it says nothing.
std::string abi_of(std::string_view bytes) {
  const std::size_t at = bytes.find(kMark);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + kMark.size();
  return std::string{bytes.substr(begin, bytes.find('\0', begin) - begin)};
}

[[noreturn]] void refuse(const fs::path& file, const std::string& where, const std::string& what,
                         const std::string& advice = {}) {
  throw InputError(where, "\"" + file.string() + "\" " + what, advice);
}

void check_abi(const fs::path& file, const std::string& where) {
  const std::string bytes = read_text(file, where);
  if (!bytes.starts_with("\x7f"
                         "ELF"))
    refuse(file, where, "is not a shared library",
           "compile it with -fPIC -shared; docs/writing-a-policy.md shows how");
  const std::string abi = abi_of(bytes);
  if (abi.empty())
    refuse(file, where, "is not a plug-in of muster",
           "put MUSTER_PLUGIN; from <muster/policy/plugin.hpp> into one of its source files");
  if (abi != plugin_abi())
    refuse(file, where, "was built against another muster",
           "it was built against " + abi + ",\nthis is           " + std::string{plugin_abi()} +
               ";\ncompile it again with the headers of this one");
}

/// A file by any of its names, as the loader tells files apart too.
using FileId = std::pair<dev_t, ino_t>;

FileId identity(const fs::path& file, const std::string& where) {
  require_file(file, where);
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    refuse(file, where, "is not a regular file");
  return {status.st_dev, status.st_ino};
}

}  // namespace

std::string_view plugin_abi() { return kAbi.substr(kMark.size()); }

void load_plugin(const fs::path& file, const std::string& where) {
  static std::set<FileId> loaded;
  const FileId id = identity(file, where);
  if (loaded.contains(id)) return;
  check_abi(file, where);

  const Registrations before = registrations();
  // Never closed: what it registered is code of its own.
  if (dlopen(fs::canonical(file).c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    const char* said = dlerror();
    refuse(file, where, "can't be loaded", said ? said : "");
  }
  const Registrations& now = registrations();
  if (now.taken.size() > before.taken.size())
    refuse(file, where, "registers \"" + now.taken.back() + "\", and that name is taken",
           "give it a name that neither muster nor another plug-in uses");
  if (now.count == before.count)
    refuse(file, where, "registers nothing",
           "a policy registers itself by `const RegisterPolicy<MyPolicy> registered{\"name\", "
           "\"summary\"};` at namespace scope");
  loaded.insert(id);
  suspect("the plug-in " + file.string());
}

}  // namespace muster
