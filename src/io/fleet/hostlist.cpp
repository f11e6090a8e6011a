#include "io/fleet/hostlist.hpp"

#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/topology/graph.hpp"

namespace muster::fleet_formats {
namespace {

[[noreturn]] void fail(std::string_view list, const std::string& where, const std::string& what) {
  throw InputError(where, "the list \"" + std::string{list} + "\" " + what,
                   "lists read like n[0-3,7],login,r[0-1]n[01-16]");
}

constexpr std::ptrdiff_t kMostBrackets = 8;  // of one name: each is a level of recursion

/// One name with brackets, without commas outside of them.
class Name {
 public:
  Name(std::string_view list, const std::string& where) : list_(list), where_(where) {}

  /// Appends what `text` stands for, each behind `prefix`.
  void expand(const std::string& prefix, std::string_view text, std::vector<std::string>& out) {
    const std::size_t open = text.find('[');
    const std::size_t stray = text.substr(0, open).find(']');
    if (stray != std::string_view::npos) fail(list_, where_, "closes a bracket that is not open");
    if (open == std::string_view::npos) {
      if (out.size() >= kMostNodes)
        fail(list_, where_, "has more than " + std::to_string(kMostNodes) + " names");
      return out.push_back(prefix + std::string{text});
    }
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) fail(list_, where_, "does not close a bracket");
    const std::string before = prefix + std::string{text.substr(0, open)};
    std::string_view ranges = text.substr(open + 1, close - open - 1);
    for (bool more = true; more;) {
      const std::size_t comma = ranges.find(',');
      expand_range(before, ranges.substr(0, comma), text.substr(close + 1), out);
      more = comma != std::string_view::npos;
      if (more) ranges.remove_prefix(comma + 1);
    }
  }

 private:
  void expand_range(const std::string& before, std::string_view range, std::string_view after,
                    std::vector<std::string>& out) {
    const std::size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
    const std::int64_t first = number(low, range), last = number(high, range);
    if (first > last) fail(list_, where_, "counts down in \"" + std::string{range} + "\"");
    for (std::int64_t i = first; i <= last; ++i) {
      std::string digits = std::to_string(i);
      if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
      expand(before + digits, after, out);
    }
  }
  std::int64_t number(std::string_view digits, std::string_view range) {
    const bool all_digits =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    const auto value = all_digits ? parse_integer(digits) : std::nullopt;
    if (!value) fail(list_, where_, "has no range of numbers in \"" + std::string{range} + "\"");
    return *value;
  }

  std::string_view list_;
  const std::string& where_;
};

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view list, const std::string& where) {
  std::vector<std::string> out;
  std::string_view rest = list;
  for (bool more = true; more;) {
    std::size_t end = 0;
    bool inside = false;
    for (; end < rest.size() && (inside || rest[end] != ','); ++end)
      inside = rest[end] == '[' || (inside && rest[end] != ']');
    if (end == 0) fail(list, where, "has an empty name");
    const std::string_view name = rest.substr(0, end);
    if (std::count(name.begin(), name.end(), '[') > kMostBrackets)
      fail(list, where, "has a name with more than " + std::to_string(kMostBrackets) + " brackets");
    Name(list, where).expand("", name, out);
    more = end < rest.size();
    if (more) rest.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace muster::fleet_formats
