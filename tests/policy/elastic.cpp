// Jobs that grow and shrink while they run: who gets how many GPUs, and when.

#include "catch.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kFive = Fleet::uniform(5, 1);
const Fleet kFour = Fleet::uniform(4, 1);

/// Notes how many GPUs each job has from when on: "0:5 10:4".
class SizesOverTime final : public Observer {
 public:
  explicit SizesOverTime(std::size_t jobs) : texts_(jobs) {}
  void on(const Record& r) override {
    if (r.what != Record::What::start && r.what != Record::What::reshape) return;
    std::string& text = texts_[r.job.value];
    text += (text.empty() ? "" : " ") + std::to_string(r.at.time_since_epoch() / 1s) + ":" +
            std::to_string(gpus_in(r.placement));
  }
  std::string of(std::uint32_t j) const { return texts_[j]; }

 private:
  std::vector<std::string> texts_;
};

struct Sizes {
  std::vector<std::string> of;
  std::vector<std::int64_t> end;  // s
  RunSummary run;
};

Sizes sizes(const std::string& spec, const std::vector<TestJob>& jobs, const Fleet& fleet,
            const EngineOptions& options = {}) {
  const auto p = policy(spec);
  const Workload w = prepared(workload(jobs), *p);
  SizesOverTime over_time(w.size());
  Timetable times(w.size());
  Listeners both({&over_time, &times});
  Sizes s;
  s.run = simulate(fleet, w, *p, options, both);
  for (std::uint32_t j = 0; j < w.size(); ++j) {
    s.of.push_back(over_time.of(j));
    s.end.push_back(times.end[JobId{j}] == kNever ? -1
                                                  : times.end[JobId{j}].time_since_epoch() / 1s);
  }
  return s;
}

}  // namespace

TEST_CASE("edl: jobs do not rob each other") {
  // a has 90 GPU-seconds of work and b 60: a makes room for b at its least size, and b grows when a is
  // gone.
  CHECK(
      schedule("elastic", {job(0s, 1, 90s).elastic(1, 5), job(10s, 1, 60s).elastic(1, 5)}, kFive) ==
      R"(
|aab|
|aab|
|aab|
|aab|
|abb|
)");
}

TEST_CASE("edl: a rigid job is let in by those that have most above their least") {
  // a 2..4, b 1..4: each has 3, a is at a half, b at two thirds; c takes one from b, and then one from a.
  const auto s = sizes("elastic",
                       {job(0s, 2, 400s).elastic(2, 4), job(0s, 1, 400s).elastic(1, 4),
                        job(10s, 2, 10s), job(10s, 1, 10s)},
                       Fleet::uniform(6, 1));
  CHECK(s.of[0].rfind("0:3 10:2 20:3", 0) == 0);
  CHECK(s.of[1].rfind("0:3 10:1 20:3", 0) == 0);
  CHECK(s.of[2] == "10:2");
  CHECK(s.of[3] == "10:1");
}

TEST_CASE("edl: nobody is taken below its least, and whoever can't be let in holds up the rest") {
  const std::vector<TestJob> jobs{job(0s, 3, 20s).elastic(3, 4), job(1s, 2, 10s), job(2s, 1, 10s)};
  CHECK(sizes("elastic", jobs, kFour).of == std::vector<std::string>{"0:4", "15:2", "15:1"});
  CHECK(sizes("elastic:skip=true", jobs, kFour).of ==
        std::vector<std::string>{"0:4 2:3 12:4", "17:2", "2:1"});
}

TEST_CASE("a resize costs, and is not repeated within the cooldown") {
  const std::vector<TestJob> jobs{job(0s, 1, 90s).elastic(1, 5), job(10s, 1, 60s).elastic(1, 5)};
  // a: 50 done, 5 s of restart, 40 at 4 GPUs; b: 10 s at 1 GPU and 5 s, then a restart and 45 at 5.
  const auto paid = sizes("elastic:resize_cost=5s", jobs, kFive);
  CHECK(paid.of == std::vector<std::string>{"0:5 10:4", "10:1 25:5"});
  CHECK(paid.end == std::vector<std::int64_t>{25, 39});
  const auto calm = sizes("elastic:cooldown=15s", jobs, kFive);
  CHECK(calm.of == std::vector<std::string>{"0:5 15:4", "15:1 30:5"});
  const auto rounds = sizes("elastic:interval=30s", jobs, kFive);
  CHECK(rounds.of == std::vector<std::string>{"0:5", "18:5"});
}

