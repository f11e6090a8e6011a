// Two jobs side by side on the same GPUs, and jobs that come together from several nodes.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "muster/metrics/books.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const std::string kBeside =
    "batch:skip=true,pack_capacity=100,pack_loads={\"small\": 50, \"mid\": 60}";
const Fleet kOneGpu = Fleet::uniform(1, 1);

TestJob small(Duration submit, std::uint32_t gpus, Duration duration) {
  return job(submit, gpus, duration).model("small");
}

struct Kept final : JobSink {
  void take(const JobLine& line) override {
    ends[line.job.value] = seconds(line.end);
    gpu_seconds[line.job.value] = to_double(line.gpu_time.kept);
  }
  static double to_double(Int128 time) { return static_cast<double>(time) / 1e12; }
  std::map<std::uint32_t, double> ends, gpu_seconds;
};

Kept ran(const std::string& spec, const std::vector<TestJob>& jobs, const Fleet& fleet,
         double interference = 0) {
  const auto p = policy(spec);
  const Workload w = workload(jobs);
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(w, fleet, p->cutting()))
    demands.push_back({d.total_milli(), d.pools});
  EngineOptions options;
  options.speed.interference = interference;
  Books books(fleet, w, demands);
  Kept kept;
  books.send_lines_to(kept);
  books.close(simulate(fleet, w, *p, options, books));
  return kept;
}

}  // namespace

TEST_CASE("two small jobs share a GPU and its hours") {
  Kept alone = ran(kBeside, {small(0s, 1, 100s), small(0s, 1, 40s)}, kOneGpu);
  CHECK(alone.ends == std::map<std::uint32_t, double>{{0, 100}, {1, 40}});
  // Side by side each has half of the GPU; from 40 s on the first has all of it.
  CHECK(alone.gpu_seconds == std::map<std::uint32_t, double>{{0, 80}, {1, 20}});
}

TEST_CASE("side by side they slow each other down, and nobody after one has left") {
  // At 1 / 1.5 until 60 s; then 60 s of work are left to the first.
  Kept both = ran(kBeside, {small(0s, 1, 100s), small(0s, 1, 40s)}, kOneGpu, 0.5);
  CHECK(both.ends[1] == Approx(60));
  CHECK(both.ends[0] == Approx(120));
  CHECK(both.gpu_seconds[0] == Approx(90));
}

TEST_CASE("why --cost says what a job that is packed beside another loses by it") {
  const Workload w = workload({small(0s, 1, 100s), small(0s, 1, 40s)});
  EngineOptions options;
  options.speed.interference = 0.5;
  const auto terms = [&](SimTime at) {
    return why_cost(kOneGpu, w, *policy(kBeside), options, JobId{0}, at).terms;
  };
  const auto beside = terms(SimTime{10s});
  REQUIRE(beside.size() == 2);
  CHECK(beside[0].units == 1);
  CHECK(beside[1].name == "shared GPUs");
  CHECK(beside[1].units == 0.5);
  CHECK(beside[1].because == "1 other job is on them, and all take turns (/engine/interference)");
  CHECK(terms(SimTime{80s}).empty());  // the other one is done
}

TEST_CASE("only those go together whose loads leave room, and who have as many GPUs on one node") {
  SECTION("too much in all") {
    CHECK(ran(kBeside, {small(0s, 1, 50s), small(0s, 1, 50s).model("mid")}, kOneGpu).ends[1] ==
          100);
  }
  SECTION("a model without a load") {
    CHECK(ran(kBeside, {small(0s, 1, 50s), job(0s, 1, 50s)}, kOneGpu).ends[1] == 100);
    CHECK(
        ran(kBeside + ",pack_default=10", {small(0s, 1, 50s), job(0s, 1, 50s)}, kOneGpu).ends[1] ==
        50);
  }
  SECTION("another size") {
    CHECK(ran(kBeside, {small(0s, 2, 50s), small(0s, 1, 50s)}, Fleet::uniform(1, 2)).ends[1] ==
          100);
  }
  SECTION("several nodes") {
    CHECK(ran(kBeside, {small(0s, 4, 50s), small(0s, 4, 50s)}, Fleet::uniform(2, 2)).ends[1] ==
          100);
    CHECK(ran(kBeside, {small(0s, 2, 50s), small(0s, 2, 50s)}, Fleet::uniform(1, 2)).ends[1] == 50);
  }
  SECTION("no third one") {
    CHECK(
        ran(kBeside, {small(0s, 1, 50s), small(0s, 1, 50s), small(0s, 1, 50s)}, kOneGpu).ends[2] ==
        100);
  }
  SECTION("who has a grace time") {
    CHECK(ran(kBeside, {small(0s, 1, 50s).grace(5s), small(0s, 1, 50s)}, kOneGpu).ends[1] == 100);
  }
  SECTION("one that runs for too long beside a short one") {
    const std::string ratio = kBeside + ",pack_ratio=2";
    CHECK(ran(ratio, {small(0s, 1, 50s), small(0s, 1, 100s)}, kOneGpu).ends[1] == 100);
    CHECK(ran(ratio, {small(0s, 1, 50s), small(0s, 1, 101s)}, kOneGpu).ends[1] == 151);
  }
}

