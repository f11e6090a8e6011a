// Formats that need a second file: PAI's tables, Gavel's throughputs.
#include "catch.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kThroughputs =
    R"json({"v100": {"('CycleGAN', 1)": {"null": 2.0, "('A3C', 1)": [1.0, 0.0]}, "('LM (batch size 80)', 4)": {"null": 8.0}}})json";

std::string seven(const std::string& type, int steps, int arrival, int gpus) {
  return type + "\tcd %s && python3 x.py\t--steps\t1\t" + std::to_string(steps) + "\t" +
         std::to_string(arrival) + ".000000\t" + std::to_string(gpus) + "\n";
}

Trace pai(const std::string& jobs, const std::string& tasks, const ReadOptions& options = {},
          const std::string& instances = "") {
  NamedTexts beside{{"pai_task_table.csv", tasks}};
  if (!instances.empty()) beside["pai_instance_table.csv"] = instances;
  return read_trace_text(jobs, "pai_job_table.csv", options, beside);
}

std::string task(const std::string& job, const std::string& count, const std::string& percent,
                 const std::string& times = "110.0,200.0") {
  return job + ",worker," + count + ",Terminated," + times + ",600.0,29.3," + percent + ",T4\n";
}

}  // namespace

TEST_CASE("gavel: steps become time through the throughputs") {
  const std::string text = seven("CycleGAN", 100, 0, 1) + seven("LM (batch size 80)", 100, 5, 4) +
                           seven("LM (batch size 80)", 100, 5, 7);
  const NamedTexts beside{{"simulation_throughputs.json", kThroughputs}};
  const Trace t = read_trace_text(text, "x.trace", {}, beside);
  CHECK(t.report.format == "gavel");
  CHECK(run_time(t.workload, "1") == 50s);
  CHECK(run_time(t.workload, "2") == 12500ms);
  CHECK(run_time(t.workload, "3") == 12500ms);
  CHECK(find(t.report.warnings, "throughput_of_fewer_gpus")->jobs == std::vector<std::string>{"3"});
  CHECK(t.workload.names[t.workload.model[JobId{1}]] == "LM (batch size 80)");
  CHECK(submit(t.workload, "3") == SimTime{5s});
}

TEST_CASE("gavel: ten columns, and twelve with the duration in them") {
  const NamedTexts beside{{"simulation_throughputs.json", kThroughputs}};
  const Trace ten = read_trace_text("CycleGAN\tpython3 x\tdir\t--n\t1\t100\t1\t1\t-1.000000\t7\n",
                                    "x", {}, beside);
  CHECK(run_time(ten.workload, "1") == 50s);
  CHECK(ten.report.origin == 7s);
  const Trace twelve =
      read_trace_text("CycleGAN\tpython3 x\tdir\t--n\t1\t100\t2\tgns\t3\t1.2\t8749\t0\n", "x");
  CHECK(run_time(twelve.workload, "1") == 8749s);
  CHECK(shape(twelve.workload, "1").gpus == 2);
  CHECK(count(twelve.report.warnings, "weight_ignored") == 1);
  CHECK(count(twelve.report.warnings, "slo_ignored") == 1);
}

TEST_CASE("gavel: what is missing is named") {
  const std::string job = seven("CycleGAN", 100, 0, 1);
  const NamedTexts beside{{"simulation_throughputs.json", kThroughputs}};
  CHECK(refusal(job) ==
        "t.csv: jobs of this trace have steps, no durations: expected simulation_throughputs.json "
        "beside it\n"
        "    --reader-option throughputs=FILE names it (from Gavel's repository, scheduler/)");
  CHECK(refusal(seven("BERT", 1, 0, 1), {}, beside) ==
        "t.csv:1: job type: expected a job type that has a throughput, got \"BERT\" (row 1)\n"
        "    --skip-bad-rows drops them; the report will say how many were dropped");
  CHECK(refusal(job, with({{"worker", "h100"}}), beside) ==
        "simulation_throughputs.json: /h100: there are no throughputs for this type of GPU\n"
        "    --reader-option worker=TYPE names another: k80, p100, v100");
}

