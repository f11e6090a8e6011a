#include "muster/metrics/books.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "muster/metrics/text.hpp"
#include "unit/ledger/world.hpp"

using namespace muster;
using namespace muster::test;

namespace {

class Lines final : public JobSink {
 public:
  void take(const JobLine& line) override { all.push_back(line); }
  const JobLine& of(JobId j) const {
    for (const JobLine& line : all)
      if (line.job == j) return line;
    throw std::runtime_error("no line");
  }
  std::vector<JobLine> all;
};

RunSummary until(Duration end) {
  RunSummary run;
  run.fingerprint = 0x1234;
  run.end = at(end);
  return run;
}

/// A row per column of the series, a digit per second: GPUs, or jobs.
std::string drawn(const Series& series) {
  const std::pair<const char*, std::size_t> rows[] = {
      {"held     ", Series::held},
      {"too few  ", Series::idle + static_cast<std::size_t>(GpuClass::idle_too_few) - kFirstIdle},
      {"nobody's ", Series::idle + static_cast<std::size_t>(GpuClass::idle_no_demand) - kFirstIdle},
      {"wanted   ", Series::wanted},
      {"running  ", Series::running},
      {"waiting  ", Series::waiting}};
  std::string text = "\n";
  for (const auto& [name, column] : rows) {
    text += name + std::string{"|"};
    for (std::size_t i = 0; i < series.size(); ++i) {
      const bool jobs = column == Series::running || column == Series::waiting;
      text += to_decimal(series.row(i)[column], jobs ? 9 : 12);
    }
    text += "|\n";
  }
  return text;
}

std::string drawn(const Statistics& s) {
  return std::to_string(s.count) + ": " + to_decimal(s.mean, 9) + " " + to_decimal(s.p50, 9) + " " +
         to_decimal(s.max, 9);
}

}  // namespace

