#include <string>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/date.hpp"
#include "muster/io/text/time_zone.hpp"

using namespace muster;
using Kind = TimeZone::Instant::Kind;

namespace {

std::int64_t local(const char* text) { return parse_date(text).value().local_ns / 1'000'000'000; }

std::string refusal(const char* zone) {
  try {
    TimeZone::named(zone);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("dates with and without an offset") {
  CHECK(parse_date("1970-01-01T00:00:00Z")->local_ns == 0);
  CHECK(parse_date("1970-01-01T00:00:00Z")->offset_s == 0);
  CHECK_FALSE(parse_date("2023-03-01 00:18:22")->offset_s.has_value());
  CHECK(parse_date("2023-03-01 00:18:22+08:00")->offset_s == 28800);
  CHECK(parse_date("2023-03-01T00:18:22.5-0330")->offset_s == -12600);
  CHECK(parse_date("2023-03-01T00:18+08")->offset_s == 28800);
  CHECK(local("2023-03-01 00:18:22") == 1677629902);
  CHECK(parse_date("2023-03-01 00:18:22.123456789")->local_ns == 1677629902'123456789);
  CHECK(local("2020-02-29 12:00") == 1582977600);
  CHECK(date_text(1677629902) == "2023-03-01 00:18:22");
}

TEST_CASE("what is not a date is refused") {
  for (const char* text :
       {"", "2023-03-01", "2023-02-29 00:00:00", "2023-13-01 00:00:00", "2023-03-01 24:00:00",
        "2023-03-01 00:60:00", "2023-03-01 00:00:60", "2023-03-01x00:00:00", "1969-12-31 00:00:00",
        "2023-03-01 00:00:00+", "2023-03-01 00:00:00+8", "2023-03-01 00:00:00 PST",
        "2023-3-1 00:00:00", "2023-03-01 00:00:00.", "03/01/2023 00:00:00", "9999-01-01 00:00:00"})
    CHECK_FALSE(parse_date(text).has_value());
}

TEST_CASE("fixed offsets") {
  CHECK(TimeZone::named("UTC").at(1000).unix_s == 1000);
  const TimeZone china = TimeZone::named("+08:00");
  CHECK(china.name() == "+08:00");
  CHECK(china.at(28800).unix_s == 0);
  CHECK(TimeZone::named("-03:30").name() == "-03:30");
}

TEST_CASE("zones of the database follow their clock changes") {
  const TimeZone pacific = TimeZone::named("America/Los_Angeles");
  CHECK(pacific.at(local("2017-10-09 07:01:55")).unix_s == local("2017-10-09 14:01:55"));
  CHECK(pacific.at(local("2017-12-01 00:00:00")).unix_s == local("2017-12-01 08:00:00"));

  const auto before = pacific.at(local("2017-11-05 00:59:59"));
  CHECK(before.unix_s == local("2017-11-05 07:59:59"));
  CHECK(before.kind == Kind::once);
  const auto doubled = pacific.at(local("2017-11-05 01:30:00"));
  CHECK(doubled.kind == Kind::doubled);
  CHECK(doubled.unix_s == local("2017-11-05 08:30:00"));  // the first, still in summer time
  const auto after = pacific.at(local("2017-11-05 02:00:00"));
  CHECK(after.unix_s == local("2017-11-05 10:00:00"));
  CHECK(after.kind == Kind::once);

  const auto skipped = pacific.at(local("2017-03-12 02:30:00"));
  CHECK(skipped.kind == Kind::skipped);
  CHECK(skipped.unix_s == local("2017-03-12 10:30:00"));  // 03:30 in summer time
}

TEST_CASE("the rule at the end of a zone holds for years the database does not list") {
  const TimeZone berlin = TimeZone::named("Europe/Berlin");
  CHECK(berlin.at(local("2090-01-15 12:00:00")).unix_s == local("2090-01-15 11:00:00"));
  CHECK(berlin.at(local("2090-07-15 12:00:00")).unix_s == local("2090-07-15 10:00:00"));
  CHECK(berlin.at(local("2090-03-26 02:30:00")).kind == Kind::skipped);
  CHECK(TimeZone::named("Asia/Shanghai").at(local("2090-07-15 12:00:00")).unix_s ==
        local("2090-07-15 04:00:00"));
}

TEST_CASE("a zone that does not exist is refused with the nearest that does") {
  CHECK(refusal("Europe/Berln") ==
        "--time-zone: there is no time zone \"Europe/Berln\"\n"
        "    did you mean \"Europe/Berlin\"?  use an IANA name such as Europe/Berlin, or an offset "
        "such as +01:00");
  CHECK_THAT(
      refusal("../../etc/passwd"),
      Catch::Matchers::StartsWith("--time-zone: there is no time zone \"../../etc/passwd\"\n"));
  CHECK_THAT(refusal("tzdata.zi"),
             Catch::Matchers::StartsWith("--time-zone: there is no time zone"));
}
