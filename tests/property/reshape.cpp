// Running jobs change their size and place: whatever a policy does with that, nothing is lost and
// nothing is won.

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "muster/metrics/books.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/words.hpp"
#include "support/random_runs.hpp"
#include "support/referee.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Starts whoever fits at a size that it draws, and resizes, moves and preempts at random.
class Restless final : public Policy {
 public:
  Restless(Stream& draws, Duration most) : r_(draws), most_(most) {}

  std::uint64_t reshapes = 0;

  Planning planning() const override {
    Planning p;
    p.restart_cost = 5s;
    return p;
  }
  Cutting cutting() const override { return {.span = Span::any}; }
  void begin(const View& view, std::uint64_t seed) override {
    empty_.emplace(view.cluster);
    placer_ = Placers::all().at("random").make(seed);
  }
  std::optional<Rejection> refuse(const View& view, JobId j) override {
    return never_fits(view, *empty_, j);
  }
  Explanation explain(const View&, JobId) override { return {}; }

  void decide(const View& view, Plan& plan) override {
    for (const RunningJob& r : view.ended) {
      leaving_.erase(r.job);
      std::erase(running_, r.job);
    }
    for (const JobId j : view.left) std::erase(waiting_, j);
    waiting_.insert(waiting_.end(), view.joined.begin(), view.joined.end());
    for (const JobId j : std::vector(running_))
      if (!leaving_.contains(j) && r_.chance(0.3)) reshape(view, plan, j);
    // Not for ever: who starts from scratch each time would never be done.
    if (!running_.empty() && preemptions_ < 20 && r_.chance(0.1))
      preempt(plan, running_[r_.below(running_.size())]);
    for (const JobId j : std::vector(waiting_)) {
      if (!place(view, j)) continue;
      plan.start(j, slices_);
      std::erase(waiting_, j);
      running_.push_back(j);
      if (r_.chance(0.2)) reshape(view, plan, j);  // before it has begun to run
    }
    if (!waiting_.empty() || !running_.empty()) plan.wake_at(view.now + 7s);
  }

 private:
  /// Somewhere among what is free, at some size.
  bool place(const View& view, JobId j) {
    Shape s = view.jobs.asks(j);
    const Sizes sizes = view.jobs.sizes(j);
    if (sizes.elastic())
      s.gpus = sizes.least + static_cast<std::uint32_t>(r_.below(sizes.most - sizes.least + 1));
    const Demand d = resolve(s, view.jobs.names(), view.fleet, cutting());
    if (d.pools == 0 || !fits(view.cluster, d)) return false;
    const bool found = placer_->place(view.cluster, d, slices_);
    placer_->started();
    return found;
  }
  void reshape(const View& view, Plan& plan, JobId j) {
    plan.lift(j);
    const bool found = place(view, j);
    plan.put_back(j);
    if (!found) return;
    ++reshapes;
    const auto most = static_cast<std::uint64_t>(most_ / 1s);
    plan.reshape(j, slices_, seconds{r_.below(most + 1)});
  }
  void preempt(Plan& plan, JobId j) {
    if (leaving_.contains(j)) return;
    ++preemptions_;
    if (!plan.preempt(j, kNoJob, static_cast<PreemptMode>(r_.below(3)))) {
      leaving_.insert(j);
      return;
    }
    std::erase(running_, j);
    waiting_.push_back(j);
  }

  using seconds = std::chrono::seconds;
  Stream& r_;
  Duration most_;
  int preemptions_ = 0;
  std::optional<Cluster> empty_;
  std::unique_ptr<Placer> placer_;
  std::vector<JobId> waiting_, running_;
  std::set<JobId> leaving_;
  std::vector<Slice> slices_;
};

/// One job that is given the next of some sizes every so often, for `by` if there is anybody.
class Restive final : public Policy {
 public:
  Restive(std::vector<std::uint32_t> sizes, Duration every, Duration cost)
      : sizes_(std::move(sizes)), every_(every), cost_(cost) {}
  std::optional<Rejection> refuse(const View&, JobId) override { return std::nullopt; }
  Explanation explain(const View&, JobId) override { return {}; }
  void decide(const View& view, Plan& plan) override {
    over_ |= !view.ended.empty();
    if (over_) return;
    const Slice some{NodeId{0}, 1, first_gpus(sizes_[next_++ % sizes_.size()])};
    if (!view.joined.empty())
      plan.start(view.joined.front(), {&some, 1});
    else
      plan.reshape(JobId{0}, {&some, 1}, cost_);
    plan.wake_at(view.now + every_);
  }

 private:
  std::vector<std::uint32_t> sizes_;
  Duration every_, cost_;
  std::size_t next_ = 0;
  bool over_ = false;
};

/// Two jobs that take three of the four GPUs from each other in turn.
class Rivals final : public Policy {
 public:
  std::optional<Rejection> refuse(const View&, JobId) override { return std::nullopt; }
  Explanation explain(const View&, JobId) override { return {}; }
  void decide(const View& view, Plan& plan) override {
    const Slice low{NodeId{0}, 1, first_gpus(first_ ? 3 : 1)};
    const Slice high{NodeId{0}, 1, first_gpus(4) & ~low.gpus};
    if (!view.joined.empty()) {
      plan.start(JobId{0}, {&low, 1});
      plan.start(JobId{1}, {&high, 1});
    } else if (first_) {  // a grows, and b makes room for it
      plan.reshape(JobId{1}, {&high, 1}, 5s, JobId{0});
      plan.reshape(JobId{0}, {&low, 1}, 5s);
    } else {
      plan.reshape(JobId{0}, {&low, 1}, 5s, JobId{1});
      plan.reshape(JobId{1}, {&high, 1}, 5s);
    }
    first_ = !first_;
    plan.wake_at(view.now + 4s);
  }

