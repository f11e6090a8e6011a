#include "muster/ledger/gpu_book.hpp"

#include <map>
#include <string>

#include "catch.hpp"
#include "unit/ledger/lone_books.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// The classes that are not zero, in GPU-seconds.
std::string classes(const GpuBook& book) {
  std::string text;
  for (std::size_t c = 0; c < kGpuClasses; ++c)
    if (book.times()[c] != 0)
      text += std::string{name(static_cast<GpuClass>(c))} + " " +
              to_decimal(book.times()[c], kGpuTimeDigits) + "\n";
  return "\n" + text;
}

}  // namespace

TEST_CASE("a wide job that waits for a narrow one") {
  // 8 GPUs, 10 s a column:
  //   held   |4488|     a: 4 GPUs 0-20, b: 8 GPUs from 20
  //   free   |44..|     nobody waits until b comes at 10
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(4), b = world.gpus(8);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).start(0s, a).decide(0s);
  feed.submit(10s, b).decide(10s, {{b, Cause::capacity}});
  feed.end(20s, a).start(20s, b).decide(20s);
  feed.end(40s, b).decide(40s);
  book.close(at(40s));
  CHECK(classes(book) == R"(
idle.too_few 40
idle.no_demand 40
run.compute 240
)");
  CHECK(total(book.times()) == Int128{8000} * 40'000'000'000);
  CHECK(book.useful() == Int128{240} * 1'000'000'000'000);
}

TEST_CASE("free GPUs go to the causes in the order of the classes, to each what it wants") {
  // 16 free GPUs. Demand by cause: order 5, reservation 3, fragmentation 4, topology 2, capacity 64.
  World world{Fleet::uniform(2, 8)};
  const JobId order = world.gpus(5), reserved = world.gpus(3), scattered = world.gpus(4),
              spread = world.gpus(2), wide = world.gpus(64);
  LoneGpuBook book{world};
  Feed feed{world, book};
  for (const JobId j : {order, reserved, scattered, spread, wide}) feed.submit(0s, j);
  feed.decide(0s, {{order, Cause::order},
                   {reserved, Cause::reservation},
                   {scattered, Cause::fragmentation},
                   {spread, Cause::topology},
                   {wide, Cause::capacity}});
  book.close(at(1s));
  CHECK(classes(book) == R"(
idle.fragmented 6
idle.reserved 3
idle.policy 5
idle.too_few 2
)");
}

TEST_CASE("400 scattered free GPUs and one waiting job of 64") {
  World world{Fleet::uniform(50, 8)};
  const JobId wide = world.gpus(64);
  LoneGpuBook book{world};
  Feed{world, book}.submit(0s, wide).decide(0s, {{wide, Cause::fragmentation}});
  book.close(at(1s));
  CHECK(classes(book) == R"(
idle.fragmented 64
idle.no_demand 336
)");
}

TEST_CASE("a job that may use two pools is charged once, in the order of the pools") {
  // Pool 0 has 8 GPUs, pool 1 has 8. `either` wants 12 of them, `second` wants 6 of pool 1.
  World world{two_pools(1, 1, 8)};
  const JobId either = world.job(12000, 1s, 0b11), second = world.job(6000, 1s, 0b10);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, either).submit(0s, second);
  feed.decide(0s, {{either, Cause::quota}, {second, Cause::fragmentation}});
  book.close(at(1s));
  // Pool 0: 8 to quota. Pool 1: 6 to fragmentation, which stands first, and the last 2 to quota.
  CHECK(classes(book) == R"(
idle.fragmented 6
idle.quota 10
)");
}

TEST_CASE("whoever may use fewer pools is charged first") {
  World world{two_pools(1, 1, 8)};
  const JobId either = world.job(8000, 1s, 0b11), first = world.job(8000, 1s, 0b01);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, either).submit(0s, first);
  feed.decide(0s, {{either, Cause::order}, {first, Cause::order}});
  book.close(at(1s));
  CHECK(classes(book) == "\nidle.policy 16\n");
}

TEST_CASE("whoever joined since the last decision waits for the interval") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(8), b = world.gpus(8);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).decide(0s, {{a, Cause::capacity}});
  feed.submit(5s, b).decide(10s);  // the same shape: what was found for a holds for b from now on
  book.close(at(20s));
  // 0-5: a alone, 8 too few. 5-10: b is fresh, and policy stands before too few. 10-20: too few.
  CHECK(classes(book) == R"(
idle.policy 40
idle.too_few 120
)");
}

