// The geometry of MIG: eight memory slots, seven compute slices, and where each profile may begin.

#include "muster/topology/mig.hpp"

#include <bit>

#include "catch.hpp"

using namespace muster;

namespace {

const std::vector<std::string> kNames{"1g", "2g", "3g", "4g", "7g"};

/// All ways to fill a GPU, by the table alone: visit(slots taken, compute slices taken).
template <class Visit>
void each_filling(std::uint32_t taken, std::uint32_t compute, Visit visit) {
  visit(taken, compute);
  for (const MigProfile& p : kMigProfiles)
    for (std::uint32_t start = 0; start < 8; ++start) {
      const std::uint32_t slots = ((1u << p.slots) - 1) << start;
      // In order of the first slot, so that each filling comes once.
      if (!(p.starts >> start & 1) || (taken & slots) || (taken >> start) != 0) continue;
      each_filling(taken | slots, compute + p.compute, visit);
    }
}

}  // namespace

TEST_CASE("profiles by name, with and without their memory") {
  CHECK(mig_profile(mig_id("3g")).name == "3g");
  CHECK(mig_id("3g.40gb") == mig_id("3g"));
  CHECK(mig_id("7g.141gb") == mig_id("7g"));
  CHECK(mig_id("1g.20gb") == mig_id("1g.2x"));
  for (const char* wrong : {"", "5g", "3g.40", "g", "3", "3g 4g", "1g.10gb+me"})
    CHECK(mig_id(wrong) == 0);
}

TEST_CASE("the table of CONVENTIONS C14") {
  const std::map<std::string, std::tuple<int, std::vector<int>, int>> c14{
      {"1g", {1, {0, 1, 2, 3, 4, 5, 6}, 1}},
      {"2g", {2, {0, 2, 4}, 2}},
      {"3g", {4, {0, 4}, 3}},
      {"4g", {4, {0}, 4}},
      {"7g", {8, {0}, 7}},
  };
  for (const auto& [name, row] : c14) {
    const MigProfile& p = mig_profile(mig_id(name));
    std::vector<int> starts;
    for (int s = 0; s < 8; ++s)
      if (p.starts >> s & 1) starts.push_back(s);
    INFO(name);
    CHECK(std::tuple<int, std::vector<int>, int>{p.slots, starts, p.compute} == row);
  }
}

TEST_CASE("whatever fits in the slots fits in the compute slices") {
  int fillings = 0;
  each_filling(0, 0, [&](std::uint32_t taken, std::uint32_t compute) {
    ++fillings;
    CHECK(taken <= 0xff);
    CHECK(compute <= kMigComputeSlices);
  });
  CHECK(fillings > 100);
}

TEST_CASE("places for each profile in each mask, and what is left to choose") {
  const MigLayout any;
  CHECK_FALSE(any.is_fixed());
  for (std::uint32_t free = 0; free < 256; ++free)
    for (const std::string& name : kNames) {
      const MigId id = mig_id(name);
      const MigProfile& p = mig_profile(id);
      for (std::uint32_t s = 0; s < 8; ++s) {
        const std::uint32_t slots = ((1u << p.slots) - 1) << s;
        const bool legal = (p.starts >> s & 1) && (slots & ~free) == 0;
        REQUIRE(((any.places(id, static_cast<SlotMask>(free)) >> s) & 1) == legal);
      }
    }
  CHECK(any.largest(0xff) == mig_id("7g"));
  CHECK(any.largest(0b1100'1111) == mig_id("4g"));
  CHECK(any.largest(0b1111'0001) == mig_id("3g"));
  CHECK(any.largest(0b1000'0000) == 0);  // slot 7 is nobody's first, and too small
  // 4g at 0 is worth more than a 3g at 4 and three 1g.
  CHECK(any.choices(0b0000'1111) > any.choices(0b1111'0001));
}

TEST_CASE("a fixed layout has only its own places") {
  const MigLayout fixed = mig_layout("3g@4+2g@0+1g@2");
  CHECK(fixed.is_fixed());
  CHECK(text_of(fixed) == "3g@4+2g@0+1g@2");
  CHECK(fixed.places(mig_id("3g"), 0xff) == 1 << 4);
  CHECK(fixed.places(mig_id("1g"), 0xff) == 1 << 2);
  CHECK(fixed.places(mig_id("4g"), 0xff) == 0);
  CHECK(fixed.places(mig_id("2g"), 0b1111'1101) == 0);
  CHECK(fixed.largest(0b0000'0111) == mig_id("2g"));
}

TEST_CASE("slots in words") {
  CHECK(slots_text(0) == "no slots");
  CHECK(slots_text(1 << 6) == "slot 6");
  CHECK(slots_text(0b0010'0011) == "slots 0,1,5");
  CHECK(places_text(mig_id("3g"), 0b1'0001) == "0-3 or 4-7");
  CHECK(places_text(mig_id("1g"), 0b101) == "0 or 2");
}