TEST_CASE("pai: the demand of a job is that of its tasks") {
  const std::string jobs =
      "share,i,u1,Terminated,100.0,210.0\nwhole,i,u1,Failed,100.0,210.0\ngang,i,u2,Terminated,100."
      "0,210.0\n"
      "few,i,u2,Terminated,100.0,210.0\nmany,i,u2,Terminated,100.0,210.0\nwide,i,u2,Terminated,100."
      "0,210.0\n"
      "cpu,i,u2,Terminated,100.0,210.0\nlost,i,u2,Terminated,100.0,210.0\nwaiting,i,u2,Waiting,100."
      "0,\n"
      "running,i,u2,Running,100.0,\n";
  const std::string tasks =
      task("share", "1.0", "50.0") + task("whole", "1.0", "200.0") + task("gang", "2.0", "400.0") +
      task("gang", "1.0", "") + task("few", "2.0", "25.0") + task("many", "5.0", "50.0") +
      task("wide", "3.0", "100.0") + task("cpu", "1.0", "") + task("waiting", "1.0", "100.0", ",") +
      task("running", "1.0", "100.0", "110.0,");
  const Trace t = pai(jobs, tasks);
  const Workload& w = t.workload;
  CHECK(t.report.rows == 10);
  CHECK(every_row_is_accounted_for(t.report));
  CHECK(shape(w, "share").milli == 500);
  CHECK(shape(w, "whole").gpus == 2);
  CHECK(shape(w, "whole").required == Level::node);
  CHECK(shape(w, "gang").gpus == 8);
  CHECK(w.names[shape(w, "gang").tasks] == "4+4");
  CHECK(shape(w, "few").milli == 500);
  CHECK(shape(w, "many").gpus == 3);
  CHECK(shape(w, "wide").gpus == 3);
  CHECK(w.names[shape(w, "wide").tasks].empty());
  CHECK(find(t.report.warnings, "shares_merged")->jobs == std::vector<std::string>{"few"});
  CHECK(find(t.report.warnings, "shares_rounded_up")->jobs == std::vector<std::string>{"many"});
  CHECK(count(t.report.skipped, "cpu_only") == 1);
  CHECK(count(t.report.skipped, "tasks_missing") == 1);
  CHECK(count(t.report.skipped, "never_started") == 1);
  CHECK(count(t.report.skipped, "run_time_unknown") == 1);
  CHECK(run_time(w, "share") == 90s);
  CHECK(wait(w, "share") == 10s);
  CHECK(outcome(w, "whole") == Outcome::failed);
  CHECK(w.names[shape(w, "share").types].empty());
}

TEST_CASE("pai: types are a demand only if asked, instances refine the times") {
  const std::string instances = "a,worker,x,y,z,Terminated,105.0,250.0,m1\n";
  const Trace t = pai("a,i,u,Terminated,100.0,210.0\n", task("a", "1.0", "50.0"),
                      with({{"gpu_types", "keep"}}), instances);
  CHECK(t.workload.names[shape(t.workload, "a").types] == "T4");
  CHECK(run_time(t.workload, "a") == 145s);
  CHECK(wait(t.workload, "a") == 5s);
}

TEST_CASE("pai: the job table alone is not enough") {
  CHECK(refusal("a,i,u,Terminated,100.0,210.0\n") ==
        "t.csv: needs the task table too: pai_task_table.csv: no such file\n"
        "    --reader-option task=FILE names it, instance=FILE the instance table");
  CHECK(refusal("a,i,u,Terminated,100.0,210.0\n", with({{"task", "tasks"}}),
                {{"tasks", "a,w,x,T,1,2,3,4,5,T4\n"}}) ==
        "tasks:1: inst_num: expected a whole number from 0 to 1000000, got \"x\"");
}

