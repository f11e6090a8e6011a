#include "catch.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

TEST_CASE("four columns are enough, in any order") {
  const Trace t =
      read_trace_text("# by hand\nduration,job,gpus,submit\n3600,a,8,0\n2h,b,64,30\n\n", "t.csv");
  CHECK(t.report.format == "muster");
  CHECK(t.report.rows == 2);
  CHECK(t.report.replayed == 2);
  CHECK(t.report.warnings.empty());
  CHECK(ids(t.workload) == std::vector<std::string>{"a", "b"});
  CHECK(shape(t.workload, "a").gpus == 8);
  CHECK(run_time(t.workload, "b") == 2h);
  CHECK(submit(t.workload, "b") == SimTime{30s});
  CHECK(t.workload.origin_unix_ns == INT64_MIN);
}

TEST_CASE("every column of the canonical CSV") {
  const Trace t = read_trace_text(
      "job,submit,gpus,duration,user,group,queue,project,priority,qos,nodes,gpus_per_node,gpu_"
      "milli,"
      "gpu_type,locality,cpus,memory_gb,estimate,limit,min_gpus,max_gpus,model,batch_size,"
      "checkpoint_interval,checkpoint_cost,restart_cost,grace,deadline,depends_on,cancel,"
      "recorded_start,recorded_end,outcome,kind\n"
      "a,0,16,1h,ann,g,q,p,-3,spot,2,8,,A100|H100,leaf;prefer:node,32.5,512,2h,unlimited,8,32,"
      "bert,64,10min,30s,1min,5s,3d,,1h,90,1.5h,failed,service\n"
      "b,1.5,,60,,,,,,,,,250,,,,,,,,,,,,,,,,a,,,,,\n",
      "t.csv");
  const Workload& w = t.workload;
  const JobId a = job(w, "a");
  const JobId b = job(w, "b");
  CHECK(shape(w, "a").gpus == 16);
  CHECK(shape(w, "a").nodes == 2);
  CHECK(shape(w, "a").gpus_per_node == 8);
  CHECK(shape(w, "a").required == Level::leaf);
  CHECK(shape(w, "a").preferred == Level::node);
  CHECK(w.names[shape(w, "a").types] == "A100|H100");
  CHECK(shape(w, "b").gpus == 1);
  CHECK(shape(w, "b").milli == 250);
  CHECK(user(w, "a") == "ann");
  CHECK(queue(w, "a") == "q");
  CHECK(w.names[w.group[a]] == "g");
  CHECK(w.names[w.project[a]] == "p");
  CHECK(w.names[w.model[a]] == "bert (batch size 64)");
  CHECK(w.names[w.kind[a]] == "service");
  CHECK(w.priority[a] == -3);
  CHECK(w.qos[a] == Qos::spot);
  CHECK(w.qos[b] == Qos::normal);
  CHECK(w.cpus[a] == 32.5F);
  CHECK(w.memory_gb[a] == 512.0F);
  CHECK(w.estimate[a] == 2h);
  CHECK(w.limit[a] == kUnlimited);
  CHECK(w.limit[b] == kUnknown);
  CHECK(w.min_gpus[a] == 8);
  CHECK(w.max_gpus[a] == 32);
  CHECK(w.checkpoint_interval[a] == 10min);
  CHECK(w.checkpoint_cost[a] == 30s);
  CHECK(w.restart_cost[a] == 1min);
  CHECK(w.grace[a] == 5s);
  CHECK(w.deadline[a] == 72h);
  CHECK(w.cancel[a] == 1h);
  CHECK(w.depends_on.at(b) == std::vector<JobId>{a});
  CHECK(w.truth.recorded_start[a] == SimTime{90s});
  CHECK(w.truth.recorded_end[a] == SimTime{90min});
  CHECK(outcome(w, "a") == Outcome::failed);
  CHECK(w.submit[b] == SimTime{1500ms});
  CHECK(count(t.report.warnings, "estimate_missing") == 1);
}

