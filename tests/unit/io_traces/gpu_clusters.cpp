// The logs of GPU clusters, in small samples of each layout.
#include "catch.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

TEST_CASE("hpc-list: six columns, any unit") {
  const std::string text =
      "job,submit,procs,estimate,runtime,user\n1,137,56,210000,97225,1\n2,327952,80,,9382,2\n";
  const Trace s = read_trace_text(text, "jobs.csv");
  CHECK(s.report.format == "hpc-list");
  CHECK(submit(s.workload, "1") == SimTime{137s});
  CHECK(shape(s.workload, "2").gpus == 80);
  CHECK(count(s.report.warnings, "estimate_missing") == 1);
  const Trace ms = read_trace_text(text, "jobs.csv", with({{"unit", "ms"}}));
  CHECK(submit(ms.workload, "1") == SimTime{137ms});
  CHECK(run_time(ms.workload, "1") == 97225ms);
  CHECK(ms.workload.estimate[job(ms.workload, "1")] == 210s);
}

TEST_CASE("gpu-list: five columns") {
  const Trace t = read_trace_text(
      "job_id,submit_s,num_gpu,duration_s,vc\n0,0,8,943226,ee9e8c\n1,9,0,1,x\n", "t");
  CHECK(t.report.format == "gpu-list");
  CHECK(queue(t.workload, "0") == "ee9e8c");
  CHECK(count(t.report.skipped, "cpu_only") == 1);
}

TEST_CASE("philly: the list with wall times, through the clock change") {
  const Trace t = read_trace_text(
      "timestamp,duration,num_gpus,gpu_time,cluster\n2017-11-05 01:30:00,66.0,1,66.0,11cb48\n"
      "2017-11-05 03:30:00,2951.0,8,2951.0,6214e9\n\n",
      "philly.csv");
  CHECK(t.report.format == "philly");
  CHECK(count(t.report.warnings, "doubled_hour") == 1);
  CHECK(submit(t.workload, "2") - submit(t.workload, "1") == 3h);
  CHECK(queue(t.workload, "2") == "6214e9");
}

TEST_CASE("philly and lingjun: the list for topology studies is told by the file's name") {
  const std::string text =
      "#job id,arrival time (sec),topology,shape,size,duration "
      "(sec)\n0,0.0,CLOS,8+8,16,720.0\n1,60.0,CLOS,1,1,0.0\n";
  const Trace t = read_trace_text(text, "jobs.csv");
  CHECK(t.report.format == "philly");
  CHECK(shape(t.workload, "0").gpus == 16);
  CHECK(count(t.report.warnings, "shape_ignored") == 1);
  CHECK(count(t.report.warnings, "zero_duration") == 1);
  CHECK(read_trace_text(text, "crux_jobs.csv").report.format == "alibaba-lingjun2023");
}

TEST_CASE("philly: the original log with attempts") {
  const std::string attempt =
      R"({"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:09", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]})";
  const std::string later =
      R"({"start_time": "2017-10-07 02:00:00", "end_time": "2017-10-07 02:00:30", "detail": [{"ip": "m1", "gpus": ["gpu0"]}, {"ip": "m2", "gpus": ["gpu1"]}]})";
  const std::string open =
      R"({"start_time": "2017-10-07 03:00:00", "end_time": "None", "detail": []})";
  const auto logged = [](const std::string& id, const std::string& attempts,
                         const std::string& submitted) {
    return R"({"status": "Pass", "vc": "v", "jobid": ")" + id + R"(", "attempts": [)" + attempts +
           R"(], "submitted_time": )" + submitted + R"(, "user": "u"})";
  };
  const std::string text =
      "[" + logged("a", attempt + "," + later + "," + open, R"("2017-10-07 01:11:39")") + ",\n" +
      logged("none", "", R"("2017-10-07 01:11:39")") + ",\n" +
      logged("open", open, R"("2017-10-07 01:11:39")") + ",\n" +
      logged("undated", attempt, "null") + "]";
  const Trace t = read_trace_text(text, "log.json", skipping_bad_rows());
  CHECK(t.report.format == "philly");
  CHECK(t.report.rows == 4);
  CHECK(every_row_is_accounted_for(t.report));
  CHECK(ids(t.workload) == std::vector<std::string>{"a"});
  CHECK(run_time(t.workload, "a") == 90s);
  CHECK(wait(t.workload, "a") == 30s);
  CHECK(shape(t.workload, "a").gpus == 2);
  CHECK(count(t.report.skipped, "never_started") == 1);
  CHECK(count(t.report.skipped, "gpus_unknown") == 1);
  CHECK(find(t.report.rejected, "submit_missing")->lines == std::vector<std::uint64_t>{4});
  CHECK(count(t.report.warnings, "several_attempts") == 1);
  CHECK(count(t.report.warnings, "attempt_without_times") == 1);

  ReadOptions retry = with({{"attempts", "retry"}});
  retry.skip_bad_rows = true;
  const Workload tried = read_trace_text(text, "log.json", retry).workload;
  CHECK(run_time(tried, "a") == 30s);
  CHECK(tried.truth.failed_attempts == std::map<JobId, std::vector<Duration>>{{JobId{0}, {60s}}});

  // Whichever comes first in the log.
  const Workload turned =
      read_trace_text("[" + logged("a", later + "," + attempt, R"("2017-10-07 01:11:39")") + "]",
                      "log.json", retry)
          .workload;
  CHECK(run_time(turned, "a") == 30s);
  CHECK(turned.truth.failed_attempts == tried.truth.failed_attempts);

  ReadOptions span = with({{"attempts", "span"}});
  span.skip_bad_rows = true;
  CHECK(run_time(read_trace_text(text, "log.json", span).workload, "a") == 48min + 21s);
}

