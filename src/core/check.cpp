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
  std::_Exit(3);
#endif
}

}  // namespace muster
