// What a person sees who hands over a file that can't be read: the whole message, word for word.
#include "catch.hpp"
#include "muster/io/text/lines.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;

namespace {

const std::string kAdvice =
    "\n    --skip-bad-rows drops them; the report will say how many were dropped";
const std::string kColumns = "job,submit,gpus,duration\n";
const std::string kFormats =
    "acme, alibaba-lingjun2023, alibaba-openb2023, alibaba-pai2020, elasticflow, gavel, gpu-list, "
    "helios, "
    "hpc-list, muster, philly, pollux, sacct, swf";

std::string row(const std::string& text) { return refusal(kColumns + text + "\n"); }
std::string bad(const std::string& what) { return "t.csv:2: " + what + kAdvice; }

}  // namespace

TEST_CASE("files that are no trace at all") {
  CHECK(refusal("") == "t.csv: is empty: expected a trace");
  CHECK(refusal("\n\n\n") ==
        "t.csv:1: is in no format that is known by its content: \"\"\n    --format names one: " +
            kFormats);
  CHECK(refusal("hello world\n") ==
        "t.csv:1: is in no format that is known by its content: \"hello world\"\n    --format "
        "names one: " +
            kFormats);
  CHECK(refusal(std::string("\x7f"
                            "ELF\x02\x01\x01\0\0",
                            9)) ==
        "t.csv:1: is in no format that is known by its content: "
        "\"\\x7fELF\\x02\\x01\\x01\\x00\\x00\"\n"
        "    --format names one: " +
            kFormats);
  CHECK(refusal(std::string("job,submit,gpus,duration\na,0,\0,1\n", 34)) ==
        "t.csv:2: expected text, got a NUL byte\n    this is a binary file, or a damaged one");
  CHECK(refusal("x", in_format("phily")) ==
        "--format: there is no trace format \"phily\"\n    did you mean \"philly\"?\n    there "
        "are: " +
            kFormats);
  CHECK(refusal("x", in_format("muster")) ==
        "t.csv:1: there is no column \"x\" in this format\n    it takes: job, submit, gpus, "
        "duration, user, group, "
        "queue, project, priority, qos, nodes, gpus_per_node, gpu_milli, mig, tasks, gpu_type, "
        "locality, cpus, "
        "memory_gb, estimate, limit, min_gpus, max_gpus, size_requests, allowed_gpus, model, "
        "batch_size, plan, work, "
        "checkpoint_interval, checkpoint_cost, restart_cost, grace, deadline, reservation, "
        "depends_on, cancel, "
        "recorded_start, recorded_end, failed_attempts, outcome, kind");
}

TEST_CASE("somebody else's header: what is there, what is missing, what may be meant") {
  CHECK(refusal("id,submit_time,num_gpu,run_time,user\n1,0,1,10,a\n") ==
        "t.csv:1: is in no format that is known by its content: "
        "\"id,submit_time,num_gpu,run_time,user\"\n"
        "    as canonical CSV it has user and lacks submit, gpus, duration\n"
        "    rename the columns: \"id\" as job, \"submit_time\" as submit, \"num_gpu\" as gpus, "
        "\"run_time\" as duration\n"
        "    docs/traces.md lists all columns; those that it does not list must go\n"
        "    or --format names one: " +
            kFormats);
  CHECK(refusal("x,y\n1,2\n") ==
        "t.csv:1: is in no format that is known by its content: \"x,y\"\n"
        "    as canonical CSV it has no known column and lacks submit, gpus, duration\n"
        "    docs/traces.md lists all columns; those that it does not list must go\n"
        "    or --format names one: " +
            kFormats);
  CHECK(refusal("submit;gpus;runtime\n0;1;10\n") ==
        "t.csv:1: is in no format that is known by its content: \"submit;gpus;runtime\"\n"
        "    its columns are separated by semicolons, those of canonical CSV by commas; as such it "
        "has submit, gpus and lacks duration\n"
        "    rename the columns: \"runtime\" as duration\n"
        "    docs/traces.md lists all columns; those that it does not list must go\n"
        "    or --format names one: " +
            kFormats);
  // Some are right, and two are not.
  CHECK(refusal("job,submit,num_gpu,Run Time\na,0,1,10\n") ==
        "t.csv:1: there is no column \"num_gpu\" in this format\n"
        "    as canonical CSV it has job, submit and lacks gpus, duration\n"
        "    rename the columns: \"num_gpu\" as gpus, \"Run Time\" as duration\n"
        "    docs/traces.md lists all columns; those that it does not list must go");
  CHECK(refusal("job,submit,gpus,duration,walltime\na,0,1,10,10\n") ==
        "t.csv:1: there is no column \"walltime\" in this format\n"
        "    did you mean \"estimate\"?");
}

