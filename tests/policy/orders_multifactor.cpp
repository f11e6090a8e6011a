// Slurm's multifactor priority, a factor at a time.

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/engine/why.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kOne = Fleet::uniform(1, 1);

/// All weights zero but those of `parameters`; priorities computed at each pass.
std::string run(const std::string& parameters, const std::vector<TestJob>& jobs,
                const Fleet& fleet = kOne) {
  std::string spec = "batch:order=multifactor";
  for (const char* weight :
       {"weight_age", "weight_fair_share", "weight_job_size", "weight_partition", "weight_qos"})
    if (parameters.find(std::string{weight} + "=") == std::string::npos)
      spec += std::string{","} + weight + "=0";
  if (parameters.find("calc_period=") == std::string::npos) spec += ",calc_period=0s";
  return schedule(spec + "," + parameters, jobs, fleet);
}

}  // namespace

TEST_CASE("multifactor: age against partition") {
  // Per second of waiting 1; "hi" is worth 50, "lo" 25.
  const std::string weights =
      "weight_age=100,max_age=100s,weight_partition=50,partition_priority={\"hi\": 2}";
  const auto jobs = [](Duration a, Duration submit) {
    return std::vector<TestJob>{job(0s, 1, a), job(10s, 1, 10s).queue("lo"),
                                job(submit, 1, 10s).queue("hi")};
  };
  CHECK(run(weights, jobs(50s, 30s)) == "\n|aaaaacb|\n");  // 40 + 25 < 20 + 50
  CHECK(run(weights, jobs(50s, 40s)) == "\n|aaaaabc|\n");  // 40 + 25 > 10 + 50
  // At 150 both have waited for max_age: 100 + 25 < 100 + 50.
  CHECK(run(weights, jobs(150s, 40s)) == "\n|aaaaaaaaaaaaaaacb|\n");
}

TEST_CASE("multifactor: computed once per calc_period, new jobs by the last computation") {
  const std::string weights =
      "weight_age=100,max_age=100s,weight_partition=50,partition_priority={\"hi\": 2}";
  const std::vector<TestJob> jobs{job(0s, 1, 50s), job(10s, 1, 10s).queue("lo"),
                                  job(40s, 1, 10s).queue("hi")};
  CHECK(run(weights, jobs) == "\n|aaaaabc|\n");
  CHECK(run(weights + ",calc_period=1h", jobs) == "\n|aaaaacb|\n");  // ages as at 0: 25 < 50
}

// At 330 s priorities are those of 300 s, when b had waited for 240 s and c was not there: 240 + 250 < 500. By those of
// 330 s b would go first.
TEST_CASE("multifactor: a pass after the clock's computation goes by the ages of that") {
  const std::vector<TestJob> jobs{job(0s, 1, 340s), job(60s, 1, 10s).queue("lo"),
                                  job(330s, 1, 10s).queue("hi")};
  const std::string weights =
      "weight_age=1000,max_age=1000s,weight_partition=500,partition_priority={\"hi\": 2},"
      "calc_period=5min";
  CHECK(run(weights, jobs) == "\n|" + std::string(34, 'a') + "cb|\n");
}

// d needs both nodes and keeps c from the free one. At 60 s ages are counted, nothing else happens then, and c, which
// is the older one, starts.
TEST_CASE("multifactor: who is first by a new computation starts then, not at the next event") {
  const std::vector<TestJob> jobs{job(0s, 1, 100s), job(0s, 1, 3s), job(1s, 1, 20s).queue("lo"),
                                  job(2s, 2, 10s).queue("hi")};
  const std::string weights =
      "weight_age=1000000,max_age=1000s,weight_partition=500,partition_priority={\"hi\": 2},"
      "calc_period=1min";
  CHECK(run(weights, jobs, Fleet::uniform(2, 1)) == R"(
|aaaaaaaaaad|
|b.....cc..d|
)");
}

