#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/lines.hpp"

using namespace muster;

namespace {

std::string gz(const std::string& text) {
  z_stream s{};
  deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&s, text.size()) + 64, '\0');
  s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  s.avail_in = static_cast<uInt>(text.size());
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  deflate(&s, Z_FINISH);
  out.resize(s.total_out);
  deflateEnd(&s);
  return out;
}

std::string zst(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string all(std::string_view bytes) {
  LineReader reader(bytes_of(bytes, "t.gz"));
  std::string text;
  for (std::string_view line; reader.next(line);) text += std::string{line} + "\n";
  return text;
}

std::string failure(std::string_view bytes) {
  try {
    all(bytes);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

}  // namespace

TEST_CASE("gzip and zstd are told by their content") {
  const std::string text = numbers(300000);  // more than one block
  CHECK(all(text) == text);
  CHECK(all(gz(text)) == text);
  CHECK(all(zst(text)) == text);
}

TEST_CASE("several streams one after another are one text") {
  CHECK(all(gz("a\n") + gz("b\n")) == "a\nb\n");
  CHECK(all(zst("a\n") + zst("b\n")) == "a\nb\n");
}

TEST_CASE("a stream that was cut short is an error, wherever it was cut") {
  const std::string text = numbers(2000);
  const std::string g = gz(text);
  const std::string z = zst(text);
  for (const std::size_t part : {2, 3, 10, 500, 4}) {
    CHECK(failure(std::string_view{g}.substr(0, g.size() * part / 501 + 3)) ==
          "t.gz: the gzip data ends early: the file was cut short\n"
          "    fetch or copy it again; `gzip -t` tells whether it is whole");
    CHECK(failure(std::string_view{z}.substr(0, z.size() * part / 501 + 5)) ==
          "t.gz: the zstd data ends early: the file was cut short\n"
          "    fetch or copy it again; `zstd -t` tells whether it is whole");
  }
}

TEST_CASE("damaged streams are errors") {
  std::string g = gz(numbers(2000));
  g[g.size() - 6] = static_cast<char>(g[g.size() - 6] ^ 1);
  CHECK_THAT(failure(g), Catch::Matchers::StartsWith("t.gz: the gzip data is damaged ("));
  std::string z = zst(numbers(2000));
  z[z.size() / 2] = static_cast<char>(z[z.size() / 2] ^ 0x55);
  z[8] = static_cast<char>(z[8] ^ 0xff);
  CHECK_THAT(failure(z), Catch::Matchers::StartsWith("t.gz: the zstd data is damaged ("));
}

TEST_CASE("files that can't be opened are named") {
  const auto open = [](const std::filesystem::path& file) {
    try {
      open_bytes(file);
    } catch (const InputError& e) {
      return std::string{e.what()};
    }
    return std::string{"none"};
  };
  const auto folder = std::filesystem::temp_directory_path() / "muster_io_text";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "jobs.csv") << "x\n";
  CHECK(open(folder) ==
        folder.string() + ": expected a file, got a directory\n    name the file inside it");
  CHECK(open(folder / "job.csv") == (folder / "job.csv").string() +
                                        ": no such file\n    did you mean \"" +
                                        (folder / "jobs.csv").string() + "\"?");
  CHECK(open(folder / "something_else_entirely") ==
        (folder / "something_else_entirely").string() + ": no such file");
  std::filesystem::remove_all(folder);
}
