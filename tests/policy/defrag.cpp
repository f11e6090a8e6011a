// Running jobs are moved so that GPUs that lie apart come together.

#include "muster/policy/parts/defrag.hpp"

#include <map>

#include "catch.hpp"
#include "muster/cluster/fit.hpp"
#include "muster/core/random.hpp"
#include "muster/metrics/books.hpp"
#include "support/gantt.hpp"
#include "support/wrapped_policy.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// The least (moves, GPUs moved) by trying everything: all sequences, whether they help or not.
class Brute {
 public:
  Brute(std::vector<int> free, int needs) : free_(std::move(free)), needs_(needs) {}
  void add(int node, int gpus) { jobs_.push_back({node, gpus, false}); }
  std::pair<int, int> best(int most) {
    for (int moves = 1; moves <= most; ++moves) {
      least_ = INT_MAX;
      walk(moves, 0);
      if (least_ < INT_MAX) return {moves, least_};
    }
    return {0, 0};
  }

 private:
  struct Job {
    int node, gpus;
    bool moved;
  };
  void walk(int left, int gpus) {
    if (left == 0) {
      for (const int f : free_)
        if (f >= needs_) least_ = std::min(least_, gpus);
      return;
    }
    for (Job& j : jobs_)
      for (int n = 0; n < static_cast<int>(free_.size()); ++n) {
        if (j.moved || n == j.node || free_[n] < j.gpus) continue;
        const int from = j.node;
        free_[n] -= j.gpus;
        free_[from] += j.gpus;
        j.node = n;
        j.moved = true;
        walk(left - 1, gpus + j.gpus);
        j.moved = false;
        j.node = from;
        free_[from] -= j.gpus;
        free_[n] += j.gpus;
      }
  }
  std::vector<int> free_;
  int needs_;
  std::vector<Job> jobs_;
  int least_ = 0;
};

/// After each pass: what Defrag finds for some request that does not fit, against Brute.
class Compared final : public WrappedPolicy {
 public:
  using WrappedPolicy::WrappedPolicy;
  std::map<std::size_t, int> found;  // how often so many moves

  void decide(const View& view, Plan& plan) override {
    WrappedPolicy::decide(view, plan);
    if (view.running.size() > 7) return;
    for (std::uint32_t gpus = 2; gpus <= 8; ++gpus) compare(view, gpus);
  }

 private:
  void compare(const View& view, std::uint32_t gpus) {
    Shape s;
    s.gpus = gpus;
    const Demand d = resolve(s, view.jobs.names(), view.fleet, {});
    if (fits(view.cluster, d)) return;
    std::vector<int> free;
    for (std::uint32_t n = 0; n < view.fleet.nodes.size(); ++n)
      free.push_back(static_cast<int>(count(view.cluster.free(NodeId{n}))));
    Brute brute(free, static_cast<int>(gpus));
    view.running.each([&](const RunningJob& r) {
      const auto where = view.placements.of(r.job);
      if (where.size() == 1 && where[0].count == 1)
        brute.add(static_cast<int>(where[0].first.value), static_cast<int>(count(where[0].gpus)));
      return true;
    });
    const auto& moves = defrag_.find(view, d, 3, [](const RunningJob&) { return true; });
    int moved = 0;
    for (const Defrag::Move& m : moves) moved += static_cast<int>(count(m.gpus));
    CHECK(std::pair{static_cast<int>(moves.size()), moved} == brute.best(3));
    ++found[moves.size()];
  }
  Defrag defrag_;
};

}  // namespace

TEST_CASE("a whole node for h: one job moves, and pays for it") {
  const std::vector<TestJob> jobs{job(0s, 2, 100s).named("a"), job(0s, 2, 100s).named("b"),
                                  job(10s, 4, 20s).named("h")};
  const Fleet two = Fleet::uniform(2, 4);
  CHECK(schedule("batch:placer=spread", jobs, two) == R"(
|aaaaaaaaaahh|
|bbbbbbbbbb..|
)");
  CHECK(schedule("batch:placer=spread,defrag=1,move_cost=5s", jobs, two) == R"(
|ahh........|
|b*********a|
)");
  CHECK(schedule("batch:placer=spread,backfill=easy,defrag=1,move_cost=5s", jobs, two) == R"(
|ahh........|
|b*********a|
)");
}

TEST_CASE("the fewest moves, then the fewest GPUs: as if all had been tried") {
  std::map<std::size_t, int> found;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Stream r(seed, "defrag");
    std::vector<TestJob> jobs;
    Duration clock{};
    for (int i = 0; i < 40; ++i) {
      clock += std::chrono::seconds{r.below(20)};
      jobs.push_back(job(clock, 1 + static_cast<std::uint32_t>(r.below(5)),
                         std::chrono::seconds{20 + r.below(60)}));
    }
    Compared p(policy("batch:skip=true,placer=random"));
    Observer nobody;
    const Workload w = workload(jobs);
    simulate(Fleet::uniform(2 + static_cast<std::uint32_t>(r.below(2)), 8), w, p, {}, nobody);
    for (const auto& [moves, times] : p.found) found[moves] += times;
  }
  CHECK(found[0] > 50);
  CHECK(found[1] > 50);
  CHECK(found[2] > 20);
}

TEST_CASE("defrag goes with one promise at most") {
  CHECK(refusal("batch:defrag=2,backfill=conservative").find("goes with backfill=none") !=
        std::string::npos);
  CHECK(refusal("batch:defrag=2,backfill=easy").empty());
}
