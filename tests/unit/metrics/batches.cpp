#include "muster/metrics/batches.hpp"

#include <string>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "unit/ledger/world.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// Each line as text, in the order in which they come.
class Told final : public JobSink {
 public:
  void take(const JobLine& line) override {
    text += std::to_string(line.job.value) + " " + to_decimal(line.gpu_time.held(), 12) + " " +
            to_decimal(line.gpu_time.lost, 12) + " " + to_decimal(line.waits.in_all.count(), 9) +
            " " + std::to_string(line.reshapes.gpus_moved) + "\n";
  }
  std::string text;
};

/// Many more calls than a batch holds: each job is stopped, goes on with fewer GPUs, and is followed by one
/// that waited for it.
void play(World& world, Observer& observer) {
  Feed feed{world, observer};
  Duration now{};
  for (std::uint32_t j = 0; j + 1 < world.jobs.size(); j += 2) {
    const JobId first{j}, second{j + 1};
    feed.submit(now, first).start(now, first).decide(now);
    feed.submit(now + 1s, second).decide(now + 1s, {{second, Cause::capacity}});
    feed.stop(now + 2s, first, {.lost = 1s}).start(now + 2s, first).decide(now + 2s);
    feed.reshape(now + 3s, first, 4000).decide(now + 3s);
    feed.end(now + 4s, first).start(now + 4s, second).decide(now + 4s);
    feed.end(now + 6s, second).decide(now + 6s);
    now += 7s;
  }
}

}  // namespace

TEST_CASE("what is handed over in batches makes the same books") {
  const Bookkeeper bookkeeper = GENERATE(Bookkeeper::same_thread, Bookkeeper::own_thread);
  World world{Fleet::uniform(2, 8)};
  for (int i = 0; i < 400; ++i) world.gpus(i % 3 == 0 ? 16 : 9);
  RunSummary run;
  run.end = at(200 * 7s);

  Books direct{world.fleet, world.jobs, world.demands};
  Told told;
  direct.send_lines_to(told);
  play(world, direct);
  direct.close(run);

  Books books{world.fleet, world.jobs, world.demands};
  Told later;
  books.send_lines_to(later);
  Batches batches{books, bookkeeper};
  play(world, batches);
  batches.hand_over();
  books.close(run);

  CHECK(later.text == told.text);
  CHECK(books.summary().gpu_time == direct.summary().gpu_time);
  CHECK(books.summary().wait_time == direct.summary().wait_time);
  CHECK(books.summary().spread == direct.summary().spread);
  REQUIRE(books.series().size() == direct.series().size());
  for (std::size_t i = 0; i < books.series().size(); ++i)
    REQUIRE(books.series().row(i) == direct.series().row(i));
}

TEST_CASE("the last calls come with hand_over()") {
  World world{Fleet::uniform(2, 8)};
  for (int i = 0; i < 400; ++i) world.gpus(9);
  Books books{world.fleet, world.jobs, world.demands};
  Told told;
  books.send_lines_to(told);
  Batches batches{books};
  play(world, batches);
  const std::string before = told.text;
  batches.hand_over();
  CHECK(before.size() < told.text.size());
}

namespace {

/// A disk that is full after so many lines.
class Full final : public JobSink {
 public:
  explicit Full(int lines) : left_(lines) {}
  void take(const JobLine&) override {
    ++seen;
    if (--left_ < 0) throw InputError("jobs.csv", "cannot write file", "make room");
  }
  int seen = 0;

 private:
  int left_;
};

}  // namespace

TEST_CASE(
    "what the books throw comes out where the run tells them things, and they get nothing more") {
  const Bookkeeper bookkeeper = GENERATE(Bookkeeper::same_thread, Bookkeeper::own_thread);
  const int jobs = GENERATE(200, 20'000);  // fewer than wait to be handed over, and more
  World world{Fleet::uniform(2, 8)};
  for (int i = 0; i < jobs; ++i) world.gpus(9);
  Books books{world.fleet, world.jobs, world.demands};
  Full full{100};
  books.send_lines_to(full);
  Batches batches{books, bookkeeper};
  const auto run = [&] {
    play(world, batches);
    batches.hand_over();
  };
  CHECK_THROWS_AS(run(), InputError);
  CHECK(full.seen == 101);
}

TEST_CASE("a run that is given up leaves its bookkeeper at once") {
  World world{Fleet::uniform(2, 8)};
  for (int i = 0; i < 400; ++i) world.gpus(9);
  Books books{world.fleet, world.jobs, world.demands};
  Told told;
  books.send_lines_to(told);
  {
    Batches batches{books, Bookkeeper::own_thread};
    play(world, batches);
  }
  SUCCEED("no hand_over(), and nothing hangs");
}
