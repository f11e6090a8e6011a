// Lucid's own SRTF, job by job: steps of a second, an end that is noted one second late, and a price for
// each preemption.

#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

TEST_CASE("Lucid's SRTF: jobs end when theirs do") {
  // Its price is 40 s up to 8 GPUs and 60 s above, here 40 s for all; and it grants GPUs by number before it
  // looks for places, so that on the busier list some wait for nobody's GPUs.
  const std::string spec =
      "ranked:rank=srtf,span=most_free,estimates=perfect,preemption=checkpoint,restart_cost=40s";
  for (const auto& [jobs, n, others] :
       {std::tuple{"philly_2000.csv", "2000", 0}, {"philly_5000.csv.gz", "5000", 42}}) {
    const auto input = oracles() / "gpu/input" / jobs;
    const auto file = oracles() / "gpu/lucid" / (std::string{"n64g8_"} + n + "_srtf.csv.gz");
    if (!present(input) || !present(file)) return;
    ReadOptions read;
    read.format = "gpu-list";
    const Workload w = read_trace(input, read).workload;
    const Timetable ours = timetable(Fleet::uniform(64, 8), w, spec, {});
    auto ends = peer_starts(file, "job_id", 1s, "finish");
    for (auto& [id, end] : ends) end -= 1s;
    const Differences d = compare(w, ours.end, ends);
    INFO(n << " jobs: " << d.first);
    CHECK(d.compared == w.size());
    CHECK(d.differ == static_cast<std::size_t>(others));
  }
}
