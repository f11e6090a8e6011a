// The order of policies that Helios reports on Microsoft's Philly, virtual cluster by virtual cluster.

#include "support/jobs.hpp"
#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// Nodes of eight GPUs that Helios' simulation gives each virtual cluster.
std::map<std::string, std::uint32_t> nodes_of(const std::filesystem::path& file) {
  LineReader lines(open_bytes(file));
  TraceTable table(lines);
  table.read_header();
  const auto vc = table.column("vc"), nodes = table.column("node num");
  std::map<std::string, std::uint32_t> all;
  while (table.next())
    all[std::string{table[vc].text}] =
        static_cast<std::uint32_t>(parse_integer(table[nodes].text).value());
  return all;
}

/// What was submitted from October on, by virtual cluster, without any estimate.
std::map<std::string, std::vector<TestJob>> october(const Workload& w) {
  constexpr std::int64_t kFirst = 1'506'841'200;  // 2017-10-01 00:00 in California, Unix time in s
  const std::int64_t origin = w.origin_unix_ns / 1'000'000'000;
  std::map<std::string, std::vector<TestJob>> all;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    const std::chrono::seconds since{origin - kFirst};
    const Duration submit = w.submit[j].time_since_epoch() + since;
    if (submit < Duration{}) continue;
    all[std::string{w.names[w.queue[j]]}].push_back(
        job(submit, w.shapes[w.shape[j]].gpus, w.truth.duration[j]).no_estimate());
  }
  return all;
}

/// The mean wait in seconds over all jobs, also between runs, each virtual cluster by itself.
double mean_wait(const std::map<std::string, std::vector<TestJob>>& jobs,
                 const std::map<std::string, std::uint32_t>& nodes, const std::string& spec) {
  double sum = 0, count = 0;
  for (const auto& [vc, n] : nodes) {
    const Workload w = workload(jobs.at(vc));
    const Timetable t = timetable(Fleet::uniform(n, 8), w, spec, {});
    for (std::uint32_t i = 0; i < w.size(); ++i, ++count)
      sum += seconds(t.end[JobId{i}] - w.submit[JobId{i}] - w.truth.duration[JobId{i}]);
  }
  return sum / count;
}

}  // namespace

TEST_CASE("Helios' policies on Philly: FIFO waits most, then QSSF, SJF and SRTF") {
  const auto file = traces() / "philly/philly_pollux_2017-09_10.csv.zst",
             clusters = traces() / "philly/philly_vc_nodes.csv";
  if (!present(file) || !present(clusters)) return;
  const auto nodes = nodes_of(clusters);
  const auto jobs = october(read_trace(file).workload);
  const double fifo = mean_wait(jobs, nodes, "batch:span=most_free");
  const double qssf = mean_wait(jobs, nodes, "batch:span=most_free,order=qssf");
  const double sjf = mean_wait(jobs, nodes, "batch:span=most_free,order=sjf,estimates=perfect");
  const double srtf = mean_wait(jobs, nodes, "ranked:span=most_free,rank=srtf,estimates=perfect");
  // docs/validation.md has these beside the published ones.
  CHECK(fifo == Approx(135).margin(0.5));
  CHECK(qssf == Approx(88).margin(0.5));
  CHECK(sjf == Approx(77).margin(0.5));
  CHECK(srtf == Approx(62).margin(0.5));
}
