#include "muster/io/text/lines.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "muster/core/error.hpp"

using namespace muster;

namespace {

using Texts = std::vector<std::string>;

Texts lines_of(std::string_view text) {
  LineReader reader(bytes_of(text, "t"));
  Texts all;
  for (std::string_view line; reader.next(line);) all.emplace_back(line);
  return all;
}

std::string failure(std::string_view text) {
  try {
    lines_of(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("line ends are LF or CRLF, and the last may be missing") {
  CHECK(lines_of("a\nb\n") == Texts{"a", "b"});
  CHECK(lines_of("a\r\nb") == Texts{"a", "b"});
  CHECK(lines_of("a\n\n\nb") == Texts{"a", "", "", "b"});
  CHECK(lines_of("").empty());
  CHECK(lines_of("\n") == Texts{""});
  CHECK(lines_of("a\rb\n") == Texts{"a\rb"});
}

TEST_CASE("a byte order mark is not part of the first line") {
  CHECK(lines_of("\xef\xbb\xbfjob,submit\n1,2\n") == Texts{"job,submit", "1,2"});
}

TEST_CASE("lines are whole across blocks, and numbered") {
  std::string text;
  std::size_t count = 0;
  while (text.size() < 3 * LineReader::kBlock) text += "line " + std::to_string(++count) + "\n";
  LineReader reader(bytes_of(text, "t"));
  std::size_t at = 0;
  bool same = true;
  for (std::string_view line; reader.next(line);) {
    same = same && line == "line " + std::to_string(++at) && reader.number() == at;
  }
  CHECK(same);
  CHECK(at == count);
}

TEST_CASE("a line as long as a block is read, a longer one refused") {
  const std::string longest(LineReader::kBlock - 1, 'x');
  CHECK(lines_of("a\n" + longest + "\nb") == Texts{"a", longest, "b"});
  CHECK(failure("a\n" + std::string(LineReader::kBlock + 5, 'x') + "\n") ==
        "t:2: a line of more than 1048576 characters: expected one row per line\n"
        "    is this a text file? --format names another reader");
}

TEST_CASE("a NUL byte is named with its line") {
  CHECK(failure(std::string("ab\nc\0d\n", 7)) ==
        "t:2: expected text, got a NUL byte\n    this is a binary file, or a damaged one");
  CHECK(failure(std::string("\xff\xfe"
                            "a\0\n\0",
                            6)) ==
        "t:1: expected text, got a NUL byte\n    this looks like UTF-16: save it as UTF-8");
}

TEST_CASE("UTF-8 is told from what is not") {
  for (const char* good :
       {"plain", "Jörg", "日本", "\xf0\x9f\x9a\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(good));
  for (const char* bad : {"J\xf6rg", "\xc3", "\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe6\x97", "\xff"})
    CHECK_FALSE(is_utf8(bad));
}

TEST_CASE("how many lines there are is guessed by the first block of a file") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("muster-lines-" + std::to_string(::getpid()) + ".txt");
  const auto expected = [&](std::size_t lines, const std::string& line) {
    std::ofstream out(file);
    for (std::size_t i = 0; i < lines; ++i) out << line << '\n';
    out.close();
    LineReader reader(open_bytes(file));
    static_cast<void>(reader.ahead());
    return reader.expected();
  };
  CHECK(expected(0, "") == 0);
  CHECK(expected(3, "1,2") == 3);
  CHECK(expected(1'000, std::string(100, 'x')) == 1'000);
  const auto many = expected(50'000, std::string(100, 'x'));  // several blocks
  CHECK(many <= 50'000);
  CHECK(many > 49'000);
  std::filesystem::remove(file);

  LineReader unknown(bytes_of("1\n2\n", "t"));
  static_cast<void>(unknown.ahead());
  CHECK(unknown.expected() == 0);
}