TEST_CASE("a model with its plan is a name of its own, as /cost/named takes it") {
  const std::string header = "job,submit,gpus,duration,model,batch_size,plan\n";
  const Trace t = read_trace_text(
      header + "a,0,16,60,llama3-8b,,tp=2;zero=3\nb,0,16,60,llama3-8b,,\"tp=2,zero=3\"\n" +
          "c,0,16,60,llama3-8b,,\n",
      "t.csv");
  const Workload& w = t.workload;
  CHECK(w.names[w.model[job(w, "a")]] == "llama3-8b:tp=2,zero=3");
  CHECK(w.model[job(w, "a")] == w.model[job(w, "b")]);
  CHECK(w.names[w.model[job(w, "c")]] == "llama3-8b");
  const std::string wanted =
      "t.csv:2: plan: expected a model beside it, and no batch_size (a plan has global_batch)";
  CHECK(refusal(header + "a,0,16,60,,,tp=2\n").starts_with(wanted));
  CHECK(refusal(header + "a,0,16,60,gpt,64,tp=2\n").starts_with(wanted));
  CHECK(refusal(header + "a,0,16,60,gpt:tp=8,,tp=2\n")
            .starts_with("t.csv:2: plan: expected none beside model \"gpt:tp=8\", which says its "
                         "plan behind the colon, got \"tp=2\""));
  CHECK(refusal(header + "a,0,16,60,gpt,,2\n")
            .starts_with("t.csv:2: plan: expected words of a plan, as tp=8;pp=4, got \"2\""));
}

TEST_CASE("a plan that nobody could train by is refused wherever the trace is read") {
  const auto refused = [](const std::string& gpus, const std::string& plan) {
    return refusal("job,submit,gpus,nodes,duration,model,plan\na,0," + gpus + ",60,gpt," + plan +
                   "\n");
  };
  const std::string wanted = "t.csv:2: plan: expected words of a plan, as tp=8;pp=4 (";
  CHECK(refused("16,", "tpx=8")
            .starts_with(wanted +
                         "a plan has no word \"tpx\"; did you mean \"tp\"?), got \"tpx=8\""));
  CHECK(refused("16,", "tp=8;tp=4").starts_with(wanted + "\"tp\" can't be given twice)"));
  CHECK(refused("16,", "tp=0").starts_with(wanted + "tp: expected a whole number from 1 to "));
  CHECK(refused("16,", "tp=3").starts_with(wanted + "tp x pp x cp x dp is 3, but "));
  CHECK(refused("16,", "ep=3").starts_with(wanted + "ep must divide dp)"));
  CHECK(refused("16,", "tp=4;global_batch=6")
            .starts_with(wanted + "global_batch is no multiple of "));
  CHECK(refused(",2", "virtual=2").starts_with(wanted + "virtual: there is no pipeline (pp=1))"));
  CHECK(refused(",2", "pp=2;fsdp=1").starts_with(wanted + "zero=3 and a pipeline "));
  // Whole nodes, whose GPUs are not known yet: what they decide is left open.
  for (const char* plan : {"tp=3", "ep=3", "tp=4;global_batch=6", "pp=2;virtual=2"})
    CHECK(refused(",2", plan) == "accepted");
  CHECK(refused("16,", "tp=4;pp=2;global_batch=4") == "accepted");
}

TEST_CASE("a range beside nodes, tasks or a share is not used, and that is said") {
  const Trace t = read_trace_text(
      "job,submit,gpus,nodes,gpu_milli,tasks,duration,min_gpus,max_gpus,size_requests\n"
      "bare,0,16,,,,60,8,32,\nnodes,0,16,2,,,60,8,,\ntasks,0,12,,,4+8,60,,16,\n"
      "share,0,1,,500,,60,,2,\nwish,0,16,2,,,60,,,10:8\nno_range,0,16,2,,,60,16,16,\n",
      "t.csv");
  REQUIRE(find(t.report.warnings, "range_not_used"));
  CHECK(find(t.report.warnings, "range_not_used")->jobs ==
        std::vector<std::string>{"nodes", "tasks", "share", "wish"});
}