TEST_CASE("an elastic range that the request is not in") {
  const auto elastic = [](const std::string& columns, const std::string& cells) {
    return refusal("job,submit,gpus,duration," + columns + "\na,0,4,10," + cells + "\n");
  };
  const std::string job = " (row 1, job a)" + kAdvice;
  CHECK(elastic("min_gpus,max_gpus", "5,8") ==
        "t.csv:2: min_gpus: expected gpus (4) or less, got \"5\"" + job);
  CHECK(elastic("min_gpus,max_gpus", "1,3") ==
        "t.csv:2: max_gpus: expected gpus (4) or more, got \"3\"" + job);
  CHECK(elastic("min_gpus", "5") ==
        "t.csv:2: min_gpus: expected gpus (4) or less, got \"5\"" + job);
  CHECK(elastic("allowed_gpus", "1-2") ==
        "t.csv:2: allowed_gpus: expected gpus (4) or more, got \"2\"" + job);
  CHECK(elastic("min_gpus,max_gpus", "8,2") ==
        "t.csv:2: max_gpus: expected min_gpus (8) or more, got \"2\"" + job);
  CHECK(elastic("min_gpus,max_gpus", "4,4") == "accepted");
}

TEST_CASE("columns that contradict each other about an elastic range") {
  const auto elastic = [](const std::string& columns, const std::string& cells) {
    return refusal("job,submit,gpus,duration," + columns + "\na,0,4,10," + cells + "\n");
  };
  const std::string job = " (row 1, job a)" + kAdvice;
  for (const char* range : {"2-8", "3-6", "2|4|8"})
    CHECK(
        elastic("min_gpus,max_gpus,allowed_gpus", std::string{"2,6,"} + range) ==
        "t.csv:2: allowed_gpus: expected the range of min_gpus and max_gpus beside it, or nothing, "
        "got \"" +
            std::string{range} + "\"" + job);
  CHECK(elastic("min_gpus,max_gpus,allowed_gpus", "2,6,2-6") == "accepted");
  CHECK(elastic("min_gpus,allowed_gpus", "2,2-8") == "accepted");
  for (const char* range : {"8-2", "2-4-8", "2-", "2|4|"})
    CHECK(elastic("allowed_gpus", range) ==
          "t.csv:2: allowed_gpus: expected a range such as 2-8 or a list such as 1|2|4|8, got \"" +
              std::string{range} + "\"" + job);
  CHECK(elastic("allowed_gpus", "8|2") == "accepted");
  CHECK(elastic("min_gpus,max_gpus,size_requests", "2,6,10:8") ==
        "t.csv:2: size_requests: expected max_gpus (6) or less, got \"8\"" + job);
  CHECK(elastic("allowed_gpus,size_requests", "2-6,10:6;20:1") ==
        "t.csv:2: size_requests: expected min_gpus (2) or more, got \"1\"" + job);
  CHECK(elastic("size_requests", "10:8;20:1") == "accepted");
  CHECK(elastic("size_requests", "10min:8;1h:4") == "accepted");  // as docs/traces.md has it
  for (const char* columns : {"min_gpus", "max_gpus", "allowed_gpus"})
    CHECK(refusal("job,submit,gpus,duration,mig," + std::string{columns} + "\na,0,1,10,3g,1\n") ==
          "t.csv:2: mig: expected nothing beside a range of GPUs, got \"3g\"" + job);
}

