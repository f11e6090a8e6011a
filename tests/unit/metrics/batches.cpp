#include "muster/metrics/batches.hpp"

#include <string>

#include "catch.hpp"
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
  Batches batches{books};
  play(world, batches);
  const std::string before = later.text;
  batches.hand_over();
  books.close(run);

  CHECK(before.size() < later.text.size());  // the last ones came with hand_over()
  CHECK(later.text == told.text);
  CHECK(books.summary().gpu_time == direct.summary().gpu_time);
  CHECK(books.summary().wait_time == direct.summary().wait_time);
  CHECK(books.summary().spread == direct.summary().spread);
  REQUIRE(books.series().size() == direct.series().size());
  for (std::size_t i = 0; i < books.series().size(); ++i)
    REQUIRE(books.series().row(i) == direct.series().row(i));
}