TEST_CASE("an empty field is not known, never zero") {
  const Trace t = read_trace_text(
      "job,submit,gpus,duration,estimate\nC,2,1,300,\nD,3,1,5,0\nE,4,1,5,-1\n", "t.csv");
  CHECK(find(t.report.warnings, "estimate_missing")->jobs == std::vector<std::string>{"C"});
  CHECK(find(t.report.warnings, "estimate_not_positive")->jobs ==
        std::vector<std::string>{"D", "E"});
  for (const Duration estimate : t.workload.estimate) CHECK(estimate == kUnknown);
}

TEST_CASE("an estimate that no row has is not missing") {
  CHECK(read_trace_text("job,submit,gpus,duration\na,0,1,1\n", "t").report.warnings.empty());
}

TEST_CASE("jobs without an id are numbered by row") {
  CHECK(ids(read_trace_text("submit,gpus,duration\n0,1,1\n0,0,1\n0,1,1\n", "t").workload) ==
        std::vector<std::string>{"1", "3"});
}

TEST_CASE("nodes, GPUs per node and GPUs complete each other") {
  const Workload w = read_trace_text(
                         "job,submit,duration,gpus,nodes,gpus_per_node\na,0,1,16,2,\nb,0,1,16,,8\n"
                         "c,0,1,,2,8\nd,0,1,,3,\n",
                         "t")
                         .workload;
  for (const char* id : {"a", "b", "c"}) {
    CHECK(shape(w, id).gpus == 16);
    CHECK(shape(w, id).nodes == 2);
    CHECK(shape(w, id).gpus_per_node == 8);
  }
  CHECK(shape(w, "d").gpus == 0);  // three whole nodes
  CHECK(shape(w, "d").nodes == 3);
}

TEST_CASE("unequal tasks, MIG profiles, lists of GPU counts") {
  const Trace t = read_trace_text(
      "job,submit,duration,gpus,tasks,mig,allowed_gpus\na,0,1,12,4+8,,\nb,0,1,1,,3g.40gb,\nc,0,1,4,"
      ",,2|4|8\n"
      "d,0,1,4,,,2-8\n",
      "t");
  const Workload& w = t.workload;
  CHECK(w.names[shape(w, "a").tasks] == "4+8");
  CHECK(shape(w, "b").mig == mig_id("3g"));
  CHECK(shape(w, "b").gpus * shape(w, "b").milli == 500);  // four of eight slots
  CHECK(w.min_gpus[job(w, "c")] == 2);
  CHECK(w.max_gpus[job(w, "c")] == 8);
  CHECK(w.min_gpus[job(w, "d")] == 2);
  CHECK(find(t.report.warnings, "allowed_gpus_as_range")->jobs == std::vector<std::string>{"c"});
}

TEST_CASE("work becomes a duration when the rate is given") {
  const Trace t =
      read_trace_text("job,submit,gpus,work\na,0,1,500\n", "t", with({{"iterations_per_s", "2"}}));
  CHECK(run_time(t.workload, "a") == 250s);
  CHECK(count(t.report.warnings, "work_as_duration") == 1);
}

