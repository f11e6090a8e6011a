// The plainest simulation of what the documentation says, job by job: on one node, where jobs count, every
// decision is looked for anew at every instant, with nothing kept from one to the next. It shares no code with the
// engine or the policies.

#include <algorithm>
#include <limits>
#include <map>

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;

namespace {

using Seconds = std::int64_t;
constexpr Seconds kNotYet = std::numeric_limits<Seconds>::max();

struct Plain {
  Seconds submit = 0, planned = 0, length = 0;  // it is killed at what it is planned with
  std::int64_t gpus = 0, priority = 0;
  Seconds start = kNotYet, end = kNotYet;  // of its first run; of its last
  bool waits = false, runs = false;
  Seconds since = 0, done = 0;  // of this run; in earlier ones

  Seconds planned_end() const { return since + planned - done; }
};

std::vector<Plain> drawn(Stream& r, std::int64_t gpus) {
  std::vector<Plain> jobs;
  Seconds now = 0;
  for (std::uint64_t i = 0, n = 3 + r.below(40); i < n; ++i) {
    now += static_cast<Seconds>(r.chance(0.4) ? r.below(2) : r.below(80));
    Plain j;
    j.submit = now;
    j.gpus = 1 + static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(gpus)));
    const Seconds needed = 1 + static_cast<Seconds>(r.below(r.chance(0.5) ? 20 : 400));
    j.planned = r.chance(0.4) ? needed : 1 + static_cast<Seconds>(r.below(400));
    j.length = std::min(needed, j.planned);
    j.priority = static_cast<std::int64_t>(r.below(4));
    jobs.push_back(j);
  }
  return jobs;
}

/// Who waits, and who runs, whom and when. `Rule` is asked once at each instant at which something happened.
class World {
 public:
  World(std::vector<Plain> all, std::int64_t gpus) : jobs(std::move(all)), free(gpus) {}

  template <class Rule>
  void run(Rule rule) {
    for (;;) {
      now = kNotYet;
      for (const Plain& j : jobs) {
        if (!j.waits && !j.runs && j.end == kNotYet) now = std::min(now, j.submit);
        if (j.runs) now = std::min(now, j.since + j.length - j.done);
      }
      if (now == kNotYet) return;
      for (Plain& j : jobs) {
        if (j.runs && j.since + j.length - j.done == now) {
          j.runs = false;
          j.end = now;
          free += j.gpus;
        } else if (!j.waits && !j.runs && j.end == kNotYet && j.submit == now) {
          j.waits = true;
        }
      }
      rule(*this);
    }
  }

  void begin(Plain& j) {
    free -= j.gpus;
    j.waits = false;
    j.runs = true;
    j.since = now;
    if (j.start == kNotYet) j.start = now;
  }
  void stop(Plain& j) {
    free += j.gpus;
    j.waits = true;
    j.runs = false;
    j.done += now - j.since;
  }
  /// Those that wait, or run, by a key; of equal ones the first in the trace.
  template <class Key>
  std::vector<Plain*> sorted(bool Plain::*which, Key key) {
    std::vector<Plain*> found;
    for (Plain& j : jobs)
      if (j.*which) found.push_back(&j);
    std::stable_sort(found.begin(), found.end(),
                     [&](const Plain* a, const Plain* b) { return key(*a) < key(*b); });
    return found;
  }

  std::vector<Plain> jobs;
  std::int64_t free;
  Seconds now = 0;
};

using Key = std::int64_t (*)(const Plain&);
const std::map<std::string, Key> kOrders{
    {"fifo", [](const Plain& j) { return j.submit; }},
    {"sjf", [](const Plain& j) { return j.planned; }},
    {"ljf", [](const Plain& j) { return -j.planned; }},
    {"saf", [](const Plain& j) { return j.planned * j.gpus; }},
    {"priority", [](const Plain& j) { return -j.priority; }},
    {"aging", [](const Plain& j) { return j.submit - 60 * j.priority; }},  // age_step=60s
};

/// In order, until one does not fit; `skip`: whoever fits.
void in_order(World& w, Key key, bool skip) {
  for (Plain* j : w.sorted(&Plain::waits, key)) {
    if (j->gpus <= w.free)
      w.begin(*j);
    else if (!skip)
      return;
  }
}

/// The first that does not fit is promised the time at which enough will have ended; others may start if they end by
/// then, or need no more than what will be left over.
void easy(World& w, Key key) {
  Plain* head = nullptr;
  Seconds promised = kNotYet;
  std::int64_t left_over = 0;
  for (Plain* j : w.sorted(&Plain::waits, key)) {
    const bool fits = j->gpus <= w.free;
    if (head == nullptr && fits) {
      w.begin(*j);
    } else if (head == nullptr) {
      head = j;
      left_over = w.free - head->gpus;
      for (const Plain* r :
           w.sorted(&Plain::runs, [](const Plain& x) { return x.planned_end(); })) {
        if (left_over >= 0 && r->planned_end() > promised) break;
        left_over += r->gpus;
        if (left_over >= 0) promised = r->planned_end();
      }
    } else if (fits && w.now + j->planned <= promised) {
      w.begin(*j);
    } else if (fits && j->gpus <= left_over) {
      left_over -= j->gpus;
      w.begin(*j);
    }
  }
}

