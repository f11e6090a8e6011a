// Dominant resource fairness: whose turn it is changes with each start.

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "muster/io/fleet.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

TEST_CASE("drf: turns go around within one pass") {
  // Alice asked for everything first; fair_share, which looks once per pass, gives her all of it.
  std::vector<TestJob> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(job(0s, 1, 10s).user("alice"));
  for (int i = 0; i < 2; ++i) jobs.push_back(job(0s, 1, 10s).user("bob"));
  const Fleet four = Fleet::uniform(4, 1);
  CHECK(schedule("batch:order=drf", jobs, four) == "\n|ac|\n|ed|\n|b.|\n|f.|\n");
  CHECK(schedule("batch:order=fair_share", jobs, four) == "\n|ae|\n|bf|\n|c.|\n|d.|\n");
  // Alice has all four; whoever comes next is poorer than she, and what was used before does not count.
  const std::vector<TestJob> later{job(0s, 4, 10s).user("alice"), job(1s, 4, 10s).user("alice"),
                                   job(2s, 4, 10s).user("bob"), job(3s, 4, 10s).user("bob")};
  CHECK(schedule("batch:order=drf", later, four) == "\n|abcd|\n|abcd|\n|abcd|\n|abcd|\n");
}

TEST_CASE("drf: shares are of the type that is scarcest for each") {
  // Eight A and two B. Alice's jobs take 2 A = 1/4 each, Bob's 1 B = 1/2 each. Algorithm 1 gives a
  // (1/4), then Bob c (1/2), then Alice b (1/2); at equal shares the older request goes first.
  const Fleet fleet = parse_fleet(
      R"({"groups": [{"count": 8, "gpus": 1, "gpu_type": "A"}, {"count": 2, "gpus": 1, "gpu_type": "B"}]})",
      "");
  struct Starts final : Observer {
    const Workload& w;
    std::string order;
    explicit Starts(const Workload& workload) : w(workload) {}
    void on(const Record& r) override {
      if (r.what == Record::What::start) order += w.id_text(r.job).back();
    }
  };
  const auto starts = [&](const std::string& spec) {
    const std::vector<TestJob> jobs{
        job(0s, 2, 10s).user("alice").types("A"), job(0s, 2, 10s).user("alice").types("A"),
        job(0s, 2, 10s).user("alice").types("A"), job(0s, 1, 10s).user("bob").types("B"),
        job(0s, 1, 10s).user("bob").types("B")};
    const auto p = policy(spec);
    const Workload w = prepared(workload(jobs), *p);
    Starts seen{w};
    simulate(fleet, w, *p, {}, seen);
    return seen.order;
  };
  CHECK(starts("batch:order=drf") == "adbce");
  CHECK(starts("batch:order=fifo") == "abcde");
}

TEST_CASE("drf: one key for all jobs of a queue is as good as one for each") {
  // Shared by queue, a shape's jobs stand in line by age and their key is kept once; shared by group, each
  // job has its own and all are sorted anew. Where the group is the queue both are the same order.
  Stream random(5, "drf.by_queue");
  std::vector<TestJob> jobs;
  for (int i = 0; i < 300; ++i) {
    const std::string queue(1, static_cast<char>('a' + random.below(3)));
    const auto length = std::chrono::seconds{1 + static_cast<int>(random.below(60))};
    jobs.push_back(job(std::chrono::seconds{i * 2}, 1U << random.below(4), length));
    jobs.back().queue(queue).group(queue).priority(static_cast<int>(random.below(3)));
    jobs.back().estimate(length + std::chrono::seconds{static_cast<int>(random.below(60))});
  }
  const auto starts = [&](const std::string& spec) {
    const auto p = policy("batch:order=drf," + spec);
    const Workload w = prepared(workload(jobs), *p);
    Timetable seen(w.size());
    simulate(Fleet::uniform(4, 4), w, *p, {}, seen);
    std::vector<std::int64_t> at;
    for (std::uint32_t j = 0; j < w.size(); ++j)
      at.push_back(seen.start[JobId{j}].time_since_epoch().count());
    return at;
  };
  for (const std::string how :
       {"backfill=none", "skip=true", "skip=true,depth=5", "skip=true,preemption=requeue",
        "backfill=easy", "backfill=easy,depth=3", "backfill=easy,candidates=shortest",
        "backfill=easy,reservations=3", "backfill=easy,promise=count",
        "backfill=easy,promise=pinned", "backfill=conservative",
        "backfill=conservative,conservative=compress"}) {
    CAPTURE(how);
    CHECK(starts("share_by=queue," + how) == starts("share_by=group," + how));
  }
}
