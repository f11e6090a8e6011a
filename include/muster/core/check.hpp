#pragma once

namespace muster {

[[noreturn]] void fail_check(const char* what, const char* file, int line);

}  // namespace muster

/// A promise the code makes to itself. Always armed: a broken one is a bug in the simulator, never
/// bad input, so it ends the process (status 3) rather than throws. Expensive checks belong in
/// check_invariants().
#define MUSTER_CHECK(cond) ((cond) ? void(0) : ::muster::fail_check(#cond, __FILE__, __LINE__))