TEST_CASE("a limit of nothing would stop everybody at once") {
  CHECK(refusal("job,submit,gpus,duration,limit\na,0,4,10,0\n") ==
        "t.csv:2: limit: expected a time above 0, or unlimited (an empty field is not known), got "
        "\"0\" (row 1, job a)" +
            kAdvice);
}

TEST_CASE("headers") {
  CHECK(refusal(kColumns) == "t.csv: has no rows: expected at least one job");
  CHECK(refusal("job,submit,gpus,duratoin\na,0,1,1\n") ==
        "t.csv:1: there is no column \"duratoin\" in this format\n    did you mean \"duration\"?");
  CHECK(refusal("job,submit,gpus,gpus,duration\n") ==
        "t.csv:1: column \"gpus\" comes twice\n    remove one, or give it another name");
  CHECK(refusal("job,gpus,duration\na,1,1\n") ==
        "t.csv:1: there is no column \"submit\"\n    the least that is needed: "
        "job,submit,gpus,duration");
  CHECK(refusal("job,submit,duration\na,1,1\n") ==
        "t.csv:1: there is no column \"gpus\"\n    the least that is needed: "
        "job,submit,gpus,duration");
  CHECK(refusal("job,submit,gpus\na,1,1\n") ==
        "t.csv:1: there is no column \"duration\"\n    the least that is needed: "
        "job,submit,gpus,duration");
  CHECK(refusal("job_id,gpu_num\n1,2\n", in_format("helios")) ==
        "t.csv:1: there is no column \"user\"\n    the columns are: job_id, gpu_num");
  CHECK(refusal("# origin_unix_ns: soon\n" + kColumns + "a,0,1,1\n") ==
        "t.csv:1: origin_unix_ns: expected a whole number of nanoseconds");
}

TEST_CASE("numbers that are none, or out of range") {
  const std::string gpus = "gpus: expected a whole number from 0 to 2147483647, got ";
  CHECK(row("a,0,eight,1") == bad(gpus + "\"eight\" (row 1, job a)"));
  CHECK(row("a,0,nan,1") == bad(gpus + "\"nan\" (row 1, job a)"));
  CHECK(row("a,0,-1,1") == bad(gpus + "\"-1\" (row 1, job a)"));
  CHECK(row("a,0,0.5,1") == bad(gpus + "\"0.5\" (row 1, job a)"));
  CHECK(row("a,0,2147483648,1") == bad(gpus + "\"2147483648\" (row 1, job a)"));
  CHECK(row("a,0,9223372036854775808,1") == bad(gpus + "\"9223372036854775808\" (row 1, job a)"));
  CHECK(row("a,0,,1") == bad("gpus: expected a number of GPUs, got \"\" (row 1, job a)"));
  CHECK(row("a,0,0,1") == "t.csv: none of its 1 rows can be replayed: 1 cpu_only");
}

