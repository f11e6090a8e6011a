// Jobs whose training is known get on at the speed of their step where they are.

#include "catch.hpp"
#include "fabric.hpp"
#include "muster/engine/why.hpp"
#include "muster/policy/job_steps.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kModel = "llama3-8b";
constexpr const char* kPlan = "tp=2,global_batch=16";

/// a keeps node 0, so that b has nodes 1 and 2, in two leaves.
Workload one_scattered() { return workload({job(0s, 8, 1000s), job(0s, 16, 100s).model("gpt")}); }
/// The same, and c on nodes 3 and 4: both go over the uplink of leaf 1.
Workload two_scattered() {
  return workload(
      {job(0s, 8, 1000s), job(0s, 16, 100s).model("gpt"), job(0s, 16, 100s).model("gpt")});
}

EngineOptions with(std::shared_ptr<Trainings> trainings, bool contention = false) {
  EngineOptions options;
  options.cost.trainings = std::move(trainings);
  options.cost.contention = contention;
  return options;
}

double communication(const StepTime& step) {
  return step[StepPart::tp] + step[StepPart::cp] + step[StepPart::ep] + step[StepPart::pp] +
         step[StepPart::dp];
}

/// Units by the name of their term.
std::map<std::string, double> terms(const Fleet& fleet, const Workload& w,
                                    const EngineOptions& options) {
  const auto p = policy("batch:placer=first");
  std::map<std::string, double> out;
  for (const Contention::Term& t : why_cost(fleet, w, *p, options, JobId{1}, SimTime{10s}).terms) {
    INFO(t.name << ": " << t.because);
    CHECK(!t.because.empty());
    out[t.name] = t.units;
  }
  return out;
}

}  // namespace

TEST_CASE("a job takes as much longer as its step does there than where GPUs are nearest") {
  const Fleet fleet = leaves(8, 200);
  const auto trainings = trains(kModel, kPlan);
  const StepTime here = step_on(fleet, *trainings, {nodes(1, 2)});
  const StepTime reference = step_on(fleet, *trainings, {nodes(0, 2)});
  REQUIRE(here.total_us() > 1.01 * reference.total_us());
  const Ran run = ran(fleet, one_scattered(), with(trainings));
  const double takes = 100 * here.total_us() / reference.total_us();
  CHECK(run.ends[1] == Approx(takes).epsilon(2e-6));
  CHECK(run.ends[0] == Approx(1000));
  // The books divide its time as the step is divided.
  CHECK(run.gpu_s(GpuClass::run_comm) ==
        Approx(16 * takes * communication(here) / here.total_us()).epsilon(1e-5));
  CHECK(run.gpu_s(GpuClass::run_straggler) ==
        Approx(16 * takes * here[StepPart::straggler] / here.total_us()).epsilon(1e-4));
  CHECK(run.gpu_s(GpuClass::run_stall) == 0);
  CHECK(run.warnings.size() == 1);  // a's network is a guess
}

TEST_CASE("where GPUs are as near as can be it takes what the trace says") {
  const Fleet fleet = leaves(8, 200);
  const Ran run =
      ran(fleet, workload({job(0s, 16, 100s).model("gpt")}), with(trains(kModel, kPlan)));
  CHECK(run.ends[0] == 100);
  CHECK(run.gpu_s(GpuClass::run_comm) > 0);
}

TEST_CASE("storage that is too slow is a stall") {
  const Fleet fleet = leaves(8, 400);
  const auto trainings = trains(kModel, kPlan);
  trainings->by_model["gpt"].model.sample_kbytes = 1e7;
  const StepTime step = step_on(fleet, *trainings, {nodes(0, 2)});
  if (step[StepPart::input] == 0) return;  // the fleet says nothing of its storage
  const Ran run = ran(fleet, workload({job(0s, 16, 100s).model("gpt")}), with(trainings));
  CHECK(run.gpu_s(GpuClass::run_stall) ==
        Approx(1600 * step[StepPart::input] / step.total_us()).epsilon(1e-4));
}

TEST_CASE("neighbours on its links make it slower; contention off takes only that away") {
  const Fleet fleet = leaves(8, 40);
  const auto trainings = trains("llama3-8b", "zero=3,global_batch=16");
  const StepTime here = step_on(fleet, *trainings, {nodes(1, 2)});
  const StepTime reference = step_on(fleet, *trainings, {nodes(0, 2)});
  const double alone = 100 * here.total_us() / reference.total_us();
  const Ran off = ran(fleet, two_scattered(), with(trainings, false));
  CHECK(off.ends[1] == Approx(alone).epsilon(1e-5));
  CHECK(off.ends[2] == Approx(alone).epsilon(1e-5));
  const Ran on = ran(fleet, two_scattered(), with(trainings, true));
  CHECK(on.ends[1] > 1.2 * alone);

  const auto without = terms(fleet, two_scattered(), with(trainings, false));
  const auto beside = terms(fleet, two_scattered(), with(trainings, true));
  REQUIRE(without.size() == beside.size());
  for (const auto& [name, units] : without) {
    INFO(name);
    if (name == "neighbours") {
      CHECK(units == 0);
      CHECK(beside.at(name) > 0.1);
    } else {
      CHECK(beside.at(name) == units);
    }
  }
}