TEST_CASE("dates make the first submit the origin; numbers keep their zero") {
  const Trace dates = read_trace_text(
      "job,submit,gpus,duration\na,2023-03-01T00:00:00Z,1,1\nb,2023-03-01 09:00:00+08:00,1,1\n",
      "t");
  CHECK(submit(dates.workload, "a") == kStart);
  CHECK(submit(dates.workload, "b") == SimTime{1h});
  CHECK(dates.workload.origin_unix_ns == 1677628800'000000000);

  const Trace wall = read_trace_text(
      "job,submit,gpus,duration\na,2023-03-26 01:00:00,1,1\nb,2023-03-26 04:00:00,1,1\n", "t",
      in_zone("Europe/Berlin"));
  CHECK(submit(wall.workload, "b") == SimTime{2h});  // the clocks were set forward in between
  CHECK(wall.report.facts.at("time_zone") == "Europe/Berlin");

  const Trace numbers = read_trace_text("job,submit,gpus,duration\na,50,1,1\n", "t");
  CHECK(submit(numbers.workload, "a") == SimTime{50s});
}

TEST_CASE("a doubled hour is reported") {
  const Trace t = read_trace_text(
      "job,submit,gpus,duration\na,2023-10-29 02:30:00,1,1\nb,2023-10-29 03:30:00,1,1\n", "t",
      in_zone("Europe/Berlin"));
  CHECK(find(t.report.warnings, "doubled_hour")->values ==
        std::vector<std::string>{"2023-10-29 02:30:00"});
  CHECK(submit(t.workload, "b") == SimTime{2h});
}

TEST_CASE(
    "Unix times count from the first submit; a recorded start before the submit is a data fault") {
  const std::string text =
      "job,submit,recorded_start,duration,gpus\nr1,1700000000,1700000000,100,1\n"
      "r2,1700000060,1700000050,30,1\nr3,,1700000090,10,1\n";
  const Trace t = read_trace_text(text, "t.csv", skipping_bad_rows());
  CHECK(submit(t.workload, "r1") == kStart);
  CHECK(submit(t.workload, "r2") == SimTime{60s});
  const auto* early = find(t.report.warnings, "recorded_start_before_submit");
  REQUIRE(early != nullptr);
  CHECK(early->jobs == std::vector<std::string>{"r2"});
  CHECK(early->values == std::vector<std::string>{"-10 s"});
  const auto* missing = find(t.report.rejected, "submit_missing");
  REQUIRE(missing != nullptr);
  CHECK(missing->jobs == std::vector<std::string>{"r3"});
  CHECK(t.report.errors ==
        std::vector<std::string>{"t.csv:4: submit: expected a time, got \"\" (row 3, job r3)"});
  CHECK(every_row_is_accounted_for(t.report));

  const Trace by_hand = read_trace_text(
      "job,submit,recorded_start,duration,gpus\nr1,0,0,100,1\nr2,60,50,30,1\nr3,,90,10,1\n",
      "t.csv", skipping_bad_rows());
  CHECK(by_hand.workload.submit.items() == t.workload.submit.items());
  CHECK(by_hand.workload.truth.recorded_start.items() == t.workload.truth.recorded_start.items());
}

TEST_CASE("CPU jobs are left out and counted") {
  const Trace t = read_trace_text("job,submit,gpus,duration\na,0,0,1\nb,0,1,1\n", "t");
  CHECK(count(t.report.skipped, "cpu_only") == 1);
  CHECK(every_row_is_accounted_for(t.report));
}

TEST_CASE("bad rows are dropped when asked for, and the first twenty messages kept") {
  std::string text = "job,submit,gpus,duration\ngood,0,1,1\n";
  for (int i = 0; i < 30; ++i) text += "bad" + std::to_string(i) + ",x,1,1\n";
  const Trace t = read_trace_text(text, "t.csv", skipping_bad_rows());
  CHECK(t.report.replayed == 1);
  CHECK(t.report.total(t.report.rejected) == 30);
  CHECK(t.report.errors.size() == 20);
  CHECK(every_row_is_accounted_for(t.report));
}

TEST_CASE("CRLF, a byte order mark, quotes and a missing last line end change nothing") {
  const Trace t = read_trace_text(
      "\xef\xbb\xbfjob,submit,gpus,duration,user\r\n\"a,1\",0,1,1,\"O\"\"Neil\"\r\nb,1,1,1,"
      "J\xc3\xb6rg",
      "t");
  CHECK(ids(t.workload) == std::vector<std::string>{"a,1", "b"});
  CHECK(user(t.workload, "a,1") == "O\"Neil");
  CHECK(user(t.workload, "b") == "J\xc3\xb6rg");
}
