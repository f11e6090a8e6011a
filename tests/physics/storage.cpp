// Jobs that read their input share what the storage of their fabric gives in all.
#include <random>
#include <set>

#include "catch.hpp"
#include "muster/topology/links.hpp"
#include "readers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

TEST_CASE("two readers that are just fed alone: together each gets half, and waits half its time") {
  // Each reads for as long as it works, at the 1 GB/s that the storage gives. Two at 0.5 GB/s read twice as
  // long as they work. b is through with its 50 s at 100 s; a has 50 s left, and all of the storage.
  const Fleet fleet = fed(2, {1});
  const Workload w = workload({reads(0s, 100s), reads(0s, 50s)});
  const Ran run = ran(fleet, w, with(readers(1)));
  CHECK(run.ends[1] == Approx(100).epsilon(1e-6));
  CHECK(run.ends[0] == Approx(150).epsilon(1e-6));
  CHECK(run.gpu_s(GpuClass::run_stall) == Approx(8 * (50 + 50)).epsilon(1e-5));
  // What they compute is what they have to do, and the books have all of their time.
  const Ran alone = ran(fleet, w, with(readers(1), false));
  CHECK(alone.ends == std::vector<double>{100, 50});
  CHECK(run.gpu_s(GpuClass::run_compute) ==
        Approx(alone.gpu_s(GpuClass::run_compute)).epsilon(1e-5));
  CHECK(run.gpu_s(GpuClass::run_compute) + run.gpu_s(GpuClass::run_comm) +
            run.gpu_s(GpuClass::run_stall) + run.gpu_s(GpuClass::run_straggler) ==
        Approx(8 * (run.ends[0] + run.ends[1])).epsilon(1e-9));
}

TEST_CASE("who reads nothing, or in another fabric, or where all is enough, is not disturbed") {
  const Ran apart =
      ran(fed(1, {1, 1}), workload({reads(0s, 100s), reads(0s, 100s)}), with(readers(1)));
  CHECK(apart.ends[0] == Approx(100).epsilon(1e-6));
  CHECK(apart.ends[1] == Approx(100).epsilon(1e-6));
  const Ran quiet =
      ran(fed(3, {1}), workload({reads(0s, 100s), reads(0s, 100s, "quiet"), reads(0s, 100s)}),
          with(readers(1)));
  CHECK(quiet.ends[0] == Approx(200).epsilon(1e-6));
  CHECK(quiet.ends[1] == 100);
  CHECK(quiet.ends[2] == Approx(200).epsilon(1e-6));
  for (const double gives : {2.0, 0.0}) {
    const Ran wide =
        ran(fed(2, {gives}), workload({reads(0s, 100s), reads(0s, 100s)}), with(readers(1)));
    CHECK(wide.ends[0] == Approx(100).epsilon(1e-6));
    CHECK(wide.gpu_s(GpuClass::run_stall) == Approx(0).margin(0.01));
  }
}

TEST_CASE("unequal readers: who asks for less has it; steady demand asks for all a node reads") {
  // They read 0.5 and 0.9 GB/s over time, of 1.2 in all. By the mean, 0.5 and 0.7. If both always ask for the 1 GB/s
  // of their node each gets 0.6: enough for one, and two thirds of what the other needs.
  const Fleet fleet = fed(2, {1.2});
  const Workload w = workload({reads(0s, 100s), reads(0s, 100s, "more")});
  EngineOptions options = with(readers(0.5));
  const Ran mean = ran(fleet, w, options);
  CHECK(mean.ends[0] == Approx(100).epsilon(1e-6));
  // For 100 s at 0.7, then alone.
  CHECK(mean.ends[1] == Approx(100 + 100 * (1 - 0.7 / 0.9)).epsilon(1e-5));
  options.cost.demand = CostOptions::Demand::steady;
  const Ran steady = ran(fleet, w, options);
  CHECK(steady.ends[0] == Approx(100).epsilon(1e-6));
  CHECK(steady.ends[1] == Approx(100 + 100 * (1 - 0.6 / 0.9)).epsilon(1e-5));
}

