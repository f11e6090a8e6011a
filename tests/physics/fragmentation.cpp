// What free GPUs are good for.

#include "muster/policy/fragmentation.hpp"

#include "catch.hpp"
#include "muster/cluster/fit.hpp"
#include "muster/core/random.hpp"
#include "muster/engine/fragmentation.hpp"
#include "muster/io/fleet.hpp"
#include "support/jobs.hpp"
#include "support/leaves.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// A gang of so many GPUs that must be inside one domain of a level.
Demand gang(const Fleet& fleet, std::uint32_t gpus, Level level) {
  const Workload w = workload({job(0s, gpus, 1s).inside(level)});
  return resolve_all(w, fleet, {})[ShapeId{0}];
}

}  // namespace

TEST_CASE("the largest job by level is the largest that fits, on drawn clusters") {
  const Fleet fleet = load_fleet("12x4:h100/2/3");
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Stream random(seed, "test");
    Cluster cluster(fleet, true);
    for (std::uint32_t n = 0; n < 12; ++n)
      if (const GpuMask taken = random.below(3) == 0 ? 0 : random.below(16))
        cluster.take(std::vector<Slice>{{NodeId{n}, 1, taken}});
    const auto largest = fragmentation(cluster, {}).pools[0].largest;
    for (const Level level : {Level::node, Level::leaf, Level::pod, Level::fleet}) {
      std::uint32_t most = 0;
      for (std::uint32_t gpus = 1; gpus <= 48; ++gpus)
        if (fits(cluster, gang(fleet, gpus, level))) most = gpus;
      INFO("seed " << seed << " level " << name(level));
      CHECK(largest[static_cast<std::size_t>(level)] == most);
    }
  }
}

TEST_CASE("FGD's fragmentation by hand") {
  // Two nodes of two. One GPU of each is free. Half of the tasks want one GPU and can use both, half want
  // two and can use none.
  const Fleet fleet = load_fleet("2x2:h100");
  Cluster cluster(fleet, true);
  cluster.take(std::vector<Slice>{{NodeId{0}, 2, 0b10}});
  const Demand one = gang(fleet, 1, Level::fleet), two = gang(fleet, 2, Level::fleet);
  CHECK(fragmentation(cluster, {{&one, 5}, {&two, 5}}).pools[0].fragmented_milli == Approx(1000));
  CHECK(fragmentation(cluster, {{&one, 1}}).pools[0].fragmented_milli == 0);
  CHECK(fragmentation(cluster, {{&two, 1}}).pools[0].fragmented_milli == Approx(2000));
  CHECK(fragmentation(cluster, {{&one, 1}}).pools[0].free_milli == 2000);
}

TEST_CASE("over a run: at each moment as the last thing that happened has left it") {
  const Fleet fleet = load_fleet("2x4:h100");
  const auto p = policy("easy");
  const Workload w = workload({job(0s, 4, 100s), job(50s, 2, 100s), job(70s, 8, 10s)});
  const auto early =
      fragmentation_over_time(fleet, workload({job(30s, 4, 100s)}), *p, {}, kStart, {});
  CHECK(early[0].free.pools[0].free_milli == 8000);  // nobody is there yet
  CHECK(early[0].running == 0);
  const auto found = fragmentation_over_time(fleet, w, *p, {}, kStart + 60s, 40s);
  REQUIRE(found.size() == 3);  // 60, 100 and 140 s; all is over at 160
  CHECK(found[0].at == kStart + 60s);
  CHECK(found[0].running == 2);
  CHECK(found[0].waiting == 0);  // the third comes at 70
  CHECK(found[0].free.pools[0].free_milli == 2000);
  CHECK(found[0].free.pools[0].largest[0] == 2);
  CHECK(found[1].at == kStart + 100s);
  CHECK(found[1].free.pools[0].largest[0] == 4);
  CHECK(found[1].free.pools[0].largest[5] == 6);
  CHECK(found[1].waiting == 1);
  CHECK(found[2].at == kStart + 140s);
  CHECK(found[2].running == 1);
  CHECK(fragmentation_over_time(fleet, w, *p, {}, kStart + 60s, {}).size() == 1);
  CHECK(fragmentation_over_time(fleet, w, *p, {}, kStart + 160s, {})[0].free.pools[0].free_milli ==
        8000);
  CHECK(fragmentation_over_time(fleet, w, *p, {}, kStart + 161s, {}).empty());
}

TEST_CASE("what running jobs send at a moment, by level") {
  // a keeps node 0; b, on nodes 1 and 2 of two leaves, sends 400 GB/s out of each node for half of its time, and takes
  // 0.5 + 0.5 x 2 times as long, since its leaves let 200 through. d, in one leaf, is not held up.
  const Fleet fleet = leaves(8, 200);
  const auto p = policy("batch:placer=first");
  const Workload w =
      workload({job(0s, 8, 1000s), job(0s, 16, 150s), job(0s, 8, 1000s), job(0s, 16, 100s)});
  EngineOptions options;
  CHECK_FALSE(fragmentation_over_time(fleet, w, *p, options, kStart + 50s, {})[0].sends);
  options.cost.contention = true;
  options.cost.communication = 0.5;
  const auto found = fragmentation_over_time(fleet, w, *p, options, kStart + 50s, 100s);
  REQUIRE(found.size() > 1);
  REQUIRE(found[0].sends);
  CHECK(found[0].sends->nodes == Approx(2 * 0.5 * 400e9 / 1.5 + 2 * 0.5 * 400e9).epsilon(1e-5));
  CHECK(found[0].sends->leaves == Approx(2 * 0.5 * 400e9 / 1.5).epsilon(1e-5));
  CHECK(found[0].sends->pods == 0);
  CHECK(found[1].sends->nodes == Approx(2 * 0.5 * 400e9 / 1.5).epsilon(1e-5));  // d is gone
  CHECK(fragmentation_over_time(fleet, workload({job(0s, 8, 100s)}), *p, options, kStart, {})[0]
            .sends->nodes == 0);
}

TEST_CASE("in MIG mode: how many instances of each profile could be made") {
  const Fleet fleet = parse_fleet(
      R"({"name": "m", "groups": [{"count": 1, "gpus": 2, "gpu_type": "A100", "mig": true}]})",
      "test");
  const Cluster cluster(fleet, true);
  const auto pool = fragmentation(cluster, {}).pools[0];
  REQUIRE(pool.instances.size() == kMigProfiles.size());
  CHECK(pool.instances[0] == 14);                       // 1g
  CHECK(pool.instances[3] == 4);                        // 3g
  CHECK(pool.instances[4] == 2);                        // 4g
  CHECK(pool.instances[kMigProfiles.size() - 1] == 2);  // 7g
}
