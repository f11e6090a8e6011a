#include <algorithm>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "muster/engine/event_queue.hpp"

using namespace muster;

namespace {

auto place(const Event& e) { return std::tuple{e.at, e.rank}; }
bool before(const Event& a, const Event& b) { return place(a) < place(b); }

/// Numbers that do not depend on the platform.
struct Draws {
  std::uint64_t state = 1;
  std::uint64_t operator()(std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  }
};

}  // namespace

TEST_CASE("events come by time, then by kind, then by order") {
  Draws draw;
  EventQueue queue;
  std::vector<Event> all;  // what the queue holds
  SimTime now = kStart;
  std::uint32_t pushed = 0;
  for (int step = 0; step < 20000; ++step) {
    if (all.empty() || draw(2) == 0) {
      // Many at the same instant, at this very one too, some far away, some never.
      const Duration ahead{draw(10) == 0 ? static_cast<std::int64_t>(draw(1u << 30)) << 20
                                         : static_cast<std::int64_t>(draw(40))};
      const SimTime at = draw(100) == 0 ? kNever : now + ahead;
      const Event e{at, pushed++, 0, 0, static_cast<EventKind>(draw(3))};
      queue.push(e);
      all.push_back(e);
    } else {
      const auto first = std::min_element(all.begin(), all.end(), before);
      REQUIRE(queue.next_time() == first->at);
      if (first->at == kNever) break;
      const Event e = queue.pop();
      REQUIRE(place(e) == place(*first));
      now = e.at;
      all.erase(first);
    }
    REQUIRE(queue.size() == all.size());
    REQUIRE(queue.empty() == all.empty());
    if (step % 1000 == 999) {
      const auto odd = [](const Event& e) { return e.rank % 2 == 1; };
      queue.drop_if(odd);
      std::erase_if(all, odd);
    }
  }
  std::sort(all.begin(), all.end(), before);
  for (const Event& e : all) REQUIRE(place(queue.pop()) == place(e));
  CHECK(queue.empty());
  CHECK(queue.next_time() == kNever);
}

TEST_CASE("an event before the first one of the queue may come after it was looked at") {
  EventQueue queue;
  const auto at = [](std::int64_t ns) { return SimTime{Duration{ns}}; };
  queue.push({at(1000), 0, 0, 0, EventKind::end});
  CHECK(queue.next_time() == at(1000));
  queue.push({at(7), 1, 1, 0, EventKind::end});
  CHECK(queue.next_time() == at(7));
  CHECK(queue.pop().job == 1);
  queue.push({at(7), 2, 2, 0, EventKind::end});
  CHECK(queue.pop().job == 2);
  CHECK(queue.pop().job == 0);
}