TEST_CASE(
    "while it waits for stragglers a job reads on, unless it always asks for all it can have") {
  // Of two nodes each, and just fed by the 2 GB/s that these read: W of work at 2 GB/s. Of 3 GB/s in all each gets 1.5,
  // and reads for 4/3 W. Alone a step takes W, and S for stragglers.
  const Fleet fleet = fed(4, {3});
  const auto all = readers(1);
  all->calibration.step.jitter_sigma = 0.1;
  Training& t = all->by_model["gpt"];
  t.model.sample_kbytes = 0;
  const StepTime step = step_on(fleet, *all, {nodes(0, 2)});
  const double s = step[StepPart::straggler], work = step.total_us() - s;
  REQUIRE(s > 0.1 * work);
  REQUIRE(s < 0.3 * work);
  t.model.sample_kbytes = 2 * work / t.plan(16)->global_batch;
  const Workload w = workload({job(0s, 16, 100s).model("gpt"), job(0s, 16, 100s).model("gpt")});
  EngineOptions options = with(all);
  const Ran mean = ran(fleet, w, options);
  CHECK(mean.ends[0] == Approx(100 * (work * 4 / 3) / (work + s)).epsilon(1e-5));
  options.cost.demand = CostOptions::Demand::steady;
  const Ran steady = ran(fleet, w, options);
  CHECK(steady.ends[0] == Approx(100 * (work * 4 / 3 + s) / (work + s)).epsilon(1e-5));
  CHECK(steady.gpu_s(GpuClass::run_straggler) == Approx(3200 * s / (work + s)).epsilon(1e-5));
}

TEST_CASE("a job alone reads no faster than the storage gives, which is no matter of neighbours") {
  // Two nodes that could read 1 GB/s each, and have to: 0.5 GB/s in all take four times as long. So does the
  // reference, so the trace's duration holds.
  const auto all = readers(1);
  const std::vector<Slice> both{nodes(0, 2)};
  CHECK(step_on(fed(2, {0.5}), *all, both).total_us() >
        3.9 * step_on(fed(2, {0}), *all, both).total_us());
  const Ran run = ran(fed(2, {0.5}), workload({job(0s, 16, 100s).model("gpt")}), with(all));
  CHECK(run.ends[0] == Approx(100).epsilon(1e-6));
  CHECK(run.gpu_s(GpuClass::run_stall) > 0.7 * 1600);
}

TEST_CASE("why --cost names the storage, its readers, and what the job gets") {
  const Workload w = workload({reads(0s, 100s), reads(0s, 100s), reads(0s, 100s, "quiet")});
  const auto beside = terms(fed(3, {1}), w, with(readers(1)));
  CHECK(beside.at("readers").units == Approx(1));
  CHECK(beside.at("readers").because ==
        "the storage of A gives its 2 readers 1 GB/s in all, this job 0.5 GB/s of the 1 GB/s that "
        "it asks for");
  const auto enough = terms(fed(3, {5}), w, with(readers(1)));
  CHECK(enough.at("readers").units == 0);
  CHECK(enough.at("readers").because ==
        "the storage of A gives its 2 readers 5 GB/s in all, this job the 1 GB/s that it asks for");
  CHECK_FALSE(terms(fed(3, {0}), w, with(readers(1))).contains("readers"));
  const Workload quiet = workload({reads(0s, 100s), reads(0s, 100s, "quiet")});
  CHECK_FALSE(terms(fed(3, {1}), quiet, with(readers(1))).contains("readers"));
}

TEST_CASE("contention off takes the readers' term and the neighbours' away, and nothing else") {
  // b and c cross from leaf to leaf, both over the uplink of leaf 1, and read more than there is together.
  const auto all = readers(0.9, "llama3-8b", "zero=3,global_batch=16");
  const Workload w = workload(
      {reads(0s, 1000s, "quiet"), job(0s, 16, 100s).model("gpt"), job(0s, 16, 100s).model("gpt")});
  const auto off = terms(fed(8, {0.5}, 40), w, with(all, false));
  const auto on = terms(fed(8, {0.5}, 40), w, with(all, true));
  const auto no_storage = terms(fed(8, {100}, 40), w, with(all, true));
  REQUIRE(on.size() == off.size());
  for (const auto& [name, term] : off) {
    INFO(name);
    if (name == "readers") {
      CHECK(term.units == 0);
      CHECK(term.because == "not asked for: /cost/contention is false");
      CHECK(on.at(name).units > 0.01);
    } else if (name == "neighbours") {
      CHECK(term.units == 0);
      CHECK(on.at(name).units > 0.01);
    } else {
      CHECK(on.at(name).units == term.units);
    }
  }
  CHECK(no_storage.at("readers").units == 0);
}

TEST_CASE("the price of a place: what the job waits there, and what those who read already lose") {
  // Beside one reader that is just fed each does half as much. In the other fabric there is enough for both.
  const Fleet fleet = fed(2, {1, 2});
  CostOptions cost;
  cost.trainings = readers(1);
  cost.contention = true;
  const Workload w = workload({reads(0s, 100s), reads(0s, 100s), reads(0s, 100s)});
  Demand asks = resolve_all(w, fleet, {})[w.shape[JobId{0}]];
  asks.model = w.model[JobId{0}];
  Told told(w, fleet, cost);
  told.came(0, std::vector<Slice>{nodes(0, 1)});
  told.came(1, std::vector<Slice>{nodes(2, 1)});
  const auto beside = told.price(asks, {nodes(1, 1)});
  CHECK(beside.alone == Approx(1));
  CHECK(beside.own == Approx(2));
  CHECK(beside.others == Approx(8 * (1 - 0.5)));
  const auto enough = told.price(asks, {nodes(3, 1)});
  CHECK(enough.own == Approx(1));
  CHECK(enough.others == Approx(0).margin(1e-9));
  CHECK(told.of(0).millionths == 1'000'000);  // asking changes nothing
}

