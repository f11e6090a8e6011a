#include "muster/io/text/csv.hpp"

#include <string>
#include <vector>

#include "catch.hpp"

using namespace muster;

namespace {

using Fields = std::vector<std::string>;

Fields split(std::string_view line, char separator = ',') {
  CsvLine csv;
  if (!csv.split(line, separator)) return {"refused"};
  Fields fields;
  for (std::size_t i = 0; i < csv.size(); ++i) fields.emplace_back(csv.trim(i));
  return fields;
}

}  // namespace

TEST_CASE("a line is split at every separator") {
  CHECK(split("a,b,c") == Fields{"a", "b", "c"});
  CHECK(split("") == Fields{""});
  CHECK(split(std::string_view{}) == Fields{""});
  CHECK(split(",") == Fields{"", ""});
  CHECK(split("a,,") == Fields{"a", "", ""});
  CHECK(split(" a ,\tb") == Fields{"a", "b"});
  CHECK(split("x y\tz", '\t') == Fields{"x y", "z"});
  CHECK(split("101|8,gpu|", '|') == Fields{"101", "8,gpu", ""});
}

TEST_CASE("quotes keep separators, quotes and blanks") {
  CHECK(split(R"("a,b",c)") == Fields{"a,b", "c"});
  CHECK(split(R"(1,"1=20,2=170000,4=1",2)") == Fields{"1", "1=20,2=170000,4=1", "2"});
  CHECK(split(R"("say ""hi""",x)") == Fields{R"(say "hi")", "x"});
  CHECK(split(R"(" a ", b ,"")") == Fields{" a ", "b", ""});
  CHECK(split(R"( "a" ,b)") == Fields{"a", "b"});
  CHECK(split(R"(5" disk,b)") == Fields{R"(5" disk)", "b"});
  CHECK(split(R"("a",)") == Fields{"a", ""});
}

TEST_CASE("quotes that make no sense are refused") {
  CHECK(split(R"("a,b)") == Fields{"refused"});
  CHECK(split(R"("a"b,c)") == Fields{"refused"});
  CHECK(split(R"(a,")") == Fields{"refused"});
}

TEST_CASE("runs of blanks separate fields of tables made for the eye") {
  CsvLine csv;
  csv.split_blanks("   1   0 \t -1");
  REQUIRE(csv.size() == 3);
  CHECK(csv[0] == "1");
  CHECK(csv[2] == "-1");
  csv.split_blanks(" \t ");
  CHECK(csv.size() == 0);
}

TEST_CASE("what is written quoted is read back the same") {
  for (const std::string text :
       {"plain", "a,b", "say \"hi\"", " blanks ", "# no comment", "", "\"", "a;b|c"})
    CHECK(split(csv_quoted(text) + ",end") == Fields{text, "end"});
}
