// Storage that gives less for a while, or nothing.
#include "catch.hpp"
#include "muster/engine/disturbances.hpp"
#include "muster/topology/links.hpp"
#include "readers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// `options`, and that much is left of what the storage of fabric 0 gives, for a while.
EngineOptions worn(EngineOptions options, const Fleet& fleet, double left, Duration from,
                   Duration to) {
  auto plan = std::make_shared<Disturbances>();
  plan->links.push_back(
      {kStart + from, to == kUnlimited ? kNever : kStart + to, left, {Links(fleet).storage(0)}});
  options.disturbances = std::move(plan);
  return options;
}

}  // namespace

TEST_CASE(
    "storage that is worn for a while: who reads there waits, also alone, and catches nothing up") {
  // Of the 1 GB/s that it reads half is left from 40 to 100 s: these 60 s do 30, of which it waits 30. The other 30 s of
  // its work are done at 130. So it is without contention, which is about others.
  const Fleet fleet = fed(2, {1});
  for (const bool contention : {true, false}) {
    const Ran run = ran(fleet, workload({reads(0s, 100s), reads(0s, 100s, "quiet")}),
                        worn(with(readers(1), contention), fleet, 0.5, 40s, 100s));
    CHECK(run.ends[0] == Approx(130).epsilon(1e-6));
    CHECK(run.ends[1] == 100);
    CHECK(run.gpu_s(GpuClass::run_stall) == Approx(8 * 30).epsilon(1e-5));
    // Nothing is left: it stands still for these 60 s.
    const Ran gone = ran(fleet, workload({reads(0s, 100s), reads(0s, 100s, "quiet")}),
                         worn(with(readers(1), contention), fleet, 0, 40s, 100s));
    CHECK(gone.ends[0] == Approx(160).epsilon(1e-5));
    CHECK(gone.ends[1] == 100);
    CHECK(gone.gpu_s(GpuClass::run_stall) == Approx(8 * 60).epsilon(1e-4));
  }
}

TEST_CASE("storage that is worn: readers share what is left, others have theirs") {
  // Of 2 GB/s a quarter: two readers of 1 GB/s get 0.25 each, and take four times as long; without contention each
  // has the 0.5 for itself. The third reads in another fabric.
  const Fleet fleet = fed(2, {2, 1});
  const Workload w = workload({reads(0s, 100s), reads(0s, 100s), reads(0s, 100s)});
  const Ran both = ran(fleet, w, worn(with(readers(1)), fleet, 0.25, 0s, kUnlimited));
  CHECK(both.ends[0] == Approx(400).epsilon(1e-5));
  CHECK(both.ends[1] == Approx(400).epsilon(1e-5));
  CHECK(both.ends[2] == Approx(100).epsilon(1e-6));
  const Ran each = ran(fleet, w, worn(with(readers(1), false), fleet, 0.25, 0s, kUnlimited));
  CHECK(each.ends[0] == Approx(200).epsilon(1e-5));
  CHECK(each.ends[2] == 100);
  // What is left is enough.
  const Ran enough = ran(fed(2, {8}), workload({reads(0s, 100s), reads(0s, 100s)}),
                         worn(with(readers(1)), fed(2, {8}), 0.25, 0s, kUnlimited));
  CHECK(enough.ends[0] == Approx(100).epsilon(1e-6));
}

TEST_CASE("why --cost tells storage that is worn from those who read there") {
  // 0.5 of 1 GB/s is left, and job 1 gets a half of it: twice as long since it is worn, and twice that for the other.
  const Fleet fleet = fed(3, {1});
  const Workload w = workload({reads(0s, 100s), reads(0s, 100s)});
  const auto now = terms(fleet, w, worn(with(readers(1)), fleet, 0.5, 0s, kUnlimited));
  CHECK(now.at("worn storage").units == Approx(1));
  CHECK(now.at("worn storage").because ==
        "the storage of A gives 0.5 GB/s of the 1 GB/s that it was built for");
  CHECK(now.at("readers").units == Approx(2));
  CHECK_FALSE(terms(fleet, w, with(readers(1))).contains("worn storage"));
}

TEST_CASE("the price of a place whose storage is worn") {
  // A quarter of 4 GB/s is enough for one reader; the next has as much, and both take twice as long.
  const Fleet fleet = fed(3, {4});
  CostOptions cost;
  cost.trainings = readers(1);
  cost.contention = GENERATE(true, false);
  const Workload w = workload({reads(0s, 100s), reads(0s, 100s)});
  Demand asks = resolve_all(w, fleet, {})[w.shape[JobId{0}]];
  asks.model = w.model[JobId{0}];
  Told told(w, fleet, cost);
  told.came(0, std::vector<Slice>{nodes(0, 1)});
  told.links({Links(fleet).storage(0)}, 0.25);
  CHECK(told.of(0).millionths == 1'000'000);
  const auto beside = told.price(asks, {nodes(1, 1)});
  CHECK(beside.alone == Approx(1));
  CHECK(beside.own == Approx(cost.contention ? 2 : 1));
  CHECK(beside.others == Approx(cost.contention ? 4 : 0).margin(1e-9));
  told.links({Links(fleet).storage(0)}, 0.125);
  CHECK(told.of(0).millionths == 500'000);
  CHECK(told.price(asks, {nodes(1, 1)}).alone == Approx(2));
}