TEST_CASE("pai: the GAIA list counts in hours") {
  const Trace t =
      read_trace_text("arrival_time,length,cpus\n0.0,25.408055555555556,1\n0.5,0.25,10\n", "t");
  CHECK(t.report.format == "alibaba-pai2020");
  CHECK(run_time(t.workload, "1") == 91469s);
  CHECK(submit(t.workload, "2") == SimTime{30min});
  CHECK(shape(t.workload, "2").gpus == 10);
}

TEST_CASE("gavel: throughputs on every type go into the workload, those side by side") {
  constexpr const char* kThree =
      R"json({"v100": {"('CycleGAN', 1)": {"null": 4.0}}, "k80": {"('CycleGAN', 1)": {"null": 0.5}},
              "k80_unconsolidated": {"('CycleGAN', 1)": {"null": 0.1}}})json";
  const NamedTexts beside{{"simulation_throughputs.json", kThree}};
  const Trace t = read_trace_text(seven("CycleGAN", 100, 0, 1), "x.trace", {}, beside);
  const Workload& w = t.workload;
  CHECK(w.throughputs.rows().size() == 2);
  CHECK(w.names[w.throughputs.reference] == "v100");
  const NameId k80 = w.throughputs.type_called("K80", w.names);
  CHECK(w.throughputs.relative({w.model[JobId{0}], k80, 1}) == 0.125);
}

TEST_CASE("muster: a table of throughputs beside the trace") {
  const std::string jobs = "job,submit,gpus,duration,estimate,model\na,0,2,60,60,M\nb,0,1,60,60,\n";
  const std::string table =
      "model,gpus,gpu_type,steps_per_s\nM,1,a100,8\nM,4,a100,20\nM,1,t4,2\nM,4,t4,0\n";
  const auto options = with({{"throughputs", "t.csv"}});
  const Trace t = read_trace_text(jobs, "x.csv", options, {{"t.csv", table}});
  const Workload& w = t.workload;
  CHECK(w.names[w.throughputs.reference] == "a100");
  CHECK(t.report.facts.at("throughputs") == "t.csv");
  const NameId model = w.model[JobId{0}], t4 = w.throughputs.type_called("T4", w.names);
  CHECK(w.throughputs.relative({model, t4, 1}) == 0.25);
  CHECK(w.throughputs.relative({model, t4, 3}) == 0.25);  // as on one
  CHECK(w.throughputs.relative({model, t4, 4}) == 0);
  CHECK(w.throughputs.relative({model, NameId{}, 4}) == 1);  // a type that is not in the table
  CHECK(w.throughputs.relative({NameId{}, t4, 1}) == 1);     // nor is this model
  const auto on_t4 = with({{"throughputs", "t.csv"}, {"reference", "t4"}});
  const Workload other = read_trace_text(jobs, "x.csv", on_t4, {{"t.csv", table}}).workload;
  CHECK(other.throughputs.relative(
            {model, other.throughputs.type_called("a100", other.names), 1}) == 4);
}

TEST_CASE("muster: a bad table of throughputs is refused") {
  const std::string jobs = "job,submit,gpus,duration,estimate,model\na,0,2,60,60,M\n";
  const std::string header = "model,gpus,gpu_type,steps_per_s\n";
  const auto options = with({{"throughputs", "t.csv"}});
  const auto said = [&](const std::string& table, const ReadOptions& o) {
    return refusal(jobs, o, {{"t.csv", table}});
  };
  CHECK(said(header + "M,1,a100,-1\n", options) ==
        "t.csv:2: steps_per_s: expected steps per second, from 0 to 1e12, got \"-1\"");
  CHECK(said(header + "M,1,,5\n", options) == "t.csv:2: gpu_type: expected a name, got \"\"");
  CHECK(said(header + "M,0,a100,5\n", options) ==
        "t.csv:2: gpus: expected a whole number from 1 to 2147483647, got \"0\"");
  CHECK(said(header + "M,1,a100,5\n", with({{"throughputs", "t.csv"}, {"reference", "h100"}})) ==
        "t.csv: has no row for the type \"h100\", on which the durations of the trace are said to "
        "hold\n    --reader-option reference=TYPE names it");
}