TEST_CASE("GPUs that come back between two decisions are free at once") {
  World world{two_pools(1, 1, 4)};
  const JobId a = world.job(8000), b = world.job(2000);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).start(0s, a).decide(0s);
  feed.submit(2s, b).end(4s, a).decide(10s);
  book.close(at(10s));
  CHECK(book.fault().empty());
  CHECK(classes(book) == R"(
idle.policy 12
idle.no_demand 36
run.compute 32
)");
}

TEST_CASE("held jobs want no GPUs") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(8);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a, JobState::held).decide(0s);
  feed.release(5s, a).decide(5s, {{a, Cause::order}});
  book.close(at(6s));
  CHECK(classes(book) == R"(
idle.policy 8
idle.no_demand 40
)");
}

TEST_CASE("what was kept is lost when the job is lost") {
  // 2 GPUs. Suspended at 10 with all kept; resumed at 10, stopped at 20: 4 s lost and 3 s of the first
  // run too, 1 s overhead; then killed with everything thrown away.
  World world{Fleet::uniform(1, 2)};
  const JobId a = world.gpus(2);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).start(0s, a).decide(0s);
  feed.stop(10s, a).start(10s, a).decide(10s);
  feed.stop(20s, a, {.lost = 4s, .overhead = 1s, .lost_earlier = 3s}).start(20s, a).decide(20s);
  SECTION("completed: 7 + 5 + 10 s are useful") {
    feed.end(30s, a);
    CHECK(book.ended().kept == Int128{44} * 1'000'000'000'000);
    CHECK(book.ended().held() == Int128{60} * 1'000'000'000'000);
    book.close(at(30s));
    CHECK(classes(book) == R"(
starting 2
run.compute 44
lost 14
)");
    CHECK(book.useful() == book.times()[static_cast<std::size_t>(GpuClass::run_compute)]);
  }
  SECTION("killed: nothing is useful") {
    feed.end(30s, a, JobState::timeout, {.lost = 10s, .lost_earlier = 12s});
    book.close(at(30s));
    CHECK(classes(book) == R"(
starting 2
lost 58
)");
    CHECK(book.useful() == 0);
  }
  SECTION("withdrawn while it waits to go on") {
    feed.stop(25s, a).end(30s, a, JobState::cancelled_pending, {.lost_earlier = 17s});
    book.close(at(30s));
    CHECK(classes(book) == R"(
idle.policy 10
starting 2
lost 48
)");
  }
  SECTION("more than it ever kept") {
    feed.end(30s, a, JobState::timeout, {.lost = 10s, .lost_earlier = 13s});
    book.settle(at(30s));
    CHECK(book.fault() == "at 30 s, a job loses more earlier work than it had");
  }
  SECTION("the window closes while it runs: kept, but not yet useful") {
    book.close(at(30s));
    CHECK(classes(book) == R"(
starting 2
run.compute 44
lost 14
)");
    CHECK(book.useful() == 0);
    CHECK(book.account(a).kept == Int128{44} * 1'000'000'000'000);
  }
}

TEST_CASE("lost work of earlier runs counts at the size at which it was done") {
  // On 2-GPU nodes and on 4-GPU nodes "one whole node" is not the same. 10 s on 2 GPUs, 10 s on 4,
  // then 15 s of both are thrown away: 10 s x 4 and 5 s x 2.
  Fleet fleet = Fleet::uniform(2, 4);
  fleet.nodes[NodeId{0}].gpus = 2;
  fleet.index();
  World world{fleet};
  const JobId a = world.gpus(4);
  LoneGpuBook book{world};
  const std::vector<Slice> small{{NodeId{0}, 1, 0b11}}, large{{NodeId{1}, 1, 0b1111}};
  using What = Record::What;
  book.on({at(0s), a, What::submit, JobState::pending, {}});
  book.on({at(0s), a, What::start, JobState::running, small});
  book.on({at(10s), a, What::stop, JobState::pending, small, kNoJob, 10s});
  book.on({at(10s), a, What::start, JobState::running, large});
  book.on({at(20s), a, What::stop, JobState::pending, large, kNoJob, 10s});
  book.on({at(20s), a, What::end, JobState::cancelled_pending, {}, kNoJob, {}, {}, {}, {}, 15s});
  book.close(at(20s));
  CHECK(classes(book) == R"(
idle.no_demand 60
run.compute 10
lost 50
)");
}

