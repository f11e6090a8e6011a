// Jobs that write to, and read from, one storage at the same time take longer: cases worked out by hand.
// "Alone" is what it takes if nobody else is at it.

#include "support/shared_storage.hpp"
#include "catch.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// On nodes of one GPU, everybody at once.
Held run(std::uint32_t nodes, const Workload& w, const OutagePlan& plan,
         const EngineOptions& options = {}) {
  Held h = held(nodes, 1, "easy", w, plan, options);
  CHECK(h.verdict == "");
  return h;
}

TestJob job_of(Duration work, Duration interval = 30s, Duration submit = 0s) {
  return job(submit, 1, work).checkpoints(interval);
}

constexpr Int128 kQuarter = kWholePipe / 4;

}  // namespace

TEST_CASE("two that write at once take twice as long") {
  // 30 of work, 20 to write, and so on: three times, and 10 more. Alone it would be 10 to write.
  Workload w = workload({job_of(100s), job_of(100s)});
  const OutagePlan plan = with_storage({}, w, {10s});
  const Held h = run(2, w, plan);
  CHECK(h.end("a") == 160s);
  CHECK(h.end("b") == 160s);
  CHECK(h.gpu_s(GpuClass::checkpoint) == 2 * 60);
  Workload one = workload({job_of(100s)});
  const OutagePlan alone = with_storage({}, one, {10s});
  CHECK(run(2, one, alone).end("a") == 130s);
}

TEST_CASE("who comes later slows down who writes already") {
  // a begins at 30 and has half of it at 35, when b begins. a: 10 more at half the rate. b: 5 by then, and 5
  // alone. Then a has 10 of work, and so has b.
  Workload w = workload({job_of(40s), job_of(40s, 30s, 5s)});
  const OutagePlan plan = with_storage({}, w, {10s});
  const Held h = run(2, w, plan);
  CHECK(h.end("a") == 45s + 10s);
  CHECK(h.end("b") == 50s + 10s);
}

TEST_CASE("who is bounded by its own nodes leaves the rest to the others") {
  // a gets a quarter of the storage at most, and so much it gets: 30 to 40. b has the other three quarters
  // until then, 7.5 of its 10, and the last 2.5 alone.
  Workload w = workload({job_of(50s), job_of(50s)});
  const OutagePlan plan = with_storage({}, w, {10s}, Writes::blocking, {kQuarter, kWholePipe});
  const Held h = run(2, w, plan);
  CHECK(h.end("a") == 40s + 20s);
  CHECK(h.end("b") == 42500ms + 20s);
}

TEST_CASE("four such have room beside each other, and a fifth has not") {
  for (const auto& [jobs, end] : {std::pair<std::size_t, Duration>{4, 60s}, {5, 62500ms}}) {
    Workload w = workload(std::vector<TestJob>(jobs, job_of(50s)));
    const OutagePlan plan = with_storage({}, w, {10s}, Writes::blocking, {kQuarter});
    const Held h = run(5, w, plan);
    for (std::size_t i = 0; i < jobs; ++i)
      CHECK(h.end(std::string(1, static_cast<char>('a' + i))) == end);
  }
}

TEST_CASE("a checkpoint whose node fails while it is written is lost, and the pipe is free") {
  // As in the case of who comes later, but a fails at 40, with three quarters of it written; b has 2.5 of its
  // own by then, and 7.5 alone.
  Workload w = workload({job_of(40s), job_of(40s, 30s, 5s)});
  const OutagePlan plan = with_storage(plan_of({down({0}, 40s, 100s)}), w, {10s});
  const Held h = run(2, w, plan);
  CHECK(h.end("b") == 47500ms + 10s);
  CHECK(h.gpu_s(GpuClass::lost) == 30);
  // a goes on with b's node at 57.5, has nothing to read from, and reads it all the same: 10, 40 and 10.
  CHECK(h.end("a") == 57500ms + 60s);
}

