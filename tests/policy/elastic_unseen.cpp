// Jobs about which nothing can be decided are not shown to the rule: it decides as if they were.

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "muster/io/fleet.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Whatever becomes of jobs, as text.
class Story final : public Observer {
 public:
  explicit Story(const Workload& w) : w_(w) {}
  void on(const Record& r) override {
    text += std::to_string(r.at.time_since_epoch() / 1ms) + " " + std::string{w_.id_text(r.job)} +
            " " + std::to_string(static_cast<int>(r.what));
    for (const Slice& s : r.placement)
      text += " " + std::to_string(s.first.value) + "x" + std::to_string(s.count) + ":" +
              std::to_string(s.gpus);
    text += "\n";
  }
  std::string text;

 private:
  const Workload& w_;
};

std::string story(const std::string& spec, const std::vector<TestJob>& jobs, const Fleet& fleet) {
  const auto p = policy(spec);
  const Workload w = prepared(workload(jobs), *p);
  Story s(w);
  simulate(fleet, w, *p, {}, s);
  return s.text;
}

/// Times are round, so that many jobs are equally long.
std::vector<TestJob> draw_jobs(Stream& r, double elastic) {
  std::vector<TestJob> jobs;
  Duration at = 0s;
  const bool round = r.chance(0.7);
  for (std::uint64_t n = 5 + r.below(60); n > 0; --n) {
    at += 5s * static_cast<int>(r.below(5));
    const auto gpus = static_cast<std::uint32_t>(1 + r.below(r.chance(0.2) ? 12 : 4));
    const Duration length =
        round ? 10s * static_cast<int>(1 + r.below(12)) : 1s * static_cast<int>(1 + r.below(200));
    TestJob j = job(at, gpus, length);
    if (r.chance(0.3)) j.estimate(10s * static_cast<int>(1 + r.below(20)));
    if (r.chance(0.1)) j.priority(1);
    if (r.chance(0.1)) j.grace(7s);
    if (r.chance(0.1)) j.cancel(60s);
    if (r.chance(0.1)) j.checkpoints(20s, 15s);
    if (r.chance(elastic))
      j.elastic(std::max(1U, gpus / 2), gpus * static_cast<std::uint32_t>(1 + r.below(3)));
    if (r.chance(elastic)) j.wants(30s, gpus);
    jobs.push_back(j.types("A"));
  }
  return jobs;
}

}  // namespace

TEST_CASE("elastic: who is not shown to the rule makes no difference") {
  const Fleet one =
      parse_fleet(R"({"groups": [{"count": 5, "gpus": 4, "gpu_type": "A"}]})", "test");
  // With a second type of GPU, which nobody may use, everybody is shown.
  const Fleet two = parse_fleet(R"({"groups": [{"count": 5, "gpus": 4, "gpu_type": "A"},
    {"count": 1, "gpus": 1, "gpu_type": "B", "prefix": "b"}]})",
                                "test");
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Stream r(seed, "elastic_unseen");
    const double elastic = r.chance(0.5) ? 0 : r.uniform();
    const std::vector<TestJob> jobs = draw_jobs(r, elastic);
    for (const char* sizes : {"afs", "edl", "optimus", "user", "pollux"}) {
      if (sizes == std::string{"pollux"} && elastic > 0)
        continue;  // a fair share is one of all GPUs
      for (const char* more : {"", ",interval=1min", ",skip=true,resize_cost=3s", ",cooldown=40s",
                               ",caps={\"q\": 9}"}) {
        const std::string spec = std::string{"elastic:sizes="} + sizes + more;
        INFO(seed << " " << spec);
        REQUIRE(story(spec, jobs, one) == story(spec, jobs, two));
      }
    }
  }
}
