// Dominant resource fairness: whose turn it is changes with each start.

#include "catch.hpp"
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