TEST_CASE("times that are none, or out of range") {
  const std::string expected =
      "expected a time from 0 to 100 years, in seconds or with a unit (90s, 15min, 2h, 3d), got ";
  CHECK(row("a,0,1,NaN") == bad("duration: " + expected + "\"NaN\" (row 1, job a)"));
  CHECK(row("a,0,1,-5") == bad("duration: " + expected + "\"-5\" (row 1, job a)"));
  CHECK(row("a,0,1,1e30") == bad("duration: " + expected + "\"1e30\" (row 1, job a)"));
  CHECK(row("a,0,1,101y") == bad("duration: " + expected + "\"101y\" (row 1, job a)"));
  CHECK(row("a,0,1,9223372036854775808") ==
        bad("duration: " + expected + "\"9223372036854775808\" (row 1, job a)"));
  CHECK(row("a,0,1,") == bad("duration: expected a time, got \"\" (row 1, job a)"));
  CHECK(row("a,,1,1") == bad("submit: expected a time, got \"\" (row 1, job a)"));
  CHECK(row("a,-3,1,1") == bad("submit: " + expected + "\"-3\" (row 1, job a)"));
  CHECK(row("a,1700000000000,1,1") ==
        bad("submit: " + expected + "\"1700000000000\" (row 1, job a)"));
  CHECK(row("a,2023-02-30 00:00:00,1,1") ==
        bad("submit: expected a date and time such as 2023-03-01 00:18:22, got \"2023-02-30 "
            "00:00:00\" (row 1, job a)"));
  CHECK(row("a,2023-03-01 00:00:00,1,1") ==
        bad("submit: expected an offset behind the wall time (+08:00), or --time-zone ZONE, got "
            "\"2023-03-01 00:00:00\" (row 1, job a)"));
  CHECK(refusal(kColumns + "a,2023-03-01 00:00:00,1,1\n", in_zone("Mars/Olympus")) ==
        "--time-zone: there is no time zone \"Mars/Olympus\"\n    use an IANA name such as "
        "Europe/Berlin, or an "
        "offset such as +01:00");
  CHECK(refusal(kColumns + "a,0,1,1\nb,2023-03-01T00:00:00Z,1,1\n") ==
        "t.csv:3: submit: expected a number, as in the rows before, got \"2023-03-01T00:00:00Z\" "
        "(row 2, job b)" +
            kAdvice);
}

TEST_CASE("recorded times a century away") {
  CHECK(
      refusal("job,submit,gpus,duration,recorded_end\n"
              "a,2023-03-01T00:00:00Z,1,1,2199-03-01T00:00:00Z\n") ==
      bad("recorded end: expected a time within 100 years of the submit, got \"5554051200 s after "
          "it\" (row 1, job a)"));
}

TEST_CASE("rows that do not fit their table") {
  CHECK(row("a,0,1") == bad("fields: expected 4, got \"3\" (row 1)"));
  CHECK(row("a,0,1,1,1") == bad("fields: expected 4, got \"5\" (row 1)"));
  CHECK(row("\"a,0,1,1") == bad("text: expected every quote closed on its line, at the end of its "
                                "field, got \"\"a,0,1,1\" (row 1)"));
  CHECK(row("J\xf6rg,0,1,1") == bad("text: expected UTF-8, got \"J\\xf6rg,0,1,1\" (row 1)"));
  CHECK(row(std::string(LineReader::kBlock + 1, 'x')) ==
        "t.csv:2: a line of more than 1048576 characters: expected one row per line\n    is this a "
        "text file? "
        "--format names another reader");
  CHECK(row("a,0,1,1\na,1,1,1") ==
        "t.csv:3: job: expected an id of its own (line 2 has this one), got \"a\" (row 2, job a)" +
            kAdvice);
  CHECK(row("a,x,1,1\nb,0,1,1\nc,x,1,1") ==
        "t.csv:2: submit: expected a time from 0 to 100 years, in seconds or with a unit (90s, "
        "15min, 2h, 3d), got "
        "\"x\" (row 1, job a)   (and 1 more row)" +
            kAdvice);
  CHECK(refusal(kColumns + "a,x,1,1\n", skipping_bad_rows()) ==
        "t.csv: none of its 1 rows can be replayed: 1 bad_value");
}