using Rank = std::int64_t (*)(const World&, const Plain&);
Seconds ran(const World& w, const Plain& j) { return j.done + (j.runs ? w.now - j.since : 0); }
const std::map<std::string, Rank> kRanks{
    {"srtf", [](const World& w, const Plain& j) { return j.planned - ran(w, j); }},
    {"srsf", [](const World& w, const Plain& j) { return (j.planned - ran(w, j)) * j.gpus; }},
    {"las", [](const World& w, const Plain& j) { return ran(w, j); }},
    {"las_2d", [](const World& w, const Plain& j) { return ran(w, j) * j.gpus; }},
};

/// From the best rank down: who does not fit takes the room of those that run and rank below, the last in rank first;
/// who turns out not to be needed is let off, the first in rank first. Who can't have enough is passed by.
void ranked(World& w, Rank rank) {
  std::map<const Plain*, std::int64_t> stands;
  for (const Plain& j : w.jobs) stands[&j] = rank(w, j);
  const auto key = [&](const Plain& j) { return std::pair{stands[&j], j.submit}; };
  std::vector<const Plain*> passed_by;
  for (;;) {
    Plain* next = nullptr;
    for (Plain* j : w.sorted(&Plain::waits, key))
      if (next == nullptr && std::count(passed_by.begin(), passed_by.end(), j) == 0) next = j;
    if (next == nullptr) return;
    passed_by.push_back(next);
    std::vector<Plain*> below, victims;
    for (Plain* r : w.sorted(&Plain::runs, key))
      if (stands[r] > stands[next]) below.push_back(r);
    std::int64_t room = w.free;
    while (room < next->gpus && !below.empty()) {
      victims.insert(victims.begin(), below.back());
      room += below.back()->gpus;
      below.pop_back();
    }
    if (room < next->gpus) continue;
    for (Plain* v : victims) {
      if (room - v->gpus >= next->gpus)
        room -= v->gpus;
      else
        w.stop(*v);
    }
    w.begin(*next);
  }
}

/// Where muster says otherwise: jobs with its start and end, and ours.
std::string differences(const std::string& spec, const World& plain, std::int64_t gpus) {
  std::vector<TestJob> jobs;
  for (const Plain& j : plain.jobs)
    jobs.push_back(job(std::chrono::seconds{j.submit}, static_cast<std::uint32_t>(j.gpus),
                       std::chrono::seconds{j.length})
                       .estimate(std::chrono::seconds{j.planned})
                       .priority(static_cast<std::int32_t>(j.priority)));
  const auto by = policy(spec);
  Timetable times(jobs.size());
  simulate(Fleet::uniform(1, static_cast<std::uint32_t>(gpus)), prepared(workload(jobs), *by), *by,
           {}, times);
  std::string text;
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    const auto at = [](Seconds s) { return kStart + std::chrono::seconds{s}; };
    const Plain& j = plain.jobs[i];
    if (times.start[JobId{i}] == at(j.start) && times.end[JobId{i}] == at(j.end)) continue;
    const auto seconds = [](SimTime t) {
      return std::to_string(std::chrono::duration<double>(t - kStart).count());
    };
    text += "job " + std::to_string(i) + ": " + seconds(times.start[JobId{i}]) + " to " +
            seconds(times.end[JobId{i}]) + ", and not " + std::to_string(j.start) + " to " +
            std::to_string(j.end) + "\n";
  }
  return text;
}

template <class Rule>
void check_all(const std::string& spec, Rule rule) {
  INFO(spec);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    Stream r(seed, spec);
    const std::int64_t gpus = std::int64_t{2} << r.below(3);
    World w(drawn(r, gpus), gpus);
    w.run(rule);
    REQUIRE(differences(spec, w, gpus).empty());
  }
}

}  // namespace

TEST_CASE("batch starts each job when the plainest simulation does") {
  for (const auto& [name, key] : kOrders) {
    const std::string order = "batch:order=" + name + (name == "aging" ? ",age_step=60s" : "");
    check_all(order, [&k = key](World& w) { in_order(w, k, false); });
    check_all(order + ",skip=true", [&k = key](World& w) { in_order(w, k, true); });
    check_all(order + ",backfill=easy", [&k = key](World& w) { easy(w, k); });
  }
}

TEST_CASE("ranked starts, stops and ends each job when the plainest simulation does") {
  for (const auto& [name, rank] : kRanks)
    check_all("ranked:rank=" + name + ",preemption=suspend,quantum=0s",
              [&k = rank](World& w) { ranked(w, k); });
}
