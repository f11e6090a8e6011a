#include "muster/ledger/wait_book.hpp"

#include <string>

#include "catch.hpp"
#include "unit/ledger/lone_books.hpp"

using namespace muster;
using namespace muster::test;

namespace {

std::string causes(const Waits& waits) {
  std::string text;
  for (std::size_t c = 0; c < kCauses; ++c)
    if (waits.by_cause[c] != Duration{})
      text += std::string{name(static_cast<Cause>(c))} + " " +
              to_decimal(waits.by_cause[c].count(), 9) + ", ";
  return text + "in all " + to_decimal(waits.in_all.count(), 9);
}

}  // namespace

TEST_CASE("a wait is divided at the decisions that change its cause") {
  //          0    10   20   30   40
  //  a       |cap |res |ord |ord | starts at 40
  //  b            (12) i|ord|ord | ends at 40: interval 12-20
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(8), b = world.gpus(8), other = world.gpus(4);
  LoneWaitBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).decide(0s, {{a, Cause::capacity}});
  feed.decide(10s, {{a, Cause::reservation}});
  feed.submit(12s, b).submit(15s, other);
  feed.decide(20s, {{a, Cause::order}, {other, Cause::quota}});
  feed.decide(30s);
  feed.start(40s, a);
  feed.end(40s, b, JobState::cancelled_pending);
  CHECK(causes(book.ended()) == "order 20, interval 8, in all 28");
  feed.end(50s, a);
  CHECK(causes(book.ended()) == "capacity 10, reservation 10, order 20, in all 40");
  book.close(at(60s));
  CHECK(causes(book.waits(other)) == "quota 40, interval 5, in all 45");
  CHECK(book.times()[static_cast<std::size_t>(Cause::order)] == 40'000'000'000);
  CHECK(book.times()[static_cast<std::size_t>(Cause::quota)] == 40'000'000'000);
}

TEST_CASE("waits of a job that waits again are added up") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(8);
  LoneWaitBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a, JobState::held).decide(0s);
  feed.release(3s, a).decide(5s, {{a, Cause::fragmentation}}).start(9s, a).decide(9s);
  feed.stop(20s, a).decide(20s, {{a, Cause::outage}});
  feed.start(27s, a).end(30s, a);
  CHECK(causes(book.ended()) == "fragmentation 4, outage 7, interval 2, held 3, in all 16");
}

TEST_CASE("a job that starts at once waits for nothing") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(8), b = world.gpus(8);
  LoneWaitBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).start(0s, a).decide(0s).end(5s, a);
  CHECK(causes(book.ended()) == "in all 0");
  feed.submit(5s, b).reject(5s, b).decide(5s);
  CHECK(causes(book.ended()) == "in all 0");
  book.close(at(9s));
  for (const Int128 t : book.times()) CHECK(t == 0);
}

TEST_CASE("a job stopped at the instant of a decision joins the queue of its shape") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(4), b = world.gpus(4);
  LoneWaitBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).submit(0s, b).start(0s, a).decide(0s, {{b, Cause::quota}});
  feed.stop(10s, a).decide(10s);  // nothing is said of the shape: still quota
  book.close(at(13s));
  CHECK(causes(book.waits(a)) == "quota 3, in all 3");
  CHECK(causes(book.waits(b)) == "quota 13, in all 13");
}

TEST_CASE("an incomplete gang waits until it is complete") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(8);
  LoneWaitBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).acquire(0s, a, 4000).decide(0s, {{a, Cause::capacity}});
  feed.drop(10s, a).decide(10s, {{a, Cause::readiness}}).start(12s, a).end(13s, a);
  CHECK(causes(book.ended()) == "capacity 10, readiness 2, in all 12");
}
