// WFP3 and UNICEP: who goes first depends on when one asks.

#include "catch.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kFour = Fleet::uniform(4, 1);

/// Who starts when a, which holds everything, ends.
std::string first_at(Duration end, const std::string& spec, bool with_d = false) {
  std::vector<TestJob> jobs{
      job(0s, 4, end),   // a
      job(0s, 4, 80s),   // b: wfp3 4 (t/80)^3         unicep t / (2 x 80)
      job(50s, 3, 20s),  // c: wfp3 3 ((t-50)/20)^3    unicep (t-50) / (1.585 x 20)
  };
  if (with_d) jobs.push_back(job(50s, 1, 1000s));
  const Workload w = workload(jobs);
  const auto p = policy(spec);
  Timetable times(w.size());
  simulate(kFour, w, *p, {}, times);
  std::string first;
  for (std::uint32_t i = 1; i < w.size(); ++i)
    if (times.start[JobId{i}] == kStart + end) first += w.id_text(JobId{i});
  return first;
}

}  // namespace

TEST_CASE("wfp3: c overtakes b when 3 ((t-50)/20)^3 = 4 (t/80)^3") {
  CHECK(first_at(55s, "batch:order=wfp3") == "b");  // 1.30 and 0.05
  CHECK(first_at(68s, "batch:order=wfp3") == "b");  // 2.46 and 2.19
  CHECK(first_at(69s, "batch:order=wfp3") == "c");  // 2.566 and 2.572
  CHECK(first_at(100s, "batch:order=wfp3") == "c");
}

TEST_CASE("unicep: c overtakes b when (t-50)/31.7 = t/160") {
  CHECK(first_at(55s, "batch:order=unicep") == "b");  // 0.344 and 0.158
  CHECK(first_at(62s, "batch:order=unicep") == "b");  // 0.3875 and 0.3785
  CHECK(first_at(63s, "batch:order=unicep") == "c");  // 0.394 and 0.410
  // One GPU: log2(1) = 0, so d goes before both, and c beside it.
  CHECK(first_at(55s, "batch:order=unicep", true) == "d");
  CHECK(first_at(63s, "batch:order=unicep", true) == "cd");
}

TEST_CASE("calc_period: between two computations nobody ages") {
  CHECK(first_at(100s, "batch:order=wfp3,calc_period=1h") == "b");   // as at 0: all wait 0 s
  CHECK(first_at(100s, "batch:order=wfp3,calc_period=90s") == "c");  // due since 90
}
