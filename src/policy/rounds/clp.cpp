#include "clp.hpp"

#include <dlfcn.h>

#include "muster/core/error.hpp"

namespace muster::rounds {
namespace {

[[noreturn]] void refuse(const std::string& library) {
  const char* reason = ::dlerror();
  throw InputError(
      "policy",
      "needs CLP, the solver of linear programs, and " + library +
          " can't be loaded: " + (reason != nullptr ? reason : "no reason given"),
      "install it (Debian, Ubuntu: apt-get install coinor-libclp1), or take a policy that "
      "shares out no GPUs of several types");
}

void* open(const char* library) {
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) refuse(library);
  return handle;
}

}  // namespace

const Clp& Clp::loaded() {
  static const Clp clp{MUSTER_CLP};
  return clp;
}

Clp::Clp(const char* library) : library_(library), handle_(open(library)) {}

Clp::Symbol Clp::symbol(const char* name) const {
  void* const found = ::dlsym(handle_, name);
  if (found == nullptr) refuse(library_);
  return {found};
}

}  // namespace muster::rounds
