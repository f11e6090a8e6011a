// Jobs that slow each other down while they run: what they have done is counted exactly, and their ends
// are planned anew.

#include "catch.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kOneGpu = Fleet::uniform(1, 1);

/// Ends in seconds, at an interference.
std::vector<double> ends(const std::vector<TestJob>& jobs, double interference,
                         const std::string& spec = "batch:skip=true") {
  const auto p = policy(spec);
  const Workload w = workload(jobs);
  EngineOptions options;
  options.speed.interference = interference;
  Timetable times(w.size());
  simulate(kOneGpu, w, *p, options, times);
  std::vector<double> all;
  for (std::uint32_t j = 0; j < w.size(); ++j) all.push_back(seconds(times.end[JobId{j}]));
  return all;
}

/// Notes in each pass when the running jobs are taken to end.
class Onlooker final : public Policy {
 public:
  std::vector<std::vector<double>> seen;
  std::optional<Rejection> refuse(const View&, JobId) override { return std::nullopt; }
  Explanation explain(const View&, JobId) override { return {}; }
  void decide(const View& view, Plan& plan) override {
    seen.emplace_back();
    view.running.each([&](const RunningJob& r) {
      seen.back().push_back(seconds(r.end));
      return true;
    });
    revised.push_back(view.revised);
    const Slice gpu{NodeId{0}, 1, 1};
    for (const JobId j : view.joined) plan.start(j, {&gpu, 1});
  }
  std::vector<bool> revised;
};

}  // namespace

TEST_CASE("shares of one GPU slow each other down while they are together") {
  const std::vector<TestJob> two{job(0s, 1, 100s).share(500), job(50s, 1, 40s).share(500)};
  // a does 50 s alone, 40 in the 50 s that b takes at 0.8, and 10 alone.
  CHECK(ends(two, 0.25) == std::vector<double>{110, 100});
  CHECK(ends(two, 0) == std::vector<double>{100, 90});
  // Three at 1 / 2 each.
  const std::vector<TestJob> three{job(0s, 1, 40s).share(300), job(0s, 1, 40s).share(300),
                                   job(0s, 1, 40s).share(300)};
  CHECK(ends(three, 0.5) == std::vector<double>{80, 80, 80});
  // A whole GPU has nobody beside it.
  CHECK(ends({job(0s, 1, 10s), job(0s, 1, 10s)}, 0.25) == std::vector<double>{10, 20});
}

TEST_CASE("a requeue falls back to the checkpoint, at the speeds that the job had until then") {
  // a works for 30 s alone and for 30 at half its speed until its checkpoint at 60 s: 45 of its 100 s. From
  // 80 s on b is beside it again.
  const auto a = job(0s, 1, 100s).share(500).checkpoints(60s);
  const auto b = job(30s, 1, 1000s).share(500);
  const auto c = job(70s, 1, 10s).priority(1);
  const auto e = ends({a, b, c}, 1, "batch:order=priority,preemption=requeue,skip=true");
  CHECK(e[2] == 80);
  CHECK(e[0] == 190);
}

TEST_CASE("a limit counts work at the speed it is done") {
  const auto a = job(0s, 1, 100s).share(500).limit(60s);
  CHECK(ends({a, job(20s, 1, 1000s).share(500)}, 1)[0] == 100);  // 20 s alone, 40 at half
}

TEST_CASE("policies see ends as they are by now, and are told that these have changed") {
  const Workload w = workload(
      {job(0s, 1, 100s).share(500), job(50s, 1, 40s).share(400), job(60s, 1, 1s).share(100)});
  EngineOptions options;
  options.speed.interference = 0.25;
  Onlooker p;
  Timetable times(w.size());
  simulate(kOneGpu, w, p, options, times);
  REQUIRE(p.seen.size() >= 3);
  CHECK(p.seen[0].empty());
  CHECK(p.seen[1] == std::vector<double>{100});         // at 50 s, before b starts
  CHECK(p.seen[2] == std::vector<double>{100, 112.5});  // at 60 s: both at 0.8
  CHECK(p.revised[1] == false);
  CHECK(p.revised[2] == true);
}
