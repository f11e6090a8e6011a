// Profile against the same by hand: a number per second.

#include "muster/cluster/profile.hpp"

#include <algorithm>

#include "catch.hpp"
#include "muster/core/random.hpp"

namespace muster {
namespace {

constexpr std::int64_t kCapacity = 8;
constexpr int kSeconds = 400;

SimTime at(std::int64_t second) { return SimTime{std::chrono::seconds{second}}; }

struct Seconds {
  std::vector<std::int64_t> free = std::vector<std::int64_t>(kSeconds, kCapacity);

  bool fits(int from, std::int64_t need, int length) const {
    // After the last second everything is free for ever.
    for (int t = from; t < std::min(from + std::max(length, 1), kSeconds); ++t)
      if (free[static_cast<std::size_t>(t)] < need) return false;
    return true;
  }
  int earliest(int from, std::int64_t need, int length) const {
    while (!fits(from, need, length)) ++from;
    return from;
  }
  int longest(int from, std::int64_t need) const {
    int length = 0;
    while (from + length < kSeconds && free[static_cast<std::size_t>(from + length)] >= need)
      ++length;
    return length;
  }
};

TEST_CASE("A profile says what a table of seconds says, through random plans and as time goes on") {
  Stream random(7, "profile");
  const auto draw = [&](int least, int most) {
    return least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least + 1)));
  };
  for (int run = 0; run < 40; ++run) {
    Profile profile(kCapacity);
    profile.reset(at(0));
    Seconds seconds;
    int now = 0;
    for (int step = 0; step < 500; ++step) {
      if (draw(0, 19) == 0 && now < kSeconds / 2) profile.advance(at(++now));
      const int from = draw(now, kSeconds - 60), length = draw(0, 50);
      const std::int64_t need = draw(1, kCapacity);
      const int earliest = seconds.earliest(from, need, length);
      REQUIRE(profile.at(at(from)) == seconds.free[static_cast<std::size_t>(from)]);
      REQUIRE(profile.earliest(at(from), need, std::chrono::seconds{length}) == at(earliest));
      REQUIRE(profile.fits(at(from), need, std::chrono::seconds{length}) ==
              seconds.fits(from, need, length));
      if (const int longest = seconds.longest(from, need); from + longest < kSeconds)
        REQUIRE(profile.longest(at(from), need) ==
                (longest > 0 ? std::chrono::seconds{longest} : Duration{-1}));
      else
        REQUIRE(profile.longest(at(from), need) == Duration::max());
      const std::int64_t change = draw(0, 3) == 0 ? draw(1, 3) : -draw(1, 3);
      profile.add(at(from), at(from + length), change);
      for (int t = from; t < from + length; ++t)
        seconds.free[static_cast<std::size_t>(t)] += change;
    }
    std::size_t steps = 1;
    for (std::size_t t = static_cast<std::size_t>(now) + 1; t < kSeconds; ++t)
      steps += seconds.free[t] != seconds.free[t - 1];
    CHECK(profile.steps() == steps + (seconds.free.back() != kCapacity));
  }
}

TEST_CASE("A profile laid out in one go is the one to which each job was added") {
  Stream random(8, "profile of what runs");
  for (const std::size_t jobs : {0U, 1U, 23U, 24U, 25U, 200U}) {
    std::vector<Profile::Hold> holds;
    Profile one_by_one(3 * 200);
    one_by_one.reset(at(10));
    for (std::size_t i = 0; i < jobs; ++i) {
      const auto end = static_cast<std::int64_t>(5 + random.below(300));
      holds.push_back(
          {random.below(20) == 0 ? kNever : at(end), static_cast<std::int64_t>(random.below(4))});
    }
    std::sort(holds.begin(), holds.end(),
              [](const Profile::Hold& a, const Profile::Hold& b) { return a.until < b.until; });
    for (const Profile::Hold& h : holds) one_by_one.add(at(10), h.until, -h.milli);
    Profile laid_out(3 * 200);
    laid_out.add(at(50), at(60), -1);  // forgotten
    laid_out.reset(at(10), holds);
    CHECK(laid_out.steps() == one_by_one.steps());
    for (int round = 0; round < 200; ++round) {
      const SimTime from = at(static_cast<std::int64_t>(10 + random.below(300)));
      const auto need = static_cast<std::int64_t>(random.below(3 * 200));
      CHECK(laid_out.at(from) == one_by_one.at(from));
      CHECK(laid_out.longest(from, need) == one_by_one.longest(from, need));
      const auto length = std::chrono::seconds{random.below(50)};
      CHECK(laid_out.earliest(from, need, length) == one_by_one.earliest(from, need, length));
      laid_out.add(from, from + length, -1);
      one_by_one.add(from, from + length, -1);
    }
  }
}

TEST_CASE("A profile that nothing ends keeps its last step") {
  Profile profile(kCapacity);
  profile.reset(at(0));
  profile.add(at(10), kNever, -kCapacity);
  CHECK(profile.earliest(at(0), 1, std::chrono::seconds{10}) == at(0));
  CHECK(profile.earliest(at(0), 1, std::chrono::seconds{11}) == kNever);
  CHECK(profile.earliest(at(0), kCapacity + 1, std::chrono::seconds{1}) == kNever);
  CHECK(profile.longest(at(5), 1) == std::chrono::seconds{5});
}

}  // namespace
}  // namespace muster
