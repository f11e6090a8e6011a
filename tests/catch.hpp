#pragma once
// Catch2, version 2 or 3. A test includes this file and writes Approx, Matchers and generators as
// below; it never needs to know which version is installed.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

namespace muster::test {

using Catch::Approx;
using namespace Catch::Matchers;

}  // namespace muster::test