TEST_CASE("user: all of a wish or none, and never a gap") {
  const std::vector<TestJob> jobs{job(0s, 4, 35s).queue("q").wants(10s, 8).wants(20s, 6),
                                  job(12s, 2, 3s).queue("q")};
  const auto s = sizes("elastic:sizes=user,caps={\"q\": 6}", jobs, Fleet::uniform(1, 8));
  CHECK(s.of == std::vector<std::string>{"0:4 20:6", "12:2"});
  CHECK(s.end == std::vector<std::int64_t>{30, 15});
  REQUIRE(s.run.warnings.size() == 1);
  CHECK(
      s.run.warnings[0] ==
      "resize_exceeds_queue_cap: at 10 s job a asks for 8 GPUs, queue q may use 6: it keeps its 4");
  // Without a cap it gets them when it asks, or when they are free.
  CHECK(sizes("elastic:sizes=user", jobs, Fleet::uniform(1, 8)).of ==
        std::vector<std::string>{"0:4 10:8 20:6", "20:2"});
  const std::vector<TestJob> late{job(0s, 2, 40s).wants(10s, 4), job(0s, 2, 20s)};
  CHECK(sizes("elastic:sizes=user", late, kFour).of == std::vector<std::string>{"0:2 20:4", "0:2"});
}

TEST_CASE("optimus: the GPU goes where it saves most time") {
  // 400 and 100 GPU-seconds. One each; then a gains 200 s by the next one and 67 s by the one after,
  // b 50 s.
  const auto s = sizes("elastic:sizes=optimus",
                       {job(0s, 1, 400s).elastic(1, 4), job(0s, 1, 100s).elastic(1, 4)}, kFour);
  CHECK(s.of[0] == "0:3 100:4");
  CHECK(s.of[1] == "0:1");
}

TEST_CASE("afs: the shorter job has more, but not what the other one can use much better") {
  const std::vector<TestJob> jobs{job(0s, 1, 400s).elastic(1, 4), job(0s, 1, 100s).elastic(1, 4)};
  // Linear: b (shorter) has one, and a second one since a's first is no better than that; then a has
  // one, and b another.
  const auto s = sizes("elastic:sizes=afs", jobs, kFour);
  CHECK(s.of[0] == "0:1 33:4");
  CHECK(s.of[1] == "0:3");
  // Where more GPUs are worth less, both have two.
  EngineOptions options;
  options.speedup = "amdahl";
  options.speed.serial = 0.3;
  const auto flat = sizes("elastic:sizes=afs", jobs, kFour, options);
  CHECK(flat.of[0].substr(0, 3) == "0:2");
  CHECK(flat.of[1] == "0:2");
}

TEST_CASE("afs: more jobs than GPUs, and the long one makes room") {
  const auto s =
      sizes("elastic:sizes=afs", {job(0s, 1, 100s).elastic(1, 2), job(10s, 1, 10s).elastic(1, 2)},
            Fleet::uniform(1, 1));
  CHECK(s.of[0] == "0:1 20:1");
  CHECK(s.of[1] == "10:1");
  CHECK(s.end == std::vector<std::int64_t>{110, 20});
}

TEST_CASE("nobody shrinks for a job that finds no place") {
  // Two nodes of four; with 3 GPUs held on each; b could give two. By number there would be room for c's four on one node.
  const auto s = sizes("elastic:span=whole_nodes",
                       {job(0s, 3, 60s), job(0s, 3, 90s).elastic(1, 3), job(5s, 4, 10s)},
                       Fleet::uniform(2, 4));
  CHECK(s.of[1] == "0:3");
  CHECK(s.of[2] == "60:4");
}

TEST_CASE("an elastic job is rejected only if its least size can't be had") {
  const auto s = sizes(
      "elastic", {job(0s, 8, 10s).elastic(2, 16), job(0s, 8, 10s).elastic(5, 16), job(0s, 8, 10s)},
      kFour);
  CHECK(s.of == std::vector<std::string>{"0:4", "", ""});
  REQUIRE(s.run.rejections.size() == 2);
  CHECK(s.run.rejections[0].text == "job b needs 5 GPUs, the whole fleet has 4 GPUs");
}