TEST_CASE("multifactor: why says the priority and its parts, and those of who is ahead") {
  const std::vector<TestJob> jobs{job(0s, 1, 50s), job(10s, 1, 10s).queue("lo"),
                                  job(20s, 1, 10s).queue("hi")};
  const auto p = policy(
      "batch:order=multifactor,weight_age=100,max_age=100s,weight_fair_share=0,weight_job_size=0,"
      "weight_qos=0,weight_partition=50,partition_priority={\"hi\": 2},calc_period=0s");
  const Workload w = prepared(workload(jobs), *p);
  const std::string said = why(kOne, w, *p, {}, JobId{1}, kStart + 20s).at.text;
  CHECK(said ==
        "needs 1 GPU; 0 GPUs are free; 1 job is ahead of it in the queue; job b has priority 35 "
        "(age 10, partition 25); ahead of it job c has priority 50 (partition 50)");
}

TEST_CASE("multifactor: fair share, classic") {
  const std::vector<TestJob> jobs{job(0s, 1, 20s).user("root"), job(1s, 1, 10s).user("alice"),
                                  job(2s, 1, 10s).user("bob")};
  const std::string half_life = "weight_fair_share=100,half_life=36500d,";
  CHECK(run(half_life + "usage={\"alice\": 100000}", jobs) == "\n|aacb|\n");
  CHECK(run(half_life + "usage={\"bob\": 100000}", jobs) == "\n|aabc|\n");
  // Three shares to one: alice used 3/4 of all, bob 1/4, so both have F = 1/2 and b is older. A whole
  // number of the priority more, and it is bob's turn.
  const std::string shares = half_life + "shares={\"alice\": 30, \"bob\": 10, \"root\": 0},";
  CHECK(run(shares + "usage={\"alice\": 75000, \"bob\": 25000}", jobs) == "\n|aabc|\n");
  CHECK(run(shares + "usage={\"alice\": 79000, \"bob\": 21000}", jobs) == "\n|aacb|\n");
  // Users stand below the account that is their group: A has had its share, so both of its users wait.
  const std::vector<TestJob> groups{
      job(0s, 1, 20s).user("root"), job(1s, 1, 10s).user("u1").group("A"),
      job(2s, 1, 10s).user("u2").group("A"), job(3s, 1, 10s).user("u3").group("B")};
  CHECK(run(half_life + "shares={\"A\": 1, \"B\": 1},usage={\"A/u1\": 100000}", groups) ==
        "\n|aadcb|\n");
}

TEST_CASE("multifactor: usage of a running job counts from one computation to the next") {
  // alice's a has used 20 s of one GPU when it ends, bob nothing: c before b, which is older.
  const std::vector<TestJob> jobs{job(0s, 1, 20s).user("alice"), job(1s, 1, 10s).user("alice"),
                                  job(2s, 1, 10s).user("bob")};
  CHECK(run("weight_fair_share=100", jobs) == "\n|aacb|\n");
}

TEST_CASE("multifactor: size, quality of service, the trace's own priority") {
  const Fleet four = Fleet::uniform(4, 1);
  const std::vector<TestJob> sizes{job(0s, 4, 20s), job(1s, 2, 10s), job(2s, 4, 10s)};
  CHECK(run("weight_job_size=100", sizes, four) == "\n|aacb|\n|aacb|\n|aac.|\n|aac.|\n");
  CHECK(run("weight_job_size=100,favor_small=true", sizes, four) ==
        "\n|aabc|\n|aabc|\n|aa.c|\n|aa.c|\n");
  const std::vector<TestJob> qualities{job(0s, 1, 20s), job(1s, 1, 10s).qos(Qos::best_effort),
                                       job(2s, 1, 10s), job(3s, 1, 10s).qos(Qos::guaranteed)};
  CHECK(run("weight_qos=100", qualities) == "\n|aadcb|\n");
  CHECK(run("weight_qos=100,qos_priority={\"best_effort\": 1}", qualities) == "\n|aabcd|\n");
  const std::vector<TestJob> site{job(0s, 1, 20s), job(1s, 1, 10s), job(2s, 1, 10s).priority(7)};
  CHECK(run("weight_qos=0", site) == "\n|aacb|\n");
  CHECK_THROWS_WITH(policy("batch:order=multifactor,qos_priority={\"gold\": 1}"),
                    Contains("there is no quality of service \"gold\""));
}
