// Placement evaluations a second, one core, nobody else on the network:
//
//   ./dev bench cost
//
// An evaluation is a placement (slices) to the time of a collective; a step is a plan that is placed
// once, and its time. The answers are checked.

#include <benchmark/benchmark.h>

#include <cstdlib>

#include "muster/cost/collective.hpp"
#include "muster/cost/step.hpp"
#include "muster/io/calibration.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/model.hpp"

namespace {

using namespace muster;

const Calibration& published() {
  static const Calibration calibration = load_calibration("published");
  return calibration;
}
const Fleet& fleet() {
  static const Fleet h100 = load_fleet("1024x8:h100/32/8");
  return h100;
}
const CostMap& map() {
  static const CostMap all(fleet(), published());
  return all;
}

void check(bool right) {
  if (!right) std::abort();
}

/// Of so many whole nodes.
void placement(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const std::vector<Slice> slices{{NodeId{0}, nodes, 0xff}};
  double sum = 0;
  for (auto _ : state) {
    const GpuGroup group = map().group(slices);
    sum += collective_time(published(), group, Collective::all_reduce, 1e9).us();
  }
  check(sum > 0);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(placement)->Arg(1)->Arg(2)->Arg(16)->Arg(256);

/// A group that is known already.
void collective(benchmark::State& state) {
  const GpuGroup group = map().group(std::vector<Slice>{{NodeId{0}, 16, 0xff}});
  double bytes = 1e6, sum = 0;
  for (auto _ : state) {
    sum += collective_time(published(), group, Collective::all_reduce, bytes).us();
    bytes = bytes < 1e9 ? bytes * 1.01 : 1e6;
  }
  check(sum > 0);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(collective);

struct Training {
  ModelSpec model = load_model("llama3-70b");
  ParallelPlan plan = parse_plan("tp=8,pp=4,global_batch=256", model, 512, "plan");
  std::vector<Slice> slices{{NodeId{0}, 64, 0xff}};
  std::unique_ptr<Mapping> mapping = MappingRegistry::all().at("tp_innermost").make();
};

void plan_of_512_gpus(benchmark::State& state) {
  const Training t;
  for (auto _ : state) benchmark::DoNotOptimize(place(map(), t.slices, t.plan, *t.mapping));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plan_of_512_gpus);

void step_of_a_placed_plan(benchmark::State& state) {
  const Training t;
  const PlacedPlan placed = place(map(), t.slices, t.plan, *t.mapping);
  double sum = 0;
  for (auto _ : state) sum += step_time(published(), placed, t.model, t.plan).total_us();
  check(sum > 0);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(step_of_a_placed_plan);

}  // namespace

BENCHMARK_MAIN();
