// The public traces themselves: row accounting and the statistics known of them.
#include "catch.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

using Histogram = std::map<std::uint32_t, std::size_t>;

TEST_CASE("philly, the list of Pollux") {
  const auto file = real_trace("philly/philly_pollux_2017-09_10.csv.zst");
  if (!file) return;
  const Trace t = read_trace(*file);
  CHECK(t.report.format == "philly");
  CHECK(t.report.rows == 52849);  // a header, 52,849 rows and an empty line
  CHECK(t.workload.size() == 52849);
  CHECK(every_row_is_accounted_for(t.report));
  CHECK(count(t.report.warnings, "out_of_order_submit") > 0);
  CHECK(gpu_histogram(t.workload) ==
        Histogram{{1, 50188}, {2, 904}, {4, 945}, {8, 713}, {12, 7}, {16, 65}, {24, 4}, {32, 23}});
  CHECK(duration_quantile(t.workload, 0.5) == 1486s);
  CHECK(t.workload.names.size() == 1 + 12);  // "" and the virtual clusters
  CHECK(std::is_sorted(t.workload.submit.begin(), t.workload.submit.end()));
}

TEST_CASE("philly, the list for topology studies") {
  const auto file = real_trace("philly/philly_all_2017-08_10.csv.zst");
  if (!file) return;
  const Trace t = read_trace(*file);
  CHECK(t.report.rows == 66992);
  CHECK(t.report.replayed == 66992);
  CHECK(gpu_histogram(t.workload) == Histogram{{1, 60339},
                                               {2, 1326},
                                               {4, 2441},
                                               {6, 1},
                                               {7, 2},
                                               {8, 2535},
                                               {12, 12},
                                               {16, 266},
                                               {20, 1},
                                               {24, 8},
                                               {28, 1},
                                               {32, 52},
                                               {48, 2},
                                               {64, 5},
                                               {128, 1}});
  CHECK(duration_quantile(t.workload, 0.5) == 1567s);
  CHECK(count(t.report.warnings, "zero_duration") == 6);
}

TEST_CASE("philly, two entries of the original log") {
  const auto file = real_trace("philly/cluster_job_log_sample2.json");
  if (!file) return;
  const Trace t = read_trace(*file);
  CHECK(t.report.replayed == 2);
  CHECK(shape(t.workload, "application_1506638472019_14199").gpus == 8);
  CHECK(run_time(t.workload, "application_1506638472019_14199") == 74s + 193182s);
  CHECK(run_time(t.workload, "application_1506638472019_16565") == 43s);
  CHECK(wait(t.workload, "application_1506638472019_14199") == 30s);
}

TEST_CASE("helios and acme samples") {
  if (const auto file = real_trace("helios/cluster_log_sample13.csv")) {
    const Trace t = read_trace(*file);
    CHECK(t.report.replayed == 13);
    CHECK(run_time(t.workload, "363167") == 1209615s);
    CHECK(t.report.warnings.empty());  // duration = end - start in all 13
  }
  if (const auto file = real_trace("acme/trace_seren_sample5.csv"))
    CHECK(read_trace(*file).report.replayed == 5);
  if (const auto file = real_trace("acme/trace_kalos_sample2.csv"))
    CHECK(count(read_trace(*file).report.warnings, "duration_includes_queue") == 2);
  if (const auto file = real_trace("acme/kalos_completed_part1.csv"))
    CHECK(read_trace(*file).report.replayed == 212);
}

TEST_CASE("alibaba's traces") {
  if (const auto file = real_trace("alibaba_lingjun2023/crux_jobs_part1.csv")) {
    const Trace t = read_trace(*file);
    CHECK(t.report.format == "alibaba-lingjun2023");
    CHECK(t.report.replayed == 1665);
    CHECK(gpu_histogram(t.workload).at(8) == 551);
    CHECK(gpu_histogram(t.workload).at(32) == 184);
  }
  if (const auto file = real_trace("alibaba_pai2020/gaia_pai-100k_part1.csv.zst"))
    CHECK(read_trace(*file).report.replayed == 66665);
  if (const auto file = real_trace("alibaba_openb2023/openb_pod_list_default.csv.zst")) {
    const Trace t = read_trace(*file);
    CHECK(t.report.rows == 8152);
    CHECK(count(t.report.skipped, "cpu_only") == 1088);
    CHECK(count(t.report.skipped, "never_started") == 861);  // 897 with the CPU pods among them
    CHECK(every_row_is_accounted_for(t.report));
  }
}

