#include "muster/core/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace muster {

void fail_check(const char* what, const char* file, int line) {
  std::fprintf(
      stderr,
      "muster: internal error: %s (%s:%d)\n"
      "    this is a bug in muster, not in your input; please report it with the command\n",
      what, file, line);
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