 private:
  bool first_ = true;
};

std::vector<ShapeDemand> demands_of(const Workload& w, const Fleet& fleet, const Policy& p) {
  std::vector<ShapeDemand> all;
  for (const Demand& d : resolve_all(w, fleet, p.cutting()))
    all.push_back({d.total_milli(), d.pools});
  return all;
}

}  // namespace

TEST_CASE("1,000 drawn runs of a restless policy: the referee and the books agree") {
  std::uint64_t resizes = 0, moves = 0, paid = 0, communicated = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Stream r(seed, "restless");
    const Fleet fleet = parse_fleet(draw_fleet(r), "drawn");
    EngineOptions options = draw_options(r);
    options.on_livelock = OnLivelock::go_on;
    Spice spice;
    spice.elastic = true;
    const Workload w = workload(draw_jobs(r, fleet, 10 + r.below(30), spice));
    Rules rules;
    rules.span = Span::any;
    rules.cancel_running = options.cancel_running;
    rules.by_event = options.passes == Passes::event;
    rules.restart_cost = 5s;
    rules.reshape_cost = r.chance(0.5) ? 3s : 0s;
    if (r.chance(0.5)) {
      options.speedup = "amdahl";
      options.speed.serial = rules.serial = 0.1;
    }
    if (r.chance(0.3)) options.speed.interference = rules.interference = 0.7;
    if (r.chance(0.4)) {
      rules.network = options.cost.contention = true;
      options.cost.communication = 0.5;
      options.cost.efficiency = 0.05;  // so that uplinks are narrow
      if (r.chance(0.5)) options.cost.demand = CostOptions::Demand::steady;
    }
    INFO("seed " << seed);
    Restless p(r, rules.reshape_cost);
    Referee referee(fleet, w, rules);
    Books books(fleet, w, demands_of(w, fleet, p));
    Listeners all({&referee, &books});
    const RunSummary run = simulate(fleet, w, p, options, all);
    books.close(run);
    referee.close(run);
    CHECK(referee.verdict() == "");
    const GpuTimes& times = books.gpu_book().times();
    const auto of = [&](GpuClass c) { return times[static_cast<std::size_t>(c)]; };
    CHECK(of(GpuClass::run_compute) + of(GpuClass::run_comm) + of(GpuClass::lost) +
              of(GpuClass::starting) ==
          referee.computed());
    resizes += books.summary().reshapes.resizes;
    moves += books.summary().reshapes.moves;
    paid += of(GpuClass::starting) > 0;
    communicated += of(GpuClass::run_comm) > 0;
  }
  CHECK(communicated > 200);
  CHECK(resizes > 10'000);
  CHECK(moves > 5'000);
  CHECK(paid > 300);
}

TEST_CASE("ten thousand resizes, and not a nanosecond is lost") {
  const std::vector<std::uint32_t> sizes{3, 7, 2, 8, 1};
  const Duration every{1009};
  const std::int64_t work = 5 * 10'091'234;  // GPU-nanoseconds
  std::int64_t done = 0, end = 0;
  std::size_t turns = 0;
  for (;; ++turns) {
    const std::int64_t size = sizes[turns % sizes.size()];
    const std::int64_t needs = (work - done + size - 1) / size;
    if (needs <= every.count()) {
      end += needs;
      break;
    }
    done += size * every.count();
    end += every.count();
  }
  REQUIRE(turns > 10'000);
  const Workload w = workload({job(0s, 5, Duration{work / 5}).elastic(1, 8)});
  Restive p(sizes, every, Duration{});
  Timetable times(w.size());
  simulate(Fleet::uniform(1, 8), w, p, {}, times);
  CHECK(times.state[JobId{0}] == JobState::completed);
  CHECK(times.end[JobId{0}] == SimTime{Duration{end}});
}

TEST_CASE("a limit counts work, not time") {
  // 100 s on the 4 GPUs it asks for, and may do 60 s of that: 120 s on 2 GPUs.
  const Workload w = workload({job(0s, 4, 100s).limit(60s).elastic(1, 8)});
  Restive p({2}, 1h, Duration{});
  Timetable times(w.size());
  simulate(Fleet::uniform(1, 8), w, p, {}, times);
  CHECK(times.state[JobId{0}] == JobState::timeout);
  CHECK(times.end[JobId{0}] == SimTime{120s});
}

TEST_CASE("jobs that resize each other and get nothing done are named") {
  const Workload w = workload({job(0s, 2, 100s).elastic(1, 3), job(0s, 2, 100s).elastic(1, 3)});
  Rivals p;
  Observer nobody;
  const RunSummary run = simulate(Fleet::uniform(1, 4), w, p, {}, nobody);
  REQUIRE(run.findings.size() == 1);
  CHECK(run.findings[0].kind == Finding::Kind::livelock);
  CHECK(run.findings[0].text ==
        "a and b resized each other 12 times between 8 s and 52 s, and neither got any work done");
}

TEST_CASE("a job that is resized all the time and gets nothing done is named") {
  const Workload w = workload({job(0s, 4, 100s).elastic(1, 8)});
  Restive p({2, 3}, 4s, 5s);
  Observer nobody;
  const RunSummary run = simulate(Fleet::uniform(1, 8), w, p, {}, nobody);
  REQUIRE(run.findings.size() == 1);
  CHECK(run.findings[0].text ==
        "a; a was resized 12 times between 8 s and 52 s, and nobody got any work done");
}
