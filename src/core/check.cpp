#include "muster/core/check.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <mutex>
#include <vector>

#include "muster/core/suspects.hpp"

namespace muster {
namespace {

struct Suspects {
  std::mutex mutex;
  std::vector<std::string> names;
};
Suspects& suspects() {
  // Never destroyed: used while the process ends.
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static auto* const all = new Suspects;
  return *all;
}

}  // namespace

thread_local const Deed* Deed::innermost = nullptr;  // NOLINT

std::string Deed::at_hand() {
  for (const Deed* deed = innermost; deed; deed = deed->around_)
    if (const std::string text = deed->text(); !text.empty()) return text + ": ";
  return {};
}

void suspect(std::string plugin) {
  const std::scoped_lock lock{suspects().mutex};
  suspects().names.push_back(std::move(plugin));
}

std::string whose_bug() {
  const std::scoped_lock lock{suspects().mutex};
  std::string plugins;
  for (const std::string& name : suspects().names) plugins += (plugins.empty() ? "" : ", ") + name;
  if (plugins.empty())
    return "this is a bug in muster, not in your input; please report it with the command";
  return "this is a bug in " + plugins +
         ", or in muster: docs/writing-a-policy.md says what a policy may do";
}

void fail_check(const char* what, const char* file, int line) {
  std::fprintf(stderr,
               "muster: internal error: %s%s (%s:%d)\n"
               "    %s\n",
               Deed::at_hand().c_str(), what, file, line, whose_bug().c_str());
  std::fflush(stderr);
#if defined(__SANITIZE_ADDRESS__)
  std::abort();  // the sanitizer prints the stack
#else
  // No destructors: they rely on what is broken. What is registered with at_quick_exit() is run, so
  // that no half-written file is left.
  std::quick_exit(3);
#endif
}

}  // namespace muster
