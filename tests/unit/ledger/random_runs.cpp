// Both books against a naive ledger that walks every waiting job whenever time advances.
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "catch.hpp"
#include "muster/ledger/gpu_book.hpp"
#include "muster/ledger/wait_book.hpp"
#include "unit/ledger/lone_books.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// Knows each job's own cause, and charges free GPUs job by job.
class Naive final : public Observer {
 public:
  explicit Naive(World& world) : world_(world), jobs_(world.jobs.size()) {
    for (const Fleet::Pool& p : world.fleet.pools) free_.push_back(p.gpus * std::int64_t{1000});
    told_.assign(world.demands.size(), Cause::interval);
  }

  void on(const Record& r) override {
    advance(r.at);
    Job& job = jobs_[r.job.value];
    switch (r.what) {
      case Record::What::submit:
        open_ = true;
        job.waits = true;
        job.cause = r.state == JobState::held ? Cause::held : Cause::interval;
        break;
      case Record::What::release:
        job.cause = Cause::interval;
        break;
      case Record::What::start:
        job.waits = false;
        give(r.placement, r.job, -1);
        break;
      case Record::What::reshape:
        give(r.before, r.job, 1);
        give(r.placement, r.job, -1);
        break;
      case Record::What::stop:
        give(r.placement, r.job, 1);
        job.waits = true;
        job.cause = Cause::interval;
        break;
      default:
        give(r.placement, r.job, 1);
        job.waits = false;
    }
  }

  void decided(const Decision& d) override {
    advance(d.at);
    for (const auto& c : d.causes) told_[c.shape.value] = c.cause;
    for (std::uint32_t j = 0; j < jobs_.size(); ++j)
      if (jobs_[j].waits && jobs_[j].cause != Cause::held)
        jobs_[j].cause = told_[world_.shape(JobId{j}).value];
  }

  void advance(SimTime t) {
    const Duration d = open_ ? t - now_ : Duration{};
    now_ = t;
    if (d == Duration{}) return;
    for (Job& job : jobs_)
      if (job.waits) job.waited[static_cast<std::size_t>(job.cause)] += d;

    std::vector<std::int64_t> wants(jobs_.size());
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) wants[j] = demand(j).milli;
    std::vector<std::uint32_t> order(jobs_.size());  // those who may use one pool first
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) order[j] = j;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return (demand(a).pools < 3) > (demand(b).pools < 3);
    });
    for (std::size_t p = 0; p < free_.size(); ++p) {
      std::int64_t rest = free_[p];
      for (std::size_t c = kFirstIdle; c + 1 < kFirstIdle + kIdleClasses; ++c)
        for (const std::uint32_t j : order) {
          if (!jobs_[j].waits || jobs_[j].cause == Cause::held) continue;
          if (static_cast<std::size_t>(idle_class(jobs_[j].cause)) != c) continue;
          if ((demand(j).pools >> p & 1) == 0) continue;
          const std::int64_t taken = std::min(rest, wants[j]);
          wants[j] -= taken;
          rest -= taken;
          times[c] += Int128{taken} * d.count();
        }
      times[static_cast<std::size_t>(GpuClass::idle_no_demand)] += Int128{rest} * d.count();
    }
  }

  const std::array<Duration, kCauses>& waited(JobId j) const { return jobs_[j.value].waited; }

  GpuTimes times{};

 private:
  struct Job {
    bool waits = false;
    Cause cause = Cause::capacity;
    std::array<Duration, kCauses> waited{};
  };
  const ShapeDemand& demand(std::uint32_t j) const {
    return world_.demands[world_.shape(JobId{j}).value];
  }
  void give(std::span<const Slice> placement, JobId j, int sign) {
    for (const Slice& s : placement)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        free_[world_.fleet.nodes[NodeId{n}].pool] +=
            sign * std::min<std::int64_t>(1000, demand(j.value).milli) * count(s.gpus);
  }

  World& world_;
  std::vector<Job> jobs_;
  std::vector<Cause> told_;
  std::vector<std::int64_t> free_;
  SimTime now_ = kStart;
  bool open_ = false;
};

/// Passes each call on to all three, and notes what the books say of each job in the end.
class Both final : public Observer {
 public:
  explicit Both(World& world) : gpus(world), waits(world), naive(world) {
    accounts.resize(world.jobs.size());
    waited.resize(world.jobs.size());
  }
  void on(const Record& r) override {
    gpus.on(r);
    waits.on(r);
    naive.on(r);
    if (r.what != Record::What::end && r.what != Record::What::reject) return;
    accounts[r.job.value] = gpus.ended();
    waited[r.job.value] = waits.ended();
  }
  void decided(const Decision& d) override {
    gpus.decided(d);
    waits.decided(d);
    naive.decided(d);
  }
  LoneGpuBook gpus;
  LoneWaitBook waits;
  Naive naive;
  std::vector<JobGpuTime> accounts;
  std::vector<Waits> waited;
};

