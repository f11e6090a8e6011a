#include "io/text/zone_file.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

namespace muster {
namespace {

constexpr int kLastYear = 2200;  // as far as parse_date() reads

/// Big-endian numbers from the front of a text; zeros once it is used up.
class BigEndian {
 public:
  explicit BigEndian(std::string_view text) : rest_(text) {}
  std::int64_t take(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value = value << 8 | (i < rest_.size() ? static_cast<unsigned char>(rest_[i]) : 0U);
    skip(bytes);
    const auto unused = static_cast<int>(8 * (8 - bytes));
    return static_cast<std::int64_t>(value << unused) >> unused;  // sign-extended
  }
  void skip(std::size_t bytes) {
    short_ = short_ || bytes > rest_.size();
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }
  bool ran_out() const { return short_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool short_ = false;
};

struct Header {
  std::size_t isut, isstd, leap, times, types, chars;
};

std::optional<Header> take_header(BigEndian& in) {
  if (!in.rest().starts_with("TZif")) return std::nullopt;
  in.skip(20);
  Header h{};
  for (std::size_t* count : {&h.isut, &h.isstd, &h.leap, &h.times, &h.types, &h.chars}) {
    *count = static_cast<std::size_t>(in.take(4)) & 0xffffffffU;
    if (*count > (1U << 20)) return std::nullopt;
  }
  return h;
}

/// One side of a rule such as "M11.1.0/2": the first Sunday of November, at 02:00.
struct Switch {
  int month = 0, week = 0, weekday = 0;
  std::int32_t at_s = 7200;

  std::int64_t local_s(int year) const {
    using namespace std::chrono;
    const auto m = std::chrono::year{year} / std::chrono::month{static_cast<unsigned>(month)};
    const std::chrono::weekday day{static_cast<unsigned>(weekday)};
    const sys_days date =
        week == 5 ? sys_days{m / day[last]} : sys_days{m / day[static_cast<unsigned>(week)]};
    return std::int64_t{date.time_since_epoch().count()} * 86400 + at_s;
  }
};

/// The POSIX rule at the end of the file, which holds after the last listed change.
struct Rule {
  std::int32_t standard_s = 0, summer_s = 0;
  Switch begin, end;
};

class RuleText {
 public:
  explicit RuleText(std::string_view text) : rest_(text) {}

  std::optional<Rule> take() {
    Rule rule;
    if (!name()) return std::nullopt;
    rule.standard_s = -seconds();
    if (!name()) return std::nullopt;  // no summer time: the last change holds for ever
    rule.summer_s = rest_.starts_with(",") ? rule.standard_s + 3600 : -seconds();
    if (!date(rule.begin) || !date(rule.end)) return std::nullopt;
    return rule;
  }

 private:
  bool name() {
    const bool angled = rest_.starts_with("<");
    const std::size_t end = angled ? rest_.find('>') + 1 : rest_.find_first_of("+-0123456789,");
    const std::size_t length = std::min(end, rest_.size());
    rest_.remove_prefix(length);
    return length >= 3;
  }
  int number() {
    int value = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9' && value < 1000) {
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::int32_t seconds() {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int32_t total = number() * 3600;
    if (take(':')) total += number() * 60;
    if (take(':')) total += number();
    return negative ? -total : total;
  }
  bool date(Switch& side) {
    if (!take(',') || !take('M')) return false;  // the Julian forms are not in use
    side.month = number();
    if (!take('.')) return false;
    side.week = number();
    if (!take('.')) return false;
    side.weekday = number();
    if (take('/')) side.at_s = seconds();
    return side.month >= 1 && side.month <= 12 && side.week >= 1 && side.week <= 5 &&
           side.weekday <= 6;
  }

  std::string_view rest_;
};

}  // namespace

bool ZoneFile::read(std::string_view content, TimeZone& zone) {
  BigEndian in{content};
  const auto first = take_header(in);
  if (!first || content.size() < 5 || content[4] < '2') return false;
  // Version 2 and later repeat everything with 64-bit times behind the 32-bit part.
  in.skip(first->times * 5 + first->types * 6 + first->chars + first->leap * 8 + first->isstd +
          first->isut);
  const auto h = take_header(in);
  if (!h || h->types == 0) return false;
  std::vector<std::int64_t> times(h->times);
  std::vector<std::size_t> types(h->times);
  std::vector<std::int32_t> offsets(h->types);
  for (std::int64_t& t : times) t = in.take(8);
  for (std::size_t& t : types) t = static_cast<std::size_t>(in.take(1)) & 0xffU;
  for (std::int32_t& offset : offsets) {
    offset = static_cast<std::int32_t>(in.take(4));
    in.skip(2);
  }
  in.skip(h->chars + h->leap * 12 + h->isstd + h->isut);
  if (in.ran_out()) return false;
  zone.first_offset_ = offsets[0];
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (types[i] >= offsets.size()) return false;
    zone.changes_.push_back({times[i], offsets[types[i]]});
  }
  std::string_view rule = in.rest();
  if (rule.starts_with("\n")) rule.remove_prefix(1);
  follow_rule(rule.substr(0, rule.find('\n')), zone);
  return true;
}

void ZoneFile::follow_rule(std::string_view text, TimeZone& zone) {
  using namespace std::chrono;
  const std::optional<Rule> rule = RuleText{text}.take();
  if (!rule) return;
  const std::int64_t from = zone.changes_.empty() ? INT64_MIN : zone.changes_.back().unix_s;
  const auto after = sys_seconds{seconds{std::max<std::int64_t>(from, 0)}};
  const int first_year = static_cast<int>(year_month_day{floor<days>(after)}.year());
  std::vector<TimeZone::Change> more;
  for (int year = first_year; year <= kLastYear; ++year) {
    more.push_back({rule->begin.local_s(year) - rule->standard_s, rule->summer_s});
    more.push_back({rule->end.local_s(year) - rule->summer_s, rule->standard_s});
  }
  std::sort(more.begin(), more.end(),
            [](const auto& a, const auto& b) { return a.unix_s < b.unix_s; });
  for (const TimeZone::Change& change : more)
    if (change.unix_s > from) zone.changes_.push_back(change);
}

}  // namespace muster
