#include "policy/rounds/clp.hpp"

#include "catch.hpp"
#include "muster/core/error.hpp"

using namespace muster;

namespace {

std::string refusal_of(const char* library) {
  try {
    const rounds::Clp clp{library};
  } catch (const InputError& error) {
    return error.what();
  }
  return "loaded";
}

}  // namespace

TEST_CASE("a solver that is not there, or is another library, is told with what to install") {
  CHECK(refusal_of("libClp_that_nobody_has.so.1") ==
        "policy: needs CLP, the solver of linear programs, and libClp_that_nobody_has.so.1 can't "
        "be loaded: "
        "libClp_that_nobody_has.so.1: cannot open shared object file: No such file or directory\n"
        "    install it (Debian, Ubuntu: apt-get install coinor-libclp1), or take a policy that "
        "shares "
        "out no GPUs of several types");
  CHECK_THAT(refusal_of("libz.so.1"), Catch::Contains("undefined symbol: Clp_newModel"));
}