TEST_CASE("canonical columns that contradict each other or know the word not") {
  const auto with_column = [](const std::string& column, const std::string& value,
                              const std::string& gpus = "1") {
    return refusal("job,submit,gpus,duration," + column + "\na,0," + gpus + ",1," + value + "\n");
  };
  CHECK(with_column("gpu_milli", "0") ==
        bad("gpu_milli: expected a whole number from 1 to 1000, got \"0\" (row 1, job a)"));
  CHECK(with_column("gpu_milli", "1001") ==
        bad("gpu_milli: expected a whole number from 1 to 1000, got \"1001\" (row 1, job a)"));
  CHECK(with_column("gpu_milli", "500", "2") ==
        bad("gpus: expected 1 beside a share of a GPU, got \"2\" (row 1, job a)"));
  CHECK(with_column("nodes", "3", "16") ==
        bad("gpus: expected a multiple of nodes (3), got \"16\" (row 1, job a)"));
  CHECK(with_column("nodes,gpus_per_node", "2,4", "16") ==
        bad("gpus: expected nodes x gpus_per_node = 8, at most 2147483647, got \"16\" (row 1, job "
            "a)"));
  CHECK(with_column("gpus_per_node", "8", "12") ==
        bad("gpus: expected a multiple of gpus_per_node (8), got \"12\" (row 1, job a)"));
  CHECK(with_column("tasks", "4+4", "9") ==
        bad("gpus: expected 8, the sum of tasks, got \"9\" (row 1, job a)"));
  CHECK(with_column("tasks", "4+", "4") == bad("tasks: expected the GPUs of each task, such as 4+8 "
                                               "(1 to 64 each), got \"4+\" (row 1, job a)"));
  CHECK(with_column("mig", "3g.40") ==
        bad("mig: expected a MIG profile such as 1g.10gb, 2g.20gb, 3g.40gb, 4g.40gb or 7g.80gb, "
            "got \"3g.40\" (row 1, job a)"));
  CHECK(with_column("mig", "5g.60gb") ==
        bad("mig: expected a MIG profile such as 1g.10gb, 2g.20gb, 3g.40gb, 4g.40gb or 7g.80gb, "
            "got \"5g.60gb\" (row 1, job a)"));
  CHECK(with_column("gpu_milli,mig", "250,3g") ==
        bad("mig: expected nothing beside a gpu_milli, got \"3g\" (row 1, job a)"));
  CHECK(with_column("nodes,mig", "1,3g") ==
        bad("mig: expected nothing beside nodes or tasks, got \"3g\" (row 1, job a)"));
  CHECK(with_column("qos", "gold") == bad("qos: expected one of guaranteed, normal, best_effort, "
                                          "spot, got \"gold\" (row 1, job a)"));
  CHECK(with_column("outcome", "done") ==
        bad("outcome: expected one of completed, failed, cancelled, timeout, node_fail, preempted, "
            "running, unknown, got \"done\" (row 1, job a)"));
  CHECK(with_column("locality", "rack") ==
        bad("locality: expected node, nvlink, leaf, pod, fabric or any; a wish as prefer:leaf, got "
            "\"rack\" (row 1, job a)"));
  for (const char* sizes : {"8", "10:0", "-1:8", "10:8;5:4", "x:8"})
    CHECK(with_column("size_requests", sizes) ==
          bad("size_requests: expected times after the submit with numbers of GPUs, in order, such "
              "as "
              "10min:8;1h:4, got \"" +
              std::string{sizes} + "\" (row 1, job a)"));
  for (const char* attempts : {"30;", "30|", ";30", "30;;20", "x", "-1"})
    CHECK(with_column("failed_attempts", attempts) ==
          bad("failed_attempts: expected the run times of attempts, such as 2h;30min, got \"" +
              std::string{attempts} + "\" (row 1, job a)"));
  CHECK(with_column("failed_attempts", "30000d;10000d") ==
        bad("failed_attempts: expected attempts of at most 100 years together, got "
            "\"30000d;10000d\" (row 1, job a)"));
  CHECK(with_column("min_gpus,max_gpus", "8,4") ==
        bad("max_gpus: expected min_gpus (8) or more, got \"4\" (row 1, job a)"));
  CHECK(with_column("priority", "high") == bad("priority: expected a whole number from -2147483648 "
                                               "to 2147483647, got \"high\" (row 1, job a)"));
  CHECK(with_column("depends_on", "z") ==
        "t.csv:2: depends_on: expected ids of jobs of this trace, got \"z\" (job a)\n    several "
        "ids are separated by ; or |");
  CHECK(refusal("job,submit,gpus,work\na,0,1,100\n") ==
        bad("work: expected a duration beside it, or --reader-option iterations_per_s=N, got "
            "\"100\" (row "
            "1, job a)"));
}

