#include "catch.hpp"
#include "muster/io/text/number.hpp"

using namespace muster;
using namespace std::chrono_literals;

TEST_CASE("decimals become nanoseconds exactly") {
  CHECK(parse_duration("0") == 0ns);
  CHECK(parse_duration("66.0") == 66s);
  CHECK(parse_duration(".5") == 500ms);
  CHECK(parse_duration("5.") == 5s);
  CHECK(parse_duration("0.000000001") == 1ns);
  CHECK(parse_duration("123456789.123456789") == 123456789123456789ns);
  CHECK(parse_duration("0.1") == 100ms);  // as a double it would be 0.1000000000000000055
  CHECK(parse_duration("-2.5") == -2500ms);
  CHECK(parse_duration("1e3") == 1000s);
  CHECK(parse_duration("1.5E-3") == 1500us);
  CHECK(parse_duration("25.408055555555556", 1h) == 91469000000000ns);
  CHECK(parse_duration("137", 1ms) == 137ms);
}

TEST_CASE("what is finer than a nanosecond is rounded to the nearest") {
  CHECK(parse_duration("4045909.9999999995") == 4045910s);
  CHECK(parse_duration("0.0000000004") == 0ns);
  CHECK(parse_duration("0.0000000005") == 1ns);
  CHECK(parse_duration("1e-300") == 0ns);
  CHECK(parse_duration("0.99999999999999999999999999999999999999") == 1s);
}

TEST_CASE("what is not a number, or too large for one, is refused") {
  for (const char* text : {"",     " 1",     "1 ",   "nan", "NaN", "inf",   "-",   "+",
                           ".",    "1.2.3",  "0x10", "1e",  "1e+", "1e++2", "1,5", "9223372036.9",
                           "1e99", "1e1001", "--1",  "1e-", "e5"})
    CHECK_FALSE(parse_duration(text).has_value());
  CHECK(parse_duration("9223372036.854775807") == Duration::max());
  CHECK_FALSE(parse_duration("9223372036.854775808").has_value());
  CHECK(parse_duration("-9223372036.854775808") == Duration::min());
  CHECK_FALSE(parse_duration("99999999999999999999999999999999999999999999").has_value());
}

TEST_CASE("integers, and whole numbers written as floats") {
  CHECK(parse_integer("9223372036854775807") == INT64_MAX);
  CHECK_FALSE(parse_integer("9223372036854775808").has_value());
  CHECK_FALSE(parse_integer("8.0").has_value());
  CHECK(parse_whole("8") == 8);
  CHECK(parse_whole("8.0") == 8);
  CHECK(parse_whole("1e3") == 1000);
  CHECK(parse_whole("-3.0") == -3);
  CHECK_FALSE(parse_whole("0.5").has_value());
  CHECK_FALSE(parse_whole("8.0x").has_value());
}

TEST_CASE("times with units") {
  CHECK(parse_time_span("90") == 90s);
  CHECK(parse_time_span("90s") == 90s);
  CHECK(parse_time_span("15min") == 15min);
  CHECK(parse_time_span("2h") == 2h);
  CHECK(parse_time_span("3d") == 72h);
  CHECK(parse_time_span("1.5h") == 90min);
  CHECK(parse_time_span("250ms") == 250ms);
  CHECK(parse_time_span("1h30min") == 90min);
  for (const char* text : {"s", "h2", "2 h", "5m", "5w", "1h-3s", "1h30", "99999999999d", "2H"})
    CHECK_FALSE(parse_time_span(text).has_value());
}

TEST_CASE("real numbers are finite") {
  CHECK(parse_real("9.22337e+18") == 9.22337e18);
  CHECK(parse_real("+2") == 2.0);
  CHECK_FALSE(parse_real("nan").has_value());
  CHECK_FALSE(parse_real("inf").has_value());
  CHECK_FALSE(parse_real("1e999").has_value());
}
