// Schedules in rounds that one can look at: a row per node, a column per 10 s, a letter per job.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "muster/io/fleet.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kOne = Fleet::uniform(1, 1);

/// One node with one GPU of each of the types "fast" and "slow".
Fleet fast_and_slow(const std::string& shape = "1x1") {
  return load_fleet(shape + ":fast+" + shape + ":slow");
}

/// Jobs of model "deep" do on "slow" a quarter of what they do on "fast"; those of "flat" do the same.
Workload with_models(const std::vector<TestJob>& jobs) {
  Workload w = workload(jobs);
  const NameId fast = w.names.intern("fast"), slow = w.names.intern("slow");
  const NameId deep = w.names.intern("deep"), flat = w.names.intern("flat");
  w.throughputs.reference = fast;
  w.throughputs.set({deep, fast, 1}, 4);
  w.throughputs.set({deep, slow, 1}, 1);
  w.throughputs.set({flat, fast, 1}, 7);
  w.throughputs.set({flat, slow, 1}, 7);
  return w;
}

std::string picture(const std::string& spec, const Workload& w, const Fleet& fleet) {
  const auto p = policy(spec);
  Gantt gantt(w, fleet.nodes.size(), 10s);
  simulate(fleet, w, *p, {}, gantt);
  return gantt.text();
}

/// How often jobs were told to go.
std::size_t stops(const std::string& spec, const Workload& w, const Fleet& fleet) {
  class Stops final : public Observer {
   public:
    void on(const Record& r) override { count += r.what == Record::What::stop; }
    std::size_t count = 0;
  } all;
  simulate(fleet, w, *policy(spec), {}, all);
  return all.count;
}

}  // namespace

TEST_CASE("rounds: who is furthest behind its part has the next round") {
  CHECK(schedule("rounds:round=20s", {job(0s, 1, 40s), job(0s, 1, 40s)}, kOne) == R"(
|aabbaabb|
)");
  SECTION("by weight") {
    // a: 3/4 of the time. After the first two rounds a has had 20 s of 45 s by the end of the third, b
    // 20 s of 15 s; then 40 s of 60 s against 20 s of 20 s.
    CHECK(schedule("rounds:round=20s,weights={\"x\": 3}",
                   {job(0s, 1, 60s).queue("x"), job(0s, 1, 40s)}, kOne) == R"(
|aabbaaaabb|
)");
  }
}

TEST_CASE("rounds: begin at multiples of their length, whoever comes when") {
  CHECK(schedule("rounds:round=60s", {job(10s, 1, 20s)}, kOne) == R"(
|......aa|
)");
  CHECK(schedule("rounds:round=60s", {job(0s, 1, 90s), job(0s, 1, 30s)}, kOne) == R"(
|aaaaaabbb...aaa|
)");
}

TEST_CASE("rounds: with fifo the first keeps its GPUs, and what it leaves inside a round is idle") {
  const std::vector<TestJob> jobs{job(0s, 1, 90s), job(0s, 1, 30s)};
  CHECK(schedule("rounds:objective=fifo,round=60s", jobs, kOne) == R"(
|aaaaaaaaa...bbb|
)");
  CHECK(stops("rounds:objective=fifo,round=10s,restart_cost=5s", workload(jobs), kOne) == 0);
}

TEST_CASE("rounds: each job where it loses least") {
  const Workload w = with_models({job(0s, 1, 40s).model("flat"), job(0s, 1, 40s).model("deep")});
  CHECK(picture("rounds:objective=fifo,round=20s", w, fast_and_slow()) == R"(
|bbbb|
|aaaa|
)");
  SECTION("who does not know the speeds sees no reason to change anything") {
    CHECK(picture("rounds:objective=fifo,round=20s,aware=false", w, fast_and_slow()) == R"(
|aaaa............|
|bbbbbbbbbbbbbbbb|
)");
  }
}