TEST_CASE("elasticflow: five clusters") {
  struct Cluster {
    const char* file;
    std::size_t jobs;
    Duration median;
  };
  for (const Cluster& c : {Cluster{"elasticflow/cluster01.csv.gz", 1595, 8287s},
                           {"elasticflow/cluster02.csv.gz", 5778, 6185s},
                           {"elasticflow/cluster04.csv.gz", 15802, 7949s},
                           {"elasticflow/cluster07.csv.gz", 12699, 7399s}})
    if (const auto file = real_trace(c.file)) {
      const Trace t = read_trace(*file);
      CHECK(t.workload.size() == c.jobs);
      CHECK(std::abs(seconds(duration_quantile(t.workload, 0.5) - c.median)) <= 2.0);
      CHECK(t.report.warnings.empty());
    }
}

TEST_CASE("gavel: GPU counts per virtual cluster, all three layouts") {
  if (const auto file = real_trace("gavel_msr/seed0_11cb48.trace")) {
    const Trace t = read_trace(*file);
    CHECK(gpu_histogram(t.workload) ==
          Histogram{{1, 1559}, {2, 81}, {4, 257}, {8, 23}, {16, 69}, {24, 2}, {32, 8}, {64, 1}});
    CHECK(seconds(t.workload.submit.items().back()) / 86400 == Approx(101.8).margin(0.1));
  }
  if (const auto file = real_trace("gavel_msr/physical_max_min_fairness.trace"))
    CHECK(read_trace(*file).report.replayed == 96);
  if (const auto file = real_trace("gavel_msr/shockwave_220.trace")) {
    const Trace t = read_trace(*file);
    CHECK(t.report.replayed == 220);
    CHECK(run_time(t.workload, "1") == 8749s);
  }
}

TEST_CASE("swf: four logs") {
  if (const auto file = real_trace("swf/NASA-iPSC-1993-3.1-cln.swf.zst")) {
    const Trace t = read_trace(*file);
    CHECK(t.report.replayed == 18239);
    CHECK(count(t.report.warnings, "requested_procs_missing_used_allocated") == 18239);
    CHECK(seconds(duration_quantile(t.workload, 0.5)) == Approx(86).margin(1));
  }
  if (const auto file = real_trace("swf/hpc2n_excerpt.swf")) {
    const Trace t = read_trace(*file);
    CHECK(t.report.rows == 3170);
    CHECK(count(t.report.skipped, "run_time_missing") == 25);
    CHECK(count(t.report.warnings, "run_exceeds_request") == 320);
    CHECK(every_row_is_accounted_for(t.report));
  }
  if (const auto file = real_trace("swf/theta_2022.swf.zst")) {
    const Trace t = read_trace(*file);
    CHECK(t.report.replayed == 23911);
    CHECK(count(t.report.warnings, "run_exceeds_request") == 6264);
    CHECK(outcome(t.workload, "1") == Outcome::unknown);
    CHECK(t.workload.origin_unix_ns == 1641021254'000000000);
  }
  if (const auto file = real_trace("swf/metacentrum_wagap_2013_part1.swf.zst")) {
    const Trace t = read_trace(*file);
    CHECK(t.report.rows == 11933);
    CHECK(count(t.report.skipped, "run_time_missing") == 2);
    CHECK(queue(t.workload, "0") == "q_1d");
  }
}

TEST_CASE("the job table of a Slurm database") {
  const auto file = real_trace("mit_supercloud/slurm_log_part1.csv.zst");
  if (!file) return;
  const Trace t = read_trace(*file);
  CHECK(t.report.rows == 6418);
  CHECK(t.report.replayed == 462);
  CHECK(count(t.report.skipped, "cpu_only") == 5956);
  CHECK(gpu_histogram(t.workload) ==
        Histogram{{1, 409}, {2, 44}, {3, 1}, {4, 1}, {6, 1}, {8, 4}, {12, 1}, {16, 1}});
  CHECK(every_row_is_accounted_for(t.report));
}

TEST_CASE("job lists of batch machines") {
  struct List {
    const char* file;
    std::size_t jobs;
  };
  for (const List& l : {List{"hpc_sc15/SDSC-SP2.csv.gz", 54006},
                        {"hpc_sc15/CTC-SP2.csv.gz", 77199},
                        {"hpc_sc15/CEA-curie.csv.gz", 295540}})
    if (const auto file = real_trace(l.file)) CHECK(read_trace(*file).workload.size() == l.jobs);
}
