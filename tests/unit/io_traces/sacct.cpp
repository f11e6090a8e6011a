#include "catch.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kPrinted =
    "JobIDRaw|Submit|Start|End|Elapsed|Timelimit|State|AllocTRES\n"
    "101|2023-02-01T00:00:00|2023-02-01T06:00:00|2023-02-03T09:04:05|2-03:04:05|7-00:00:00|"
    "COMPLETED|"
    "billing=64,cpu=64,gres/gpu=8,gres/gpu:h100=8,node=1\n"
    "101.batch|2023-02-01T06:00:00|2023-02-01T06:00:00|2023-02-03T09:04:05|2-03:04:05||COMPLETED|"
    "cpu=64,node=1\n"
    "102|2023-02-02T10:00:00|2023-02-02T10:20:00|2023-02-02T11:22:03|01:02:03|UNLIMITED|COMPLETED|"
    "gres/gpu=2,node=1\n"
    "103|2023-02-02T12:00:00|2023-02-02T12:00:30|2023-02-02T12:05:00|00:04:30|Partition_Limit|"
    "TIMEOUT|gres/gpu=1,node=1\n"
    "104|2023-02-02T13:00:00|Unknown|Unknown|00:00:00|01:00:00|CANCELLED by 4242|\n"
    "105_7|2023-02-02T13:00:00|2023-02-02T13:00:01|2023-02-02T13:00:11|00:10|10:00|COMPLETED|gres/"
    "gpu=1,node=1\n";

constexpr const char* kDump =
    "id_job,id_user,partition,state,timelimit,time_submit,time_eligible,time_start,time_end,tres_"
    "alloc\n"
    "17.0,4.0,normal,3,1440,1609535912,1609535912,1609535920,1609536020,\"1=20,2=170000,4=1,1002="
    "2\"\n"
    "17.0,4.0,normal,4,4294967295,1609535930,1609535999,1609536000,1609536001,\"1=20,1001=1\"\n"
    "18.0,5.0,normal,6,1,1609535940,1609535940,1609536000,1609536100,\"1=20,1001=1\"\n"
    "19.0,5.0,normal,3,1,1609535940,1609535940,1609536000,1609536100,\"1=20,4=1\"\n"
    "20.0,5.0,normal,4,1,1609535940,0,0,0,\"1=20,1001=1\"\n"
    "21.0,5.0,normal,1,\\N,1609535940,0,1609535940,0,\"1=20,1001=1\"\n";

}  // namespace

TEST_CASE("sacct: durations, states, steps and GPUs as Slurm prints them") {
  const Trace t = read_trace_text(kPrinted, "sacct.txt", in_zone("UTC"));
  const Workload& w = t.workload;
  CHECK(t.report.format == "sacct");
  CHECK(t.report.rows == 6);
  CHECK(count(t.report.skipped, "steps_ignored") == 1);
  CHECK(find(t.report.skipped, "never_started")->jobs == std::vector<std::string>{"104"});
  CHECK(every_row_is_accounted_for(t.report));

  CHECK(run_time(w, "101") == 183845s);
  CHECK(run_time(w, "102") == 3723s);
  CHECK(run_time(w, "103") == 270s);
  CHECK(run_time(w, "105_7") == 10s);
  CHECK(wait(w, "101") == 21600s);
  CHECK(wait(w, "102") == 1200s);
  CHECK(wait(w, "103") == 30s);
  CHECK(wait(w, "105_7") == 1s);
  CHECK(w.estimate[job(w, "101")] == 604800s);
  CHECK(w.estimate[job(w, "102")] == kUnknown);
  CHECK(w.estimate[job(w, "103")] == kUnknown);
  CHECK(w.estimate[job(w, "105_7")] == 600s);
  CHECK(w.limit[job(w, "102")] == kUnlimited);
  CHECK(shape(w, "101").gpus == 8);  // gres/gpu and gres/gpu:h100 are the same GPUs
  CHECK(shape(w, "102").gpus == 2);
  CHECK(outcome(w, "103") == Outcome::timeout);
  CHECK(submit(w, "101") == kStart);
  CHECK(w.origin_unix_ns == 1675209600'000000000);
}

TEST_CASE("sacct: every duration Slurm writes") {
  const auto elapsed = [](const std::string& text) {
    const std::string row = "J|U|2023-02-01T00:00:00|2023-02-01T00:00:00|Unknown|" + text +
                            "|RUNNING|gres/gpu:a=1,gres/gpu:b=2\n";
    return read_trace_text("JobID|User|Submit|Start|End|Elapsed|State|AllocTRES\n" + row, "t",
                           in_zone("UTC"));
  };
  CHECK(run_time(elapsed("2-03:04:05").workload, "J") == 183845s);
  CHECK(run_time(elapsed("1-02").workload, "J") == 26h);
  CHECK(run_time(elapsed("1-02:30").workload, "J") == 26h + 30min);
  CHECK(run_time(elapsed("04:30.250").workload, "J") == 270250ms);
  const Trace t = elapsed("04:30");
  CHECK(shape(t.workload, "J").gpus == 3);
  CHECK(outcome(t.workload, "J") == Outcome::running);
  CHECK(count(t.report.warnings, "still_running") == 1);
}

TEST_CASE("sacct: the type that was asked for binds, the type that was given does not") {
  const Trace t = read_trace_text(
      "JobID|Submit|Start|End|State|ReqTRES|AllocTRES|Eligible\n"
      "a|1700000000|1700000010|1700000020|COMPLETED|gres/gpu:a100=1|gres/gpu=1,gres/"
      "gpu:a100=1|1700000005\n"
      "b|1700000001|1700000010|1700000020|COMPLETED|gres/gpu=1|gres/gpu=1,gres/"
      "gpu:a100=1|1700000001\n",
      "t", with({{"submit", "eligible"}}));
  CHECK(t.workload.names[shape(t.workload, "a").types] == "a100");
  CHECK(t.workload.names[shape(t.workload, "b").types].empty());
  CHECK(submit(t.workload, "a") - submit(t.workload, "b") == 4s);
}

TEST_CASE("sacct: the job table of the database") {
  const Trace t = read_trace_text(kDump, "dump.csv");
  const Workload& w = t.workload;
  CHECK(t.report.rows == 6);
  CHECK(t.report.replayed == 3);
  CHECK(count(t.report.skipped, "cpu_only") == 1);
  CHECK(count(t.report.skipped, "never_started") == 1);
  CHECK(count(t.report.skipped, "run_time_unknown") == 1);
  CHECK(count(t.report.warnings, "duplicate_job") == 1);  // ids that lost digits in a float
  CHECK(count(t.report.warnings, "eligible_after_submit") == 1);
  CHECK(count(t.report.warnings, "run_exceeds_request") == 1);
  CHECK(ids(w) == std::vector<std::string>{"17", "17#2", "18"});
  CHECK(shape(w, "17").gpus == 2);
  CHECK(w.estimate[job(w, "17")] == 24h);
  CHECK(w.limit[job(w, "17#2")] == kUnlimited);
  CHECK(user(w, "18") == "5");
  CHECK(queue(w, "18") == "normal");
}