TEST_CASE("steady demand: a step with the share of its network that the job gets") {
  const Fleet fleet = leaves(8, 40);
  const auto trainings = trains("llama3-8b", "zero=3,global_batch=16");
  EngineOptions options = with(trainings, true);
  options.cost.demand = CostOptions::Demand::steady;
  // Both always send: each has half of the uplink, that is half of what the step is reckoned with.
  const Training& t = trainings->by_model.at("gpt");
  const CostMap map(fleet, trainings->calibration);
  const std::vector<Slice> where{nodes(1, 2)};
  PlacedPlan placed = place(map, where, *t.plan(16), *trainings->mapping);
  for (GpuGroup& g : placed.dp) {
    g.nic_rate /= 2;
    g.rails_rate /= 2;
  }
  const double half = step_time(trainings->calibration, placed, t.model, *t.plan(16)).total_us();
  const StepTime reference = step_on(fleet, *trainings, {nodes(0, 2)});
  const Ran run = ran(fleet, two_scattered(), options);
  CHECK(run.ends[1] == Approx(100 * half / reference.total_us()).epsilon(1e-5));
}

TEST_CASE("why --cost: a step as a sum of named terms, in units of the reference step") {
  const Fleet fleet = leaves(8, 200);
  const auto trainings = trains(kModel, kPlan);
  const StepTime here = step_on(fleet, *trainings, {nodes(1, 2)});
  const StepTime reference = step_on(fleet, *trainings, {nodes(0, 2)});
  const auto found = terms(fleet, one_scattered(), with(trainings, true));
  double sum = 0;
  for (const auto& [name, units] : found) sum += units;
  CHECK(sum == Approx(here.total_us() / reference.total_us()).epsilon(1e-9));
  CHECK(found.at("compute") == Approx(here[StepPart::compute] / reference.total_us()));
  CHECK(found.at("dp") == Approx(here[StepPart::dp] / reference.total_us()));
  CHECK(found.contains("tp"));
}

TEST_CASE("overlap off changes what is left of communication that was hidden, and nothing else") {
  const Fleet fleet = leaves(8, 200);
  const auto hidden = trains(kModel, kPlan);
  const auto open = trains(kModel, kPlan);
  open->ablation.overlap = false;
  const StepTime a = step_on(fleet, *hidden, {nodes(1, 2)});
  const StepTime b = step_on(fleet, *open, {nodes(1, 2)});
  // Units are of a reference that changes too: back to microseconds.
  const double to_a = step_on(fleet, *hidden, {nodes(0, 2)}).total_us();
  const double to_b = step_on(fleet, *open, {nodes(0, 2)}).total_us();
  const auto with_overlap = terms(fleet, one_scattered(), with(hidden));
  const auto without = terms(fleet, one_scattered(), with(open));
  CHECK(without.at("dp") * to_b == Approx(b[StepPart::dp]));
  CHECK(b[StepPart::dp] > a[StepPart::dp]);
  for (const char* name : {"compute", "tp", "optimiser"})
    CHECK(without.at(name) * to_b == Approx(with_overlap.at(name) * to_a).epsilon(1e-12));
}

TEST_CASE("another calibration changes the terms that are reckoned with its numbers only") {
  const Fleet fleet = leaves(8, 200);
  const auto published = trains(kModel, kPlan);
  const auto other = trains(kModel, kPlan);
  other->calibration.network.efficiency /= 2;
  const double to_a = step_on(fleet, *published, {nodes(0, 2)}).total_us();
  const double to_b = step_on(fleet, *other, {nodes(0, 2)}).total_us();
  const auto a = terms(fleet, one_scattered(), with(published));
  const auto b = terms(fleet, one_scattered(), with(other));
  CHECK(b.at("dp") * to_b > 1.5 * a.at("dp") * to_a);
  for (const char* name : {"compute", "tp", "optimiser"})
    CHECK(b.at(name) * to_b == Approx(a.at(name) * to_a).epsilon(1e-12));
}

TEST_CASE("a plan that is not for so many GPUs is said, and the job runs as the trace says") {
  const Fleet fleet = leaves(8, 200);
  const Workload w =
      workload({job(0s, 8, 1000s), job(0s, 16, 100s).model("gpt"), job(0s, 3, 50s).model("gpt")});
  const Ran run = ran(fleet, w, with(trains(kModel, kPlan)));
  CHECK(run.ends[2] == 50);
  CHECK(run.ends[1] > 100);
  REQUIRE(run.warnings.size() == 2);
  CHECK(run.warnings[1].starts_with("steps_unknown: of 2 jobs"));
}

TEST_CASE("the tightest place: one node, then one leaf, then one pod; nodes of one type") {
  const Fleet fleet = leaves(8, 200);
  CHECK(tightest(fleet, 1, 0, 4) == std::vector<Slice>{nodes(0, 1, 0x0F)});
  CHECK(gpus_in(tightest(fleet, 1, 0, 12)) == 12);
  CHECK(tightest(fleet, 1, 0, 12).size() == 2);
  CHECK(tightest(fleet, 1, 4, 16).size() == 4);
  CHECK(tightest(fleet, 1, 0, 65).empty());
  CHECK(tightest(fleet, 2, 0, 1).empty());
}
