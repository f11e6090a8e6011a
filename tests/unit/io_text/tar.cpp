// Files in tar archives.

#include "io/text/tar.hpp"

#include <map>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "support/archive.hpp"

using namespace muster;
using namespace muster::test;

namespace {

std::map<std::string, std::string> files_in(const std::string& archive) {
  std::map<std::string, std::string> files;
  const auto bytes = bytes_of(archive, "x.tar");
  read_tar(*bytes, [&](std::string_view name, std::string text) {
    files[std::string{name}] = std::move(text);
  });
  return files;
}

}  // namespace

TEST_CASE("tar: every file with its content") {
  const std::map<std::string, std::string> files{
      {"./a.csv", "1,2\n"}, {"b/c.csv", std::string(1500, 'x')}, {"empty", ""}};
  CHECK(files_in(tar(files)) == files);
  CHECK(files_in(std::string(1024, '\0')).empty());
}

TEST_CASE("tar: what is none, or is cut off, is refused") {
  CHECK_THROWS_AS(files_in(std::string(600, 'x')), InputError);
  const std::string whole = tar({{"a", std::string(1500, 'x')}});
  CHECK_THROWS_AS(files_in(whole.substr(0, 1024)), InputError);
}