TEST_CASE("options") {
  CHECK(refusal(kColumns + "a,0,1,1\n", with({{"unti", "ms"}})) ==
        "--reader-option unti: trace format \"muster\" has no such option\n    it takes: "
        "iterations_per_s, throughputs, reference");
  const std::string list = "job,submit,procs,estimate,runtime,user\n1,0,1,1,1,1\n";
  CHECK(refusal(list, with({{"unti", "ms"}})) ==
        "--reader-option unti: trace format \"hpc-list\" has no such option\n    did you mean "
        "\"unit\"?");
  CHECK(refusal(list, with({{"unit", "m"}})) ==
        "--reader-option unit: expected ns, us, ms, s, min, h or d, got \"m\"");
}

TEST_CASE("SWF, sacct and the lists") {
  CHECK(refusal("1 0 0 10 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1\n2 5 0\n") ==
        "t.csv:2: fields: expected 18 or more, got \"3\" (row 2)" + kAdvice);
  CHECK(refusal("7 50 0 10 0 -1 -1 0 20 -1 1 3 1 -1 1 -1 -1 -1\n") ==
        "t.csv:1: requested processors: expected 1 or more processors, requested or allocated, got "
        "\"0\" (row 1, job 7)" +
            kAdvice);
  CHECK(refusal("7 -1 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 -1 -1 -1\n") ==
        "t.csv:1: submit time: expected a time, got \"-1\" (row 1, job 7)" + kAdvice);
  CHECK(refusal("; MaxProcs: 8\n") == "t.csv: has no rows: expected at least one job");
  CHECK(refusal("JobID|Submit|Start|End|State\n") ==
        "t.csv:1: there is no column \"AllocTRES\"\n    the columns are: JobID, Submit, Start, "
        "End, State");
  const std::string sacct = "JobID|Submit|Start|End|Elapsed|State|AllocTRES\n";
  CHECK(
      refusal(
          sacct + "1|2023-02-01T00:00:00|2023-02-01T00:00:00|Unknown|1:2:3:4|RUNNING|gres/gpu=1\n",
          in_zone("UTC")) == bad("Elapsed: expected a time as Slurm writes it: "
                                 "[days-][hours:]minutes:seconds, got \"1:2:3:4\" (row 1, job 1)"));
  CHECK(refusal(sacct + "1|2023-02-01T00:00:00|2023-02-01T00:00:00|Unknown|01:00|RUNNING|gpu\n",
                in_zone("UTC")) == bad("AllocTRES: expected entries such as gres/gpu=8 between "
                                       "commas, got \"gpu\" (row 1, job 1)"));
  CHECK(refusal("job_id,submission_time,duration,num_gpu\nx,1,-2,1\n") ==
        bad("duration: expected a number of seconds, from 0 to 100 years, got \"-2\" (row 1, job "
            "x)"));
  CHECK(refusal("arrival_time,length,cpus\n1,x,1\n") ==
        bad("length: expected a number of hours, from 0 to 100 years, got \"x\" (row 1)"));
  CHECK(refusal("name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,1,1000\n") ==
        "t.csv:1: this list of pods has no times (creation_time, deletion_time, scheduled_time)\n"
        "    give them, as in --reader-option duration=1h --reader-option interarrival=10s");
  CHECK(refusal("a\tb\n", in_format("gavel")) ==
        "t.csv:1: expected 7, 10 or 12 fields between tabs, got 2");
}

TEST_CASE("JSON that ends early or is none") {
  const std::string begin =
      R"([{"status": "Pass", "attempts": [], "submitted_time": "2017-10-07 01:11:39",)";
  CHECK(refusal(begin) ==
        "t.csv:1: is not valid JSON: syntax error while parsing object key - unexpected end of "
        "input; expected string "
        "literal\n    if it ends early, the file was cut short");
  CHECK(refusal(begin + "\n\n nope}]") ==
        "t.csv:3: is not valid JSON: syntax error while parsing object key - invalid literal; last "
        "read: "
        "'\"2017-10-07 01:11:39\",<U+000A><U+000A> no'; expected string literal\n    if it ends "
        "early, the file was cut short");
}
