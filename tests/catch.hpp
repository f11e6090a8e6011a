#pragma once
// Catch2, version 2 or 3. A test includes this file, says `using namespace muster::test;` if it
// wants Approx or a matcher, and never needs to know which version is installed.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

namespace muster::test {

// Of text. Contains means different things in the two versions; here it is always "has this part".
#if __has_include(<catch2/catch_all.hpp>)
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
using Catch::Detail::Approx;
inline auto ContainsSubstring(const std::string& part) { return Catch::Matchers::Contains(part); }
#endif
inline auto Contains(const std::string& part) { return ContainsSubstring(part); }
using Catch::Matchers::EndsWith;
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;

// Of text and of vectors.
using Catch::Matchers::Equals;
using Catch::Matchers::UnorderedEquals;
using Catch::Matchers::VectorContains;

// Of numbers, exceptions and anything else.
using Catch::Matchers::Message;
using Catch::Matchers::Predicate;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using Catch::Matchers::WithinULP;

}  // namespace muster::test