TEST_CASE("a rack that fails: all of its jobs read at once when it is back") {
  // Four write together, 30 to 70, and have worked for 20 s since when they fail at 90. From 120 they read for
  // 40; 70 of work are left, with two checkpoints of 40: 160 + 30 + 40 + 30 + 40 + 10.
  Workload w = workload(std::vector<TestJob>(4, job_of(100s)));
  const OutagePlan plan = with_storage(plan_of({down({0, 1, 2, 3}, 90s, 120s)}), w, {10s});
  const Held h = run(4, w, plan);
  for (const char* j : {"a", "b", "c", "d"}) CHECK(h.end(j) == 310s);
  CHECK(h.gpu_s(GpuClass::lost) == 4 * 20);
  CHECK(h.gpu_s(GpuClass::starting) == 4 * 40);
  CHECK(h.gpu_s(GpuClass::checkpoint) == 4 * 120);
  Workload one = workload({job_of(100s)});
  const OutagePlan alone = with_storage(plan_of({down({0, 1, 2, 3}, 90s, 120s)}), one, {10s});
  CHECK(run(4, one, alone).end("a") == 130s + 30s + 10s + 10s);
}

TEST_CASE("what a restart costs besides comes before the reading") {
  // 5 s of its own, then 10 to read, and nothing was saved.
  Workload w = workload({job_of(20s).checkpoints(30s, 5s)});
  const OutagePlan plan = with_storage(plan_of({down({0}, 10s, 50s)}), w, {10s});
  CHECK(run(1, w, plan).end("a") == 50s + 15s + 20s);
  // Beside one that writes from 60 to 70 it has half of it from 55 + 5: 5 alone, and 10 for the other 5.
  Workload two = workload({job_of(20s).checkpoints(30s, 5s), job_of(90s, 60s)});
  const OutagePlan both = with_storage(plan_of({down({0}, 10s, 50s)}), two, {10s});
  const Held h = run(2, two, both);
  CHECK(h.end("a") == 70s + 20s);
  // b: 5 of its 10 by 70, and the rest alone.
  CHECK(h.end("b") == 75s + 30s);
}

TEST_CASE(
    "checkpoints in the background slow each other down, and whoever ends frees the storage") {
  // Both are taken at 30, and would be there at 42 alone.
  for (const auto& [a_works, fails, kept] :
       {std::tuple{100s, 53s, 0s},
        {100s, 54s, 30s},
        // a ends at 35, with 2.5 of b's 12 written: there at 44.5.
        {35s, 44s, 0s},
        {35s, 45s, 30s}}) {
    INFO("a works for " << a_works.count() << " s, b fails at " << fails.count());
    Workload w = workload({job_of(a_works), job_of(100s)});
    const OutagePlan plan =
        with_storage(plan_of({down({1}, fails, 300s)}), w, {12s}, Writes::background);
    const Held h = run(2, w, plan);
    CHECK(h.gpu_s(GpuClass::lost) == (fails - kept) / 1s);
    CHECK(h.gpu_s(GpuClass::checkpoint) == 0);
  }
}

TEST_CASE("the next one in the background begins no earlier than the one before is there") {
  // Taken at 20, there at 50: that is when the second is taken, and not at 40. It is there at 80.
  for (const auto& [fails, kept] : {std::pair{79s, 20s}, {80s, 50s}}) {
    Workload w = workload({job_of(200s, 20s), job_of(200s, 20s)});
    const OutagePlan plan =
        with_storage(plan_of({down({1}, fails, 500s)}), w, {15s}, Writes::background);
    CHECK(run(2, w, plan).gpu_s(GpuClass::lost) == (fails - kept) / 1s);
  }
}

TEST_CASE(
    "a job that stops for a moment first stops when the one before will be there after that") {
  // 30 of work, 5 of stop, and both write from 35 to 75. They stop again at 70, after 65 of work, for a second one
  // that is there at 115.
  for (const auto& [fails, kept] : {std::pair{114s, 30s}, {115s, 65s}}) {
    Workload w = workload({job_of(200s), job_of(200s)});
    const OutagePlan plan =
        with_storage(plan_of({down({1}, fails, 500s)}), w, {20s}, Writes::background);
    w.checkpoint_cost.assign(w.size(), 5s);
    const Held h = run(2, w, plan);
    const Duration stopped = fails - 100s;  // 5, 5, and for the third one since 110
    CHECK(h.gpu_s(GpuClass::lost) == (fails - stopped - kept) / 1s);
  }
}