TEST_CASE("two to a GPU, however small, and nobody who takes time to go") {
  const std::string spec = "batch:skip=true,pack_capacity=100,pack_default=30";
  const std::vector<TestJob> three{job(0s, 1, 100s), job(0s, 1, 40s), job(0s, 1, 20s)};
  const Kept three_ran = ran(spec, three, kOneGpu);
  CHECK(three_ran.ends.at(1) == Approx(40));
  CHECK(three_ran.ends.at(2) == Approx(60));  // beside a, once b has gone
  for (const std::uint32_t who : {0U, 1U}) {
    std::vector<TestJob> two{job(0s, 1, 100s), job(0s, 1, 40s)};
    two[who].grace(10s);
    CHECK(ran(spec, two, kOneGpu).ends.at(1) == Approx(140));
  }
}

TEST_CASE("nobody is packed where there is a place") {
  CHECK(schedule(kBeside, {small(0s, 1, 20s), small(0s, 1, 20s)}, Fleet::uniform(2, 1)) == R"(
|aa|
|bb|
)");
}

TEST_CASE("what can't be meant with packing is refused") {
  CHECK(refusal("batch:pack_capacity=1").find("goes with skip=true") != std::string::npos);
  CHECK(refusal(kBeside + ",preemption=requeue").find("requeue does not go with") !=
        std::string::npos);
  CHECK(refusal("ranked:pack_capacity=1,preemption=requeue").find("requeue does not go with") !=
        std::string::npos);
  CHECK(refusal("ranked:migrate=true").find("goes with span=any") != std::string::npos);
}

TEST_CASE("ranked: two that get less done side by side than by turns are parted for good") {
  const std::string slices =
      "ranked:rank=round_robin,quantum=60s,pack_capacity=100,pack_loads={\"small\": 50}";
  const std::vector<TestJob> jobs{small(0s, 1, 120s), small(0s, 1, 120s)};
  SECTION("0.4 of the speed each") {
    // 24 s of work by 60 s, then turns of a minute: the first ends in its third one.
    Kept parted = ran(slices, jobs, kOneGpu, 1.5);
    CHECK(parted.ends[0] == Approx(216));
    CHECK(parted.ends[1] == Approx(252));
  }
  SECTION("0.8 of the speed each") {
    Kept together = ran(slices, jobs, kOneGpu, 0.25);
    CHECK(together.ends[0] == Approx(150));
    CHECK(together.ends[1] == Approx(150));
  }
}

TEST_CASE("ranked: once nobody waits, who runs beside somebody moves to free GPUs") {
  CHECK(schedule("ranked:rank=fifo,pack_capacity=100,pack_loads={\"small\": 50},move_cost=10s",
                 {job(0s, 1, 30s), small(0s, 1, 100s), small(1s, 1, 50s)},
                 Fleet::uniform(2, 1)) == R"(
|aaacccc...|
|b**bbbbbbb|
)");
}

TEST_CASE("ranked: a job that had to spread moves together when there is room") {
  // c finds one GPU on either node. b has gone at 30 s: c moves to its node, and pays for it.
  CHECK(schedule("ranked:rank=fifo,span=any,migrate=true,move_cost=10s,placer=spread",
                 {job(0s, 1, 90s), job(0s, 1, 30s), job(0s, 2, 40s)}, Fleet::uniform(2, 2)) == R"(
|***aaaaaa|
|***cc....|
)");
}

TEST_CASE("a load for a model that nobody trains is named") {
  const Fleet fleet = Fleet::uniform(1, 1);
  Observer nobody;
  for (const char* spec : {"batch:skip=true,pack_capacity=1,pack_loads={\"small\": 1, \"smal\": 1}",
                           "ranked:pack_capacity=1,pack_loads={\"small\": 1, \"smal\": 1}"}) {
    const auto p = policy(spec);
    const RunSummary run =
        simulate(fleet, workload({small(0s, 1, 10s), small(0s, 1, 10s)}), *p, {}, nobody);
    CHECK(run.warnings ==
          std::vector<std::string>{"pack_loads: no job of the trace is of model \"smal\""});
  }
}
