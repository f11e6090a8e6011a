// Sizes and placements as people write them.

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/fleet.hpp"

using namespace muster;
using namespace muster::test;

namespace {

std::vector<Slice> placed(const std::string& text) {
  static const Fleet fleet = load_fleet("4x8:h100+2x4:a100");
  return parse_placement(fleet, text, "--placement");
}

}  // namespace

TEST_CASE("GPUs per node, in the order of the nodes") {
  CHECK(placed("8") == std::vector<Slice>{{NodeId{0}, 1, 0xff}});
  CHECK(placed("4+4") == std::vector<Slice>{{NodeId{0}, 2, 0x0f}});
  CHECK(placed("4x8") == std::vector<Slice>{{NodeId{0}, 4, 0xff}});
  CHECK(placed("4x8+2x4") == std::vector<Slice>{{NodeId{0}, 4, 0xff}, {NodeId{4}, 2, 0x0f}});
  CHECK(placed("3+5") == std::vector<Slice>{{NodeId{0}, 1, 0x07}, {NodeId{1}, 1, 0x1f}});
}

TEST_CASE("nodes by name, with their GPUs") {
  CHECK(placed("n0:0,1,4+n1:0") == std::vector<Slice>{{NodeId{0}, 1, 0x13}, {NodeId{1}, 1, 0x01}});
  CHECK(placed("n5+n4") == std::vector<Slice>{{NodeId{4}, 2, 0x0f}});
  // Numbers take nodes that are not named, wherever they stand.
  CHECK(placed("8+n0:7") == std::vector<Slice>{{NodeId{0}, 1, 0x80}, {NodeId{1}, 1, 0xff}});
}

TEST_CASE("what is no placement") {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"", "no placement is given"},
      {"0", "expected GPUs per node, got \"0\""},
      {"4+", "the fleet has no node \"\""},
      {"9", "the fleet has no node left with 9 GPUs for \"9\""},
      {"5x8", "the fleet has no node left with 8 GPUs for \"5x8\""},
      {"n9", "the fleet has no node \"n9\""},
      {"n0:8", "expected GPUs from 0 to 7 of node n0, got \"8\""},
      {"n0:1,1", "GPU 1 of node n0 is given twice"},
      {"n0:1+n0:2", "node n0 is given twice"},
  };
  for (const auto& [text, message] : wrong) {
    CAPTURE(text);
    CHECK_THROWS_WITH(placed(text), StartsWith("--placement: " + std::string{message}));
  }
}

TEST_CASE("sizes") {
  CHECK(parse_size("8", "s") == 8);
  CHECK(parse_size("4KiB", "s") == 4096);
  CHECK(parse_size("512MB", "s") == 512e6);
  CHECK(parse_size("1.5GiB", "s") == 1.5 * 1073741824);
  CHECK(parse_size("1e9", "s") == 1e9);
  for (const char* wrong : {"", "0", "-1", "nan", "1XB", "GiB"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH(parse_size(wrong, "--bytes"), StartsWith("--bytes: expected a size above 0"));
  }
  CHECK_THROWS_WITH(parse_size("1e99", "--bytes"),
                    StartsWith("--bytes: expected at most 1e16 bytes, got \"1e99\""));
}