TEST_CASE("helios: local times, CPU jobs, jobs that never started") {
  const Trace t = read_trace_text(
      "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
      "queue\n"
      "1,u1,v1,32,160,4,TIMEOUT,2020-03-18 04:01:39,2020-03-18 04:02:39,2020-04-01 "
      "04:02:54,1209615,60\n"
      "2,u1,v1,0,16,1,COMPLETED,2020-03-18 04:01:39,2020-03-18 04:02:39,2020-04-01 "
      "04:02:54,1209615,60\n"
      "3,u2,v2,8,1,1,CANCELLED,2020-03-18 05:00:00,,,0,0\n"
      "4,u2,v2,8,1,1,SUSPENDED,2020-03-18 05:00:00,2020-03-18 05:00:00,2020-03-18 05:00:09,8,0\n",
      "t");
  CHECK(t.report.format == "helios");
  CHECK(t.workload.origin_unix_ns == 1584475299'000000000);  // 2020-03-17 20:01:39 UTC
  CHECK(run_time(t.workload, "1") == 1209615s);
  CHECK(wait(t.workload, "1") == 60s);
  CHECK(shape(t.workload, "1").gpus == 32);
  CHECK(shape(t.workload, "1").nodes == 0);
  CHECK(outcome(t.workload, "1") == Outcome::timeout);
  CHECK(count(t.report.skipped, "cpu_only") == 1);
  CHECK(count(t.report.skipped, "never_started") == 1);
  CHECK(count(t.report.warnings, "state_unusual") == 1);
  CHECK(run_time(t.workload, "4") == 9s);
  CHECK(count(t.report.warnings, "duration_differs") == 1);
}

TEST_CASE("acme: two column sets in two zones, and the converted list") {
  const Trace seren = read_trace_text(
      "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,"
      "queue,gpu_time\n"
      "5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 "
      "00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,936.0\n",
      "t");
  CHECK(run_time(seren.workload, "5778432") == 117s);
  CHECK(wait(seren.workload, "5778432") == 32s);
  CHECK(seren.workload.origin_unix_ns == 1677601102'000000000);
  CHECK(seren.report.warnings.empty());
  const Trace kalos = read_trace_text(
      "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_"
      "time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
      "dlc,uf794,8,64,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 "
      "11:01:08+00:00,2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0\n",
      "t");
  CHECK(run_time(kalos.workload, "dlc") == 8s);  // not the 18 s of the column: that is end - submit
  CHECK(count(kalos.report.warnings, "duration_includes_queue") == 1);
  const Trace converted = read_trace_text(
      "job_id,arrival_time,num_iteration,iteration_computing_time,iteration_networking_time,gpu_"
      "workers,ps,gpu_per_worker,cpu_per_gpu_worker,cpu_per_ps_worker,tensorsizes,profiled_"
      "network\n"
      "0,0.0,208,0.5,0.25,8,0,8.0,15.0,15.0,10.0,500\n3,58324.0,137,0.5,0.75,16,0,2.0,15.0,15.0,10."
      "0,1000\n",
      "t");
  CHECK(run_time(converted.workload, "3") == 68500ms);
  CHECK(shape(converted.workload, "3").gpus == 32);
  CHECK(shape(converted.workload, "3").nodes == 16);
}

TEST_CASE("elasticflow: whole seconds from the start of the collection") {
  const Trace t = read_trace_text(
      "job_id,submission_time,duration,num_gpu\n965d-04,1932025,2429,64\nfb-20,2000581,1,1\n", "t");
  CHECK(t.report.format == "elasticflow");
  CHECK(t.report.origin == 1932025s);
  CHECK(submit(t.workload, "fb-20") == SimTime{68556s});
}

TEST_CASE("openb: shares, types, pods that never ran") {
  const Trace t = read_trace_text(
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_"
      "time,scheduled_time\n"
      "p0,12000,16384,1,460,V100M16|V100M32,LS,Running,0,12537496,5.0\n"
      "p1,12000,16384,0,0,,BE,Succeeded,1,2,1.0\np2,12000,16384,1,1000,,BE,Pending,1,9,\n"
      "p3,6000,1024,2,1000,,BE,Succeeded,1,9,3\n",
      "t");
  CHECK(t.report.format == "alibaba-openb2023");
  CHECK(shape(t.workload, "p0").milli == 460);
  CHECK(t.workload.names[shape(t.workload, "p0").types] == "V100M16|V100M32");
  CHECK(run_time(t.workload, "p0") == 12537491s);
  CHECK(wait(t.workload, "p0") == 5s);
  CHECK(outcome(t.workload, "p0") == Outcome::unknown);
  CHECK(t.workload.qos[job(t.workload, "p0")] == Qos::guaranteed);
  CHECK(t.workload.qos[job(t.workload, "p3")] == Qos::best_effort);
  CHECK(count(t.report.skipped, "cpu_only") == 1);
  CHECK(count(t.report.skipped, "never_started") == 1);
  const Trace untimed =
      read_trace_text("name,cpu_milli,memory_mib,num_gpu,gpu_milli\nb,1,1,1,1000\na,1,1,4,1000\n",
                      "t", with({{"duration", "1h"}, {"interarrival", "10s"}}));
  CHECK(submit(untimed.workload, "a") == SimTime{10s});
  CHECK(run_time(untimed.workload, "a") == 1h);
}
