#include "muster/core/version.hpp"

#include <algorithm>
#include <string_view>

#include "catch.hpp"

TEST_CASE("the version has three parts, all digits") {
  const std::string_view version = muster::version();
  CHECK(std::count(version.begin(), version.end(), '.') == 2);
  CHECK(version.find_first_not_of("0123456789.") == std::string_view::npos);
  CHECK(version.find("..") == std::string_view::npos);
}