TEST_CASE("an incomplete gang hoards, and wants only what it lacks") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(6);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).acquire(0s, a, 2000).decide(0s, {{a, Cause::capacity}});
  feed.acquire(10s, a, 3000).decide(10s);
  SECTION("and starts") {
    feed.start(20s, a).decide(20s).end(30s, a).decide(30s);
    book.close(at(30s));
    // free: 6 of which it wants 4; then 3, wants 1; then 2
    CHECK(classes(book) == R"(
idle.too_few 50
idle.no_demand 60
hoarded 70
run.compute 60
)");
  }
  SECTION("and gives up") {
    feed.drop(20s, a).decide(20s, {{a, Cause::quota}});
    book.close(at(30s));
    CHECK(classes(book) == R"(
idle.quota 60
idle.too_few 50
idle.no_demand 60
hoarded 70
)");
  }
  SECTION("and is withdrawn") {
    feed.end(20s, a, JobState::cancelled_pending).decide(20s);
    book.close(at(30s));
    CHECK(classes(book) == R"(
idle.too_few 50
idle.no_demand 120
hoarded 70
)");
  }
  SECTION("and still does at the end") {
    book.close(at(20s));
    CHECK(book.account(a).hoarded == Int128{70} * 1'000'000'000'000);
  }
}

TEST_CASE("shares of one GPU are exact") {
  World world{Fleet::uniform(1, 1)};
  const JobId a = world.job(333), b = world.job(500);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.submit(0s, a).submit(0s, b).start(0s, a).start(0s, b).decide(0s);
  feed.end(1ns, a).end(1ns, b).decide(1ns);
  book.close(at(1ns));
  CHECK(classes(book) == R"(
idle.no_demand 0.000000000167
run.compute 0.000000000833
)");
}

TEST_CASE("the window begins with the first submit") {
  World world{Fleet::uniform(1, 1)};
  const JobId a = world.gpus(1), never = world.gpus(1);
  LoneGpuBook book{world};
  Feed feed{world, book};
  feed.decide(0s).end(3s, never, JobState::never_submitted);
  feed.submit(5s, a).start(5s, a).decide(5s).end(7s, a).decide(7s);
  book.close(at(7s));
  CHECK(book.from() == at(5s));
  CHECK(total(book.times()) == Int128{2} * 1'000'000'000'000);
}

TEST_CASE("a window without jobs is empty") {
  World world{Fleet::uniform(1, 1)};
  LoneGpuBook book{world};
  book.close(at(7s));
  CHECK(total(book.times()) == 0);
}

TEST_CASE("the balance notices what does not add up") {
  World world{Fleet::uniform(2, 8)};
  const JobId a = world.gpus(8);
  LoneGpuBook book{world};
  const std::vector<Slice> first{{NodeId{0}, 1, 0xff}}, fewer{{NodeId{0}, 1, 0x7f}};
  const std::vector<PoolFree> eight{{8000}}, all{{16000}};
  using What = Record::What;
  const auto decide = [&](SimTime t, const std::vector<PoolFree>& pools) {
    Decision d;
    d.at = t;
    d.pools = pools;
    book.decided(d);
  };
  book.on({at(0s), a, What::submit, JobState::pending, {}});
  book.on({at(0s), a, What::start, JobState::running, first});

  SECTION("a decision that forgets GPUs") {
    decide(at(0s), {{7000}});
    book.settle(at(10s));
    CHECK(book.fault() ==
          "at 0 s, pool 0: the decision leaves 7000 thousandths of a GPU free, the records 8000");
    CHECK(total(book.times()) != Int128{16000} * 10'000'000'000);
  }
  SECTION("a run that does not divide into its parts") {
    decide(at(0s), eight);
    book.on({at(10s), a, What::end, JobState::completed, first, kNoJob, 9s});
    book.settle(at(10s));
    CHECK(book.fault() == "at 10 s, the parts of a run do not add up to it");
    CHECK(total(book.times()) != Int128{16000} * 10'000'000'000);
  }
  SECTION("an end that gives back less than it held") {
    decide(at(0s), eight);
    book.on({at(10s), a, What::end, JobState::completed, fewer, kNoJob, 10s});
    book.settle(at(20s));
    CHECK(book.fault() == "at 20 s, the classes add up to 310 GPU-s, the fleet has 320");
  }
  SECTION("a job that starts twice") {
    book.on({at(1s), a, What::start, JobState::running, first});
    book.settle(at(1s));
    CHECK(book.fault() == "at 1 s, a job starts that does not wait");
  }
  SECTION("time that runs backwards") {
    decide(at(5s), eight);
    decide(at(4s), eight);
    book.settle(at(5s));
    CHECK(book.fault() == "at 4 s, time runs backwards");
  }
}
