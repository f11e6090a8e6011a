// No order and no predictor knows how long a job runs before it has ended: with other run times for
// all that have not ended by some moment, everything up to that moment stays the same.

#include "catch.hpp"
#include "muster/policy/parts/order.hpp"
#include "muster/policy/parts/predictor.hpp"
#include "support/random_runs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Everything that happened, as text, by time.
class Story final : public Observer {
 public:
  void on(const Record& r) override {
    std::string line = std::to_string(seconds(r.at)) + " " + std::to_string(r.job.value) + " " +
                       std::to_string(static_cast<int>(r.what));
    for (const Slice& s : r.placement)
      line += " " + std::to_string(s.first.value) + "+" + std::to_string(s.count) + ":" +
              std::to_string(s.gpus);
    lines.push_back({r.at, std::move(line)});
  }
  std::vector<std::string> before(SimTime t) const {
    std::vector<std::string> out;
    for (const auto& [at, line] : lines)
      if (at < t) out.push_back(line);
    return out;
  }
  std::vector<std::pair<SimTime, std::string>> lines;
};

struct Run {
  Story story;
  Timetable times;
  explicit Run(const Workload& w) : times(w.size()) {}
};
Run run(const std::string& spec, const Fleet& fleet, const Workload& w) {
  const auto p = policy(spec);
  Run r(w);
  Listeners all({&r.story, &r.times});
  simulate(fleet, w, *p, {}, all);
  return r;
}

Workload draw(Stream& r, const Fleet& fleet) {
  Spice spice;
  spice.limits = false;
  std::vector<TestJob> jobs = draw_jobs(r, fleet, 60, spice);
  for (TestJob& j : jobs) {
    if (r.chance(0.5)) j.deadline(std::chrono::seconds{5 * (1 + static_cast<int>(r.below(100)))});
    j.model("m" + std::to_string(r.below(3)));
  }
  return workload(jobs);
}

/// Other run times for those that had not ended by `t`: drawn among those that had not begun,
/// longer for those that had.
Workload otherwise_after(Workload w, const Timetable& times, SimTime t, Stream& r) {
  std::vector<JobId> unborn;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    if (times.end[j] < t) continue;
    if (times.start[j] >= t)
      unborn.push_back(j);
    else
      w.truth.duration[j] += 5s * static_cast<std::int64_t>(r.below(20));
  }
  for (std::size_t i = 1; i < unborn.size(); ++i)
    std::swap(w.truth.duration[unborn[i]], w.truth.duration[unborn[r.below(i + 1)]]);
  return w;
}

/// In how many of `n` drawn runs the past changed with the future.
int peeked(const std::string& spec, int n) {
  int found = 0;
  for (int seed = 1; seed <= n; ++seed) {
    Stream r(static_cast<std::uint64_t>(seed), "no peeking");
    const Fleet fleet = Fleet::uniform(1 + static_cast<std::uint32_t>(r.below(3)), 4);
    const Workload w = draw(r, fleet);
    const Run first = run(spec, fleet, w);
    const SimTime t = first.story.lines[first.story.lines.size() * (1 + r.below(8)) / 10].first;
    const Run other = run(spec, fleet, otherwise_after(w, first.times, t, r));
    if (first.story.before(t) != other.story.before(t)) ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("no order knows the future") {
  for (const std::string& order : Orders::names()) {
    INFO(order);
    CHECK(peeked("batch:order=" + order + ",backfill=easy", 20) == 0);
    CHECK(peeked("batch:order=" + order + ",backfill=conservative,estimates=predicted", 20) == 0);
  }
  CHECK(peeked("batch:order=edf,admission=reject,estimates=predicted,backfill=easy", 20) == 0);
}

TEST_CASE("no predictor knows the future") {
  for (const std::string& predictor : Predictors::names()) {
    INFO(predictor);
    const std::string with = ",estimates=predicted,predictor=" + predictor;
    CHECK(peeked("batch:backfill=easy,correction=incremental" + with, 40) == 0);
    CHECK(peeked("batch:backfill=conservative,correction=user" + with, 40) == 0);
    CHECK(peeked("batch:order=qssf,skip=true" + with, 40) == 0);
    CHECK(peeked("batch:order=sjf,backfill=easy,preemption=requeue" + with, 40) == 0);
  }
}

TEST_CASE("the test for peeking finds who does: perfect estimates") {
  CHECK(peeked("batch:order=sjf,backfill=easy,estimates=perfect", 40) > 10);
}