TEST_CASE("the price of a place: who loses of both network and storage loses once") {
  // Jobs of two nodes over the uplinks of two leaves, which carry half of what both send, and storage that gives half of
  // what both read. What the first would lose is what it loses when the second comes.
  const Fleet fleet = fed(4, {0.7}, 100);
  CostOptions cost;
  cost.trainings = readers(0.9, "llama3-8b", "zero=3,global_batch=16");
  cost.contention = true;
  cost.demand = GENERATE(CostOptions::Demand::mean, CostOptions::Demand::steady);
  const Workload w = workload({job(0s, 16, 100s).model("gpt"), job(0s, 16, 100s).model("gpt")});
  Demand asks = resolve_all(w, fleet, {})[w.shape[JobId{1}]];
  asks.model = w.model[JobId{1}];
  const std::vector<Slice> first{nodes(0, 1), nodes(2, 1)}, second{nodes(1, 1), nodes(3, 1)};
  Told told(w, fleet, cost);
  told.came(0, first);
  const double before = told.speed(0);
  const double others = told.price(asks, second).others;
  told.came(1, second);
  CHECK(told.of(0).split.communicating > 0);
  CHECK(told.of(0).split.stalled > 0);
  CHECK(others == Approx(16 * (before - told.speed(0))).epsilon(1e-4));
  CHECK(others > 0.1);
}

TEST_CASE(
    "drawn readers and others: who came and went, and links that wear, leave nothing behind") {
  const Fleet fleet = fed(16, {3, 2}, 100);
  CostOptions cost;
  cost.trainings = readers(0.7, "llama3-8b", "zero=3,global_batch=48");
  cost.contention = true;
  cost.communication = 0.3;
  cost.demand = GENERATE(CostOptions::Demand::mean, CostOptions::Demand::steady);
  const std::vector<std::uint32_t> worn{Links(fleet).up(Level::leaf, 3, 0)};
  const std::vector<std::uint32_t> storage{Links(fleet).storage(1)};
  const char* models[]{"gpt", "more", "quiet", "other"};
  std::vector<TestJob> jobs;
  for (int j = 0; j < 60; ++j) jobs.push_back(job(0s, 8, 100s).model(models[j % 4]));
  const Workload w = workload(jobs);
  std::set<std::uint32_t> stalls;
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    Told told(w, fleet, cost);
    std::map<std::uint32_t, std::vector<Slice>> running;
    std::vector<bool> used(32, false);
    double health = 1, gives = 1;
    for (std::uint32_t j = 0; j < w.size(); ++j) {
      const auto dice = random() % 8;
      if (dice == 0) {
        health = random() % 2 ? 0.5 : 1;
        told.links(worn, health);
        gives = random() % 2 ? 0.25 : 1;
        told.links(storage, gives);
      } else if (running.size() > 4 && dice < 4) {
        const auto gone = std::next(running.begin(), static_cast<long>(random() % running.size()));
        told.went(gone->first, gone->second);
        for (const Slice& s : gone->second) used[s.first.value] = false;
        running.erase(gone);
      } else {
        const std::uint32_t first = random() % 2 ? 16 : 0;  // in one fabric
        std::vector<Slice> where;
        const std::size_t wants = 1 + random() % 3;
        for (std::uint32_t n = first; n < first + 16 && where.size() < wants; ++n)
          if (!used[n] && random() % 3 == 0) where.push_back(nodes(n, 1));
        if (where.empty()) continue;
        for (const Slice& s : where) used[s.first.value] = true;
        told.came(j, where);
        running[j] = where;
      }
      Told fresh(w, fleet, cost);
      fresh.links(worn, health);
      fresh.links(storage, gives);
      for (const auto& [k, where] : running) fresh.came(k, where);
      for (const auto& [k, where] : running) {
        INFO("seed " << seed << ", job " << k);
        REQUIRE(told.of(k).millionths == fresh.of(k).millionths);
        REQUIRE(told.of(k).split == fresh.of(k).split);
        stalls.insert(told.of(k).split.stalled);
      }
    }
  }
  CHECK(stalls.size() > 30);  // not that nobody had to wait
}