TEST_CASE(
    "who meant to stop later stops at once when the one before is there sooner than it seemed") {
  // Both write from 15 on and would be through at 35, so that each stops again at 30. b ends at 29, when a has
  // 3 of its 10 left: there at 32, so a stops from 29 to 34. It has worked for 24 and works until 40.
  Workload w = workload({job_of(30s, 10s), job_of(24s, 10s)});
  const OutagePlan plan = with_storage({}, w, {10s}, Writes::background);
  w.checkpoint_cost.assign(w.size(), 5s);
  const Held h = run(2, w, plan);
  CHECK(h.end("b") == 29s);
  CHECK(h.end("a") == 40s);
  CHECK(h.gpu_s(GpuClass::checkpoint) == 5 + 2 * 5);
}

TEST_CASE("a window that closes while jobs write knows how long they did") {
  Workload w = workload({job_of(100s), job_of(100s)});
  const OutagePlan plan = with_storage({}, w, {10s});
  EngineOptions options;
  options.horizon = 95s;  // 30, 20, 30, and 15 of 20
  const Held h = run(2, w, plan, options);
  CHECK(h.gpu_s(GpuClass::checkpoint) == 2 * 35);
  CHECK(h.gpu_s(GpuClass::run_compute) == 2 * 60);
}

TEST_CASE("who may save itself before it goes knows how fast the storage is at that moment") {
  // Alone it takes 10 of its 15 s of grace. While b writes (30 to 50) it would take 20, and is not tried.
  for (const auto& [comes, saved] : {std::pair{20s, true}, {32s, false}}) {
    INFO("c comes at " << comes.count());
    Workload w = workload(
        {job_of(40s, 200s).grace(15s), job_of(100s).priority(2), job(comes, 1, 10s).priority(1)});
    OutagePlan plan = with_storage({}, w, {10s});
    plan.reaction.saves = true;
    const Held h = held(2, 1, "batch:order=priority,backfill=easy,preemption=requeue", w, plan);
    CHECK(h.verdict == "");
    CHECK(h.start("c") == (saved ? 30s : 47s));
    CHECK(h.gpu_s(GpuClass::lost) == (saved ? 0 : 47));
  }
}

TEST_CASE("one that is slowed down while it saves itself goes at the end of its grace time") {
  // It begins at 25 and would be through at 35. From 30 on b writes as well: 5 of 10 by then, 7.5 at 35, and
  // 9 at 38, when its grace time is over.
  Workload w = workload(
      {job_of(40s, 200s).grace(13s), job_of(100s).priority(2), job(25s, 1, 10s).priority(1)});
  OutagePlan plan = with_storage({}, w, {10s});
  plan.reaction.saves = true;
  const Held h = held(2, 1, "batch:order=priority,backfill=easy,preemption=requeue", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.start("c") == 38s);
  CHECK(h.gpu_s(GpuClass::lost) == 38);
  // b: 4 of its 10 by 38, and 6 alone; 70 more with two checkpoints. a reads meanwhile, from 48 to 58.
  CHECK(h.end("b") == 44s + 30s + 10s + 30s + 10s + 10s);
}

TEST_CASE("what is never through is named") {
  Workload w = workload(std::vector<TestJob>(3, job_of(100s)));
  const OutagePlan plan =
      with_storage({}, w, {kLongest});  // a century each: 300 years, and the clock has 292
  const Held h = run(3, w, plan);
  CHECK(h.summary.stopped_early);
  const auto& said = h.summary.warnings;
  CHECK(std::count(
            said.begin(), said.end(),
            "storage: what these jobs read or write is not through before the clock ends: a b c") ==
        1);
}