TEST_CASE("rounds: work goes on at another speed on another type, and a move is paid for") {
  // b has the slow GPU until a ends at 40 s: 10 s of its work are done. The other 30 s follow on the fast
  // one, after the restart.
  const Workload w = with_models({job(0s, 1, 40s).model("deep"), job(0s, 1, 40s).model("deep")});
  CHECK(picture("rounds:objective=fifo,round=20s", w, fast_and_slow()) == R"(
|aaaabbb|
|bbbb...|
)");
  CHECK(picture("rounds:objective=fifo,round=20s,restart_cost=10s", w, fast_and_slow()) == R"(
|aaaabbbb|
|bbbb....|
)");
}

TEST_CASE("rounds: a job that pays for its restart is not stopped before it has done something") {
  const Workload w = workload({job(0s, 1, 40s), job(0s, 1, 40s)});
  // A restart takes a round and a half, so who has had one keeps its GPU for two.
  CHECK(picture("rounds:round=20s,restart_cost=30s", w, kOne) == R"(
|aabbaaaabbbbaaaabbbb|
)");
}

TEST_CASE("rounds: a wide job finds room where narrow ones can be moved together") {
  const std::vector<TestJob> jobs{job(0s, 3, 20s), job(0s, 1, 90s), job(0s, 3, 20s),
                                  job(0s, 1, 90s), job(20s, 4, 20s)};
  // a and b on the first node, c and d on the second: b goes to d.
  CHECK(schedule("rounds:objective=fifo,round=20s", jobs, Fleet::uniform(2, 4)) == R"(
|**ee.....|
|*********|
)");
}

TEST_CASE("rounds: GPUs that the shares leave idle") {
  // Most work for the money is done on the slow type; on the fast one the other job would cost as much as 9.
  const Workload w = with_models({job(0s, 1, 20s).model("flat"), job(0s, 1, 20s).model("flat")});
  const std::string spec = "rounds:objective=cost,prices={\"fast\": 9},round=20s";
  CHECK(picture(spec, w, fast_and_slow()) == R"(
|bb|
|aa|
)");
  CHECK(picture(spec + ",fill=false", w, fast_and_slow()) == R"(
|....|
|aabb|
)");
}

TEST_CASE("rounds: who was chosen starts as soon as others are gone after their grace time") {
  const std::vector<TestJob> jobs{job(0s, 1, 40s).grace(10s), job(0s, 1, 40s)};
  CHECK(schedule("rounds:round=20s", jobs, kOne) == R"(
|aaabbbaab|
)");
}

TEST_CASE("rounds: a gang runs on one type, and is rejected where no type has as many") {
  const Fleet fleet = fast_and_slow("2x4");
  const auto p = policy("rounds:round=20s");
  const Workload w = workload({job(0s, 8, 20s), job(0s, 9, 20s)});
  Timetable times(w.size());
  const RunSummary s = simulate(fleet, w, *p, {}, times);
  REQUIRE(s.rejections.size() == 1);
  CHECK(s.rejections[0].code == "exceeds_gpu_type");
  CHECK(
      s.rejections[0].text ==
      "job b needs 9 GPUs (2 whole nodes and 1 GPU on one more) of one type, and there are not so "
      "many of any");
}

TEST_CASE("rounds: why a job waits") {
  const Workload w = workload({job(0s, 1, 90s), job(0s, 1, 90s)});
  const auto p = policy("rounds:round=60s");
  const WhyReport said = why(kOne, w, *p, {}, JobId{1}, kStart + 30s);
  CHECK(said.at.text ==
        "needs 1 GPU; 0 GPUs are free; its part by objective las is 50 % of the time on the GPUs "
        "(has had 0 s of 0 s); 1 job has GPUs in this round");
  CHECK(said.at.remedy == "the next round begins at 60 s");
}

TEST_CASE("rounds: parameters that make no sense are refused") {
  CHECK(refusal("rounds:round=0") ==
        "test: /round: expected a second or more\n    for example round=6min");
  CHECK(refusal("rounds:weights={\"q\": 0}") == "test: /weights/q: expected a number above 0");
}

TEST_CASE("types of GPUs: jobs on a slow one do not take turns for ever by rank") {
  const Workload w = with_models({job(0s, 1, 40s).model("deep"), job(0s, 1, 50s).model("deep"),
                                  job(0s, 1, 45s).model("deep")});
  CHECK(picture("ranked:rank=srtf", w, fast_and_slow()) == R"(
|aaaabbbbb.........|
|cccccccccccccccccc|
)");
}
