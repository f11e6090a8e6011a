// What is published of Tiresias: by how much it shortens turnaround, and what Muri's simulator, which grew out of
// Tiresias', prints for it and others on traces that are public.

#include "support/jobs.hpp"
#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;

namespace {

struct Totals {
  double mean_jct = 0, makespan = 0, p99_jct = 0;
};

Totals totals(const Fleet& fleet, const Workload& w, const std::string& spec) {
  const Timetable t = timetable(fleet, w, spec, {});
  std::vector<double> jct;
  Totals all;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    jct.push_back(seconds(t.end[j] - w.submit[j]));
    all.mean_jct += jct.back() / static_cast<double>(w.size());
    all.makespan = std::max(all.makespan, seconds(t.end[j] - w.submit[JobId{0}]));
  }
  std::sort(jct.begin(), jct.end());
  all.p99_jct = jct[jct.size() * 99 / 100];
  return all;
}

/// Its jobs take iterations x iteration_time (ms), and 1.5 % more as it reads them (simulator/jobs.py).
Workload muri_jobs(const std::filesystem::path& file) {
  LineReader lines(open_bytes(file));
  TraceTable table(lines);
  table.read_header();
  const auto number = [&](const char* name) {
    return parse_integer(table[table.column(name)].text).value();
  };
  std::vector<TestJob> jobs;
  while (table.next()) {
    const std::chrono::microseconds duration{number("iterations") * number("iteration_time") *
                                             1015};
    jobs.push_back(job(std::chrono::milliseconds{number("submit_time")},
                       static_cast<std::uint32_t>(number("num_gpu")), duration));
  }
  return workload(jobs);
}

/// The raw numbers of its figures 9 and 10, in s (github.com/Rivendile/Muri, simulator/draw_fig9-10.py), and
/// ours over them as docs/validation.md has them.
struct Published {
  const char* trace;
  Totals srtf, srsf;
  double themis, tiresias;  // mean turnaround
  Totals our_srtf, our_srsf;
  double our_themis, our_tiresias;  // 0: not run
};
const Published kPublished[] = {
    {"muri_trace1.csv",
     {1370603.198, 26045465.53, 16647148.09},
     {980140.5699, 26065759.04, 15529913.23},
     1823179.078,
     3330371.307,
     {1.0048, 0.9996, 1.0116},
     {0.9952, 0.9975, 0.9913},
     1.213,
     1.143},
    {"muri_trace1_pr.csv",
     {2303543.816, 24513543.94, 19871388.29},
     {1801859.995, 24272529.59, 18267307.81},
     3314303.178,
     6921682.793,
     {0.9955, 1.0015, 1.0016},
     {0.9954, 1.0007, 0.9972},
     1.036,
     0.8934},
    {"muri_trace2.csv",
     {2665607.375, 48847005.20, 33128484.20},
     {2213949.687, 49026465.31, 31241250.84},
     4628171.542,
     7396368.514,
     {0.9834, 0.9982, 0.9927},
     {0.9898, 0.9848, 0.9917},
     0,
     1.1028},
};

void check(const Totals& ours, const Totals& theirs, const Totals& ratio) {
  CHECK(ours.mean_jct / theirs.mean_jct == Approx(ratio.mean_jct).margin(2e-4));
  CHECK(ours.makespan / theirs.makespan == Approx(ratio.makespan).margin(2e-4));
  CHECK(ours.p99_jct / theirs.p99_jct == Approx(ratio.p99_jct).margin(2e-4));
}

}  // namespace

TEST_CASE("Muri's SRTF and SRSF to 2 %, and the order of its SRSF, SRTF, Themis and Tiresias") {
  const Fleet fleet = Fleet::uniform(8, 8);
  for (const Published& p : kPublished) {
    const auto file = traces() / "muri_tiresias" / p.trace;
    if (!present(file)) return;
    const Workload w = muri_jobs(file);
    INFO(p.trace);
    const Totals srtf = totals(fleet, w, "ranked:estimates=perfect,span=any,rank=srtf"),
                 srsf = totals(fleet, w, "ranked:estimates=perfect,span=any,rank=srsf");
    check(srtf, p.srtf, p.our_srtf);
    check(srsf, p.srsf, p.our_srsf);
    const double tiresias =
        totals(fleet, w, "ranked:span=any,rank=tiresias,thresholds=3250s/7200s,hold=true").mean_jct;
    CHECK(tiresias / p.tiresias == Approx(p.our_tiresias).margin(6e-4));
    CHECK(srsf.mean_jct < srtf.mean_jct);
    CHECK(srtf.mean_jct < tiresias);
    if (p.our_themis == 0) continue;
    const double themis = totals(fleet, w, "themis:estimates=perfect,round=1h").mean_jct;
    CHECK(themis / p.themis == Approx(p.our_themis).margin(6e-4));
    CHECK(srtf.mean_jct < themis);
    CHECK(themis < tiresias);
  }
}

TEST_CASE(
    "Tiresias on Philly: far shorter turnaround than FIFO, and near to who knows all run times") {
  const auto file = oracles() / "gpu/input/philly_5000.csv.gz";
  if (!present(file)) return;
  ReadOptions read;
  read.format = "gpu-list";
  const Workload w = read_trace(file, read).workload;
  const auto mean = [&](const std::string& spec) {
    return totals(Fleet::uniform(32, 8), w, spec).mean_jct;
  };
  const double fifo = mean("fifo"), las = mean("tiresias"), gittins = mean("ranked:rank=gittins"),
               srtf = mean("srtf:estimates=perfect");
  CHECK(fifo / las == Approx(7.15).margin(0.01));
  CHECK(fifo / gittins == Approx(7.69).margin(0.01));
  CHECK(fifo / srtf == Approx(8.51).margin(0.01));
}
