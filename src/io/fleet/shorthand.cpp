#include <charconv>

#include "io/fleet/formats.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/builder.hpp"

namespace muster::fleet_formats {
namespace {

constexpr std::string_view kForm =
    "NODESxGPUS[:TYPE[/NODES_PER_LEAF[/LEAVES_PER_POD]]], joined by +: 64x8, 1024x8:h100/32/8, "
    "250x8:v100+245x2:p100";

/// Takes one group apart from left to right.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  NodeGroup run() {
    NodeGroup group;
    group.count = number("the number of nodes");
    if (!take('x')) fail("expected \"x\"");
    group.gpus = number("the GPUs of a node");
    if (take(':')) {
      const std::size_t end = std::min(rest_.find('/'), rest_.size());
      group.gpu_type = std::string{rest_.substr(0, end)};
      check_gpu_type(group.gpu_type, "fleet \"" + std::string{text_} + "\"");
      rest_.remove_prefix(end);
      if (take('/')) group.nodes_per_leaf = positive("the nodes of a leaf");
      if (take('/')) group.leaves_per_pod = positive("the leaves of a pod");
    }
    if (!rest_.empty()) fail("expected the end");
    return group;
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::uint64_t number(const char* what) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::result_out_of_range) fail(std::string{what} + " is too large a number");
    if (error != std::errc{}) fail(std::string{"expected "} + what);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::uint64_t positive(const char* what) {
    const std::uint64_t value = number(what);
    if (value == 0) fail(std::string{what} + " are 0; expected 1 or more");
    return value;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(
        "fleet \"" + std::string{text_} + "\"",
        expected + (rest_.empty() ? " at the end" : " at \"" + std::string{rest_} + "\""), kForm);
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

bool is_shorthand(std::string_view spec) {
  const std::size_t digits = spec.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && spec[digits] == 'x';
}

FleetDescription read_shorthand(std::string_view spec) {
  GraphBuilder builder;
  std::string_view rest = spec;
  for (bool more = true; more;) {
    const std::size_t plus = rest.find('+');
    const std::string_view part = rest.substr(0, plus);
    builder.add(Parser(part).run(), "fleet \"" + std::string{part} + "\"");
    more = plus != std::string_view::npos;
    if (more) rest.remove_prefix(plus + 1);
  }
  return {builder.take(), std::string{spec}, "", {}, "fleet \"" + std::string{spec} + "\""};
}

}  // namespace muster::fleet_formats