/// Things that could happen, in an order that could be, chosen blindly.
void random_run(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  const auto upto = [&](std::uint64_t n) { return random() % n; };
  World world{upto(2) ? two_pools(1 + upto(3), 1 + upto(3), 4) : Fleet::uniform(1 + upto(6), 4)};
  const std::int64_t sizes[] = {1000, 2000, 4000, 7000, 250, 333};
  const PoolMask masks[] = {~PoolMask{0}, 0b01, 0b10};
  const std::size_t count = 5 + upto(30);
  for (std::size_t i = 0; i < count; ++i)
    world.job(sizes[upto(6)], 100s, world.fleet.pools.size() == 1 ? masks[0] : masks[upto(3)]);

  Both both{world};
  Feed feed{world, both};
  struct Known {
    JobState state = JobState::never_submitted;
    Duration since{}, kept{};
  };
  std::vector<Known> known(count);
  Duration now{};
  for (int step = 0; step < 120; ++step) {
    if (upto(3) != 0) now += Duration{static_cast<std::int64_t>(1 + upto(1'000'000'007))};
    const JobId j{static_cast<std::uint32_t>(upto(count))};
    Known& job = known[j.value];
    switch (job.state) {
      case JobState::never_submitted:
        job.state = upto(4) ? JobState::pending : JobState::held;
        feed.submit(now, j, job.state);
        break;
      case JobState::held:
        job.state = JobState::pending;
        feed.release(now, j);
        break;
      case JobState::pending:
        if (upto(20) == 0) {
          job.state = JobState::cancelled_pending;
          feed.end(now, j, job.state, {.lost_earlier = job.kept});
        } else if (feed.fits(j)) {
          job.state = JobState::running;
          job.since = now;
          feed.start(now, j);
        }
        break;
      case JobState::running: {
        const Duration ran = now - job.since;
        if (world.demands[world.shape(j).value].milli >= 1000 && upto(3) == 0) {
          const Duration overhead{
              static_cast<std::int64_t>(upto(static_cast<std::uint64_t>(ran.count()) + 1))};
          job.kept += ran - overhead;
          job.since = now;
          feed.reshape(now, j, 1000, {.overhead = overhead});
          break;
        }
        const Duration lost{
            static_cast<std::int64_t>(upto(static_cast<std::uint64_t>(ran.count()) + 1))};
        const Duration overhead{
            static_cast<std::int64_t>(upto(static_cast<std::uint64_t>((ran - lost).count()) + 1))};
        if (upto(2) == 0) {
          job.state = JobState::pending;
          const Duration earlier = upto(2) ? job.kept / 2 : Duration{};
          job.kept += ran - lost - overhead - earlier;
          feed.stop(now, j, {lost, overhead, earlier});
        } else if (upto(2) == 0) {
          job.state = JobState::completed;
          feed.end(now, j, job.state, {Duration{}, overhead});
        } else {
          job.state = JobState::failed;
          feed.end(now, j, job.state, {ran - overhead, overhead, job.kept});
        }
        break;
      }
      default:
        break;
    }
    if (upto(3) == 0) continue;
    std::vector<Decision::ShapeCause> causes;
    for (std::uint32_t s = 0; s < world.demands.size(); ++s)
      if (upto(4) == 0) causes.push_back({ShapeId{s}, static_cast<Cause>(upto(9))});
    feed.decide_shapes(now, causes);
  }

  now += 1s;
  both.naive.advance(at(now));
  both.gpus.settle(at(now));
  both.waits.close(at(now));
  REQUIRE(both.gpus.fault() == "");
  for (std::size_t c = kFirstIdle; c < kFirstIdle + kIdleClasses; ++c) {
    INFO(name(static_cast<GpuClass>(c)));
    REQUIRE(both.gpus.times()[c] == both.naive.times[c]);
  }
  JobGpuTime all;
  std::array<Int128, kCauses> waited{};
  for (std::uint32_t j = 0; j < count; ++j) {
    const bool ended = known[j].state >= JobState::completed;
    const JobGpuTime account = ended ? both.accounts[j] : both.gpus.account(JobId{j});
    all.kept += account.kept;
    all.lost += account.lost;
    all.overhead += account.overhead;
    const Waits waits = ended ? both.waited[j] : both.waits.waits(JobId{j});
    REQUIRE(waits.by_cause == both.naive.waited(JobId{j}));
    for (std::size_t c = 0; c < kCauses; ++c) waited[c] += waits.by_cause[c].count();
  }
  CHECK(waited == both.waits.times());
  CHECK(all.kept == both.gpus.times()[static_cast<std::size_t>(GpuClass::run_compute)]);
  CHECK(all.lost == both.gpus.times()[static_cast<std::size_t>(GpuClass::lost)]);
  CHECK(all.overhead == both.gpus.times()[static_cast<std::size_t>(GpuClass::starting)]);
}

}  // namespace

TEST_CASE("a thousand random runs balance, and agree with a ledger that walks every job") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    INFO("seed " << seed);
    random_run(seed);
  }
}