TEST_CASE("a run, its series, its lines and its metrics") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.job(4000, 3s, ~PoolMask{0}, "ann", "prod");
  const JobId b = world.job(8000, 2s, ~PoolMask{0}, "bob", "test");
  const JobId c = world.job(4000, 2s, ~PoolMask{0}, "ann", "test");
  const JobId wide = world.job(64000, 9s, ~PoolMask{0}, "eve", "test");
  Books books{world.fleet, world.jobs, world.demands};
  Lines lines;
  books.send_lines_to(lines);
  Feed feed{world, books};
  feed.submit(0s, a).start(0s, a).decide(0s);
  feed.submit(1s, b).submit(1s, c).decide(1s, {{b, Cause::capacity}, {c, Cause::order}});
  feed.submit(2s, wide).reject(2s, wide).decide(2s);
  feed.end(3s, a).start(3s, b).decide(3s, {{c, Cause::capacity}});
  feed.end(5s, b).start(5s, c).decide(5s);
  feed.end(7s, c).decide(7s);
  RunSummary run = until(7s);
  run.rejections.push_back({wide, "exceeds_fleet", "job d needs 64 GPUs, the fleet has 8"});
  books.close(run);

  // 1-3: 4 free; c could have them (order, 4 GPUs) and stands before b.
  CHECK(drawn(books.series()) == R"(
held     |4448844|
too few  |0000000|
nobody's |4000044|
wanted   |012124400|
running  |1111111|
waiting  |0221100|
)");

  const Summary s = books.summary();
  CHECK(s.window() == 7s);
  CHECK(s.jobs == 4);
  CHECK(s.count(JobState::completed) == 3);
  CHECK(s.rejected == 1);
  CHECK(drawn(s.all.wait) == "3: 2 2 4");              // 0, 2, 4; the rejected one is left out
  CHECK(drawn(s.all.jct) == "3: 4.333333333 4 6");     // 3, 4, 6
  CHECK(drawn(s.all.bounded_slowdown) == "3: 1 1 1");  // all shorter than 10 s
  CHECK(total(s.gpu_time) == s.installed());
  CHECK(share(s.allocated(), s.available()) == Approx(36.0 / 56));
  CHECK(share(s.useful_gpu_time, s.available()) == Approx(36.0 / 56));
  CHECK(gpu_s(s.gpu_time, GpuClass::idle_policy) == 8);
  CHECK(s.wait_time[static_cast<std::size_t>(Cause::order)] == 2'000'000'000);
  CHECK(s.wait_time[static_cast<std::size_t>(Cause::capacity)] == 4'000'000'000);

  REQUIRE(s.by_size.size() == 3);
  CHECK(s.by_size[0].name == "2-4");
  CHECK(drawn(s.by_size[0].wait) == "2: 2 0 4");
  CHECK(s.by_size[1].name == "5-8");
  CHECK(s.by_size[2].name == "33-64");
  CHECK(s.by_size[2].jobs == 1);
  CHECK(s.by_size[2].wait.count == 0);
  REQUIRE(s.by_user.size() == 3);
  CHECK(s.by_user[0].name == "ann");  // 20 GPU-s, bob has 16
  CHECK(s.by_user[1].name == "bob");
  CHECK(s.by_queue[0].name == "test");
  CHECK(drawn(s.by_queue[0].jct) == "2: 5 4 6");

  REQUIRE(lines.all.size() == 4);
  CHECK(lines.all[0].job == wide);  // in the order of their ends
  CHECK(lines.of(wide).state == JobState::rejected);
  CHECK_FALSE(lines.of(wide).started());
  CHECK(lines.of(c).wait() == 4s);
  CHECK(lines.of(c).waits.in_all == 4s);
  CHECK(lines.of(b).gpu_time.kept == Int128{16} * 1'000'000'000'000);
}

TEST_CASE("a job that was stopped and one that is left over") {
  World world{Fleet::uniform(1, 8)};
  const JobId a = world.gpus(8), b = world.gpus(8), late = world.gpus(1), held = world.gpus(1);
  Books books{world.fleet, world.jobs, world.demands};
  Lines lines;
  books.send_lines_to(lines);
  Feed feed{world, books};
  world.jobs.submit[late] = at(1000s);
  feed.submit(0s, a).submit(0s, held, JobState::held).start(0s, a).decide(0s);
  feed.submit(10s, b).stop(10s, a, {.lost = 4s}).start(10s, b).decide(10s, {{a, Cause::order}});
  feed.end(40s, b).start(40s, a).decide(40s);
  feed.stop(45s, a, {.lost = 1s, .overhead = 2s, .lost_earlier = 1s}).decide(45s);
  feed.start(50s, a).decide(50s);
  books.close(until(60s));

  const JobLine& line = lines.of(a);
  CHECK(line.state == JobState::running);
  CHECK(line.end == kNever);
  CHECK(line.first_start == at(0s));
  CHECK(line.last_start == at(50s));
  CHECK(line.preemptions == 2);
  CHECK(line.kept == 17s);  // 6, less 1, and 2, and 10 so far
  CHECK(line.lost == 6s);
  CHECK(line.overhead == 2s);
  CHECK(line.run() == 25s);
  CHECK(line.waits.in_all == 35s);
  CHECK(line.gpu_time.held() == Int128{8 * 25} * 1'000'000'000'000);
  CHECK(lines.of(held).state == JobState::held);
  CHECK(lines.of(held).waits.by_cause[static_cast<std::size_t>(Cause::held)] == 60s);
  CHECK(lines.of(late).state == JobState::never_submitted);
  CHECK(lines.of(late).submit == at(1000s));

  const Summary s = books.summary();
  CHECK(s.count(JobState::never_submitted) == 1);
  CHECK(s.count(JobState::running) == 1);
  CHECK(s.preemptions == 2);
  CHECK(drawn(s.all.wait) == "2: 0 0 0");  // first starts; a has no turnaround yet
  CHECK(drawn(s.all.jct) == "1: 30 30 30");
  CHECK(gpu_s(s.gpu_time, GpuClass::run_compute) == 8 * (17 + 30));
  CHECK(s.useful_gpu_time == Int128{8 * 30} * 1'000'000'000'000);
}

TEST_CASE("a job that shrinks, moves, and is left over") {
  World world{Fleet::uniform(2, 4)};
  const JobId a = world.gpus(4);
  Books books{world.fleet, world.jobs, world.demands};
  Lines lines;
  books.send_lines_to(lines);
  Feed feed{world, books};
  const std::vector<Slice> all{{NodeId{0}, 1, 0b1111}}, half{{NodeId{0}, 1, 0b0011}},
      other{{NodeId{0}, 1, 0b0001}, {NodeId{1}, 1, 0b0100}};
  feed.submit(0s, a).start(0s, a).decide(0s);
  const auto reshape = [&](Duration t, const auto& before, const auto& after, Duration kept,
                           Duration overhead) {
    Record r{at(t), a, Record::What::reshape, JobState::running, after};
    r.before = before;
    r.kept = kept;
    r.overhead = overhead;
    books.on(r);
  };
  reshape(10s, all, half, 10s, 0s);
  reshape(16s, half, other, 4s, 2s);
  books.close(until(20s));
  const JobLine& line = lines.of(a);
  CHECK(line.kept == 18s);
  CHECK(line.overhead == 2s);
  CHECK(line.reshapes.resizes == 1);
  CHECK(line.reshapes.moves == 1);
  CHECK(line.reshapes.gpus_moved == 1);
  const Summary s = books.summary();
  CHECK(s.reshapes.resizes == 1);
  CHECK(gpu_s(s.gpu_time, GpuClass::run_compute) == 4 * 10 + 2 * 4 + 2 * 4);
  CHECK(gpu_s(s.gpu_time, GpuClass::starting) == 2 * 2);
  CHECK(gpu_s(s.gpu_time, GpuClass::idle_no_demand) == 4 * 10 + 6 * 10);
}

TEST_CASE("a killed job does no good") {
  // Case: J on 2 GPUs is killed at 3, K runs 3-7. Utilisation 1, goodput 8/14.
  World world{Fleet::uniform(2, 1)};
  const JobId j = world.gpus(2), k = world.gpus(2);
  Books books{world.fleet, world.jobs, world.demands};
  Feed feed{world, books};
  feed.submit(0s, j).submit(0s, k).start(0s, j).decide(0s, {{k, Cause::capacity}});
  feed.end(3s, j, JobState::timeout, {.lost = 3s}).start(3s, k).decide(3s);
  feed.end(7s, k).decide(7s);
  books.close(until(7s));
  const Summary s = books.summary();
  CHECK(share(s.allocated(), s.available()) == 1.0);
  CHECK(share(s.useful_gpu_time, s.available()) == Approx(8.0 / 14));
  CHECK(s.all.jct.count == 2);
}

TEST_CASE("the slowdown is bounded at 10 s and never below 1") {
  CHECK(bounded_slowdown(0s, 0s) == 1'000'000'000);
  CHECK(bounded_slowdown(9s, 1s) == 1'000'000'000);
  CHECK(bounded_slowdown(30s, 5s) == 3'000'000'000);
  CHECK(bounded_slowdown(300s, 200s) == 1'500'000'000);
  CHECK(bounded_slowdown(kLongest, 1ns) == 315'360'000'000'000'000);
}

TEST_CASE("size classes") {
  World world{Fleet::uniform(1, 8)};
  for (const std::int64_t milli : {500, 999, 1000, 2000, 4000, 5000, 8000, 9000, 16000, 17000,
                                   32000, 33000, 64000, 65000, 128000, 129000, 4096000})
    world.job(milli);
  Outcomes outcomes{world.jobs};
  for (std::uint32_t j = 0; j < world.jobs.size(); ++j) {
    JobLine line;
    line.job = JobId{j};
    line.state = JobState::completed;
    line.first_start = line.end = kStart;
    line.gpus_milli = world.demands[world.shape(JobId{j}).value].milli;
    outcomes.take(line);
  }
  std::string text;
  for (const Group& g : outcomes.by_size()) text += g.name + ":" + std::to_string(g.jobs) + " ";
  CHECK(text == "<1:2 1:1 2-4:2 5-8:2 9-16:2 17-32:2 33-64:2 65-128:2 >128:2 ");
  CHECK(outcomes.by_user(20).empty());  // nobody is named
}

TEST_CASE("users beyond the top are summed") {
  World world{Fleet::uniform(1, 8)};
  for (int i = 0; i < 30; ++i) world.job(1000, 1s, ~PoolMask{0}, "u" + std::to_string(i % 6));
  Outcomes outcomes{world.jobs};
  for (std::uint32_t j = 0; j < 30; ++j) {
    JobLine line;
    line.job = JobId{j};
    line.state = JobState::completed;
    line.first_start = kStart + Duration{j};
    line.end = line.first_start;
    line.gpu_time.kept = j % 6 == 4 ? 100 : 10 - j % 6;
    outcomes.take(line);
  }
  const std::vector<Group> users = outcomes.by_user(2);
  REQUIRE(users.size() == 3);
  CHECK(users[0].name == "u4");
  CHECK(users[1].name == "u0");
  CHECK(users[2].name == "(others)");
  CHECK(users[2].members == 4);
  CHECK(users[2].jobs == 20);
  CHECK(users[2].gpu_time == 5 * (9 + 8 + 7 + 5));
  CHECK(users[1].wait.max == 24);
  CHECK(users[2].wait.count == 20);
}

TEST_CASE("a summary on one screen") {
  World world{Fleet::uniform(2, 8)};
  world.fleet.name = "2x8";
  const JobId a = world.gpus(8), b = world.gpus(16), wide = world.gpus(64);
  Books books{world.fleet, world.jobs, world.demands};
  Feed feed{world, books};
  feed.submit(0s, a).submit(0s, b).start(0s, a).decide(0s, {{b, Cause::capacity}});
  feed.submit(60s, wide).reject(60s, wide);
  feed.end(3600s, a).start(3600s, b).decide(3600s).end(7200s, b).decide(7200s);
  RunSummary run = until(7200s);
  run.fingerprint = 0xfe53c4fd;
  run.rejections.push_back({wide, "exceeds_fleet", "job c needs 64 GPUs, the fleet has 16"});
  run.warnings.push_back("estimate_missing: 3 jobs");
  books.close(run);
  Summary s = books.summary();
  s.offered_load = 2.5;
  CHECK("\n" + summary_text(s) == R"(
3 jobs: 2 completed, 1 rejected
16 GPUs (2x8) for 2.0 h, offered load 250.0 %

GPUs          jobs wait mean  wait p50  wait p95  JCT mean   JCT p50   JCT p95
5-8              1       0 s       0 s       0 s  60.0 min  60.0 min  60.0 min
9-16             1  60.0 min  60.0 min  60.0 min     2.0 h     2.0 h     2.0 h
33-64            1         -         -         -         -         -         -
all              3  30.0 min       0 s  60.0 min  90.0 min  60.0 min     2.0 h

GPU time             share    GPU-hours
idle.too_few        25.0 %          8.0  ##########
run.compute         75.0 %         24.0  #############################

utilisation      75.0 % held by jobs, 75.0 % work kept, 75.0 % by jobs that completed (goodput)
waited for       capacity 100.0 % of 60.0 min in all
bounded slowdown mean 1.50, p95 2.00, max 2.00
fingerprint      00000000fe53c4fd
rejected: job c needs 64 GPUs, the fleet has 16
warning: estimate_missing: 3 jobs
)");
  CHECK(summary_text(books.summary(), {true, 80}).find("\x1b[") != std::string::npos);
}

TEST_CASE(
    "fairness is Jain's index of what users went through, or queues or jobs if nobody is named") {
  // Slowdowns of 1, 2 and 3: three jobs of 10 s, one after the other.
  const auto fairness = [](const std::array<const char*, 3>& users,
                           const std::array<const char*, 3>& queues = {"", "", ""}) {
    World world{Fleet::uniform(1, 8)};
    std::vector<JobId> jobs;
    for (std::size_t i = 0; i < users.size(); ++i)
      jobs.push_back(world.job(8000, 10s, ~PoolMask{0}, users[i], queues[i]));
    Books books{world.fleet, world.jobs, world.demands};
    Feed feed{world, books};
    for (const JobId j : jobs) feed.submit(0s, j);
    feed.start(0s, jobs[0]).decide(0s);
    feed.end(10s, jobs[0]).start(10s, jobs[1]).decide(10s);
    feed.end(20s, jobs[1]).start(20s, jobs[2]).decide(20s);
    feed.end(30s, jobs[2]).decide(30s);
    books.close(until(30s));
    return books.summary().fairness;
  };
  CHECK(fairness({"", "", ""}) == Approx(36.0 / (3 * 14)));
  CHECK(fairness({"ann", "bob", "ann"}) == Approx(1));  // two on average, both of them
  CHECK(fairness({"ann", "ann", "ann"}, {"a", "b", "b"}) == Approx(1));
  CHECK(fairness({"", "", ""}, {"a", "b", "b"}) == Approx(3.5 * 3.5 / (2 * (1 + 6.25))));
  CHECK(fairness({"ann", "bob", "bob"}) == Approx(3.5 * 3.5 / (2 * (1 + 6.25))));
  CHECK(Books{Fleet::uniform(1, 1), Workload{}, {}}.summary().fairness == 1);
}
