#include <nlohmann/json.hpp>

#include "cli/muster.hpp"

using namespace muster::test;
using Json = nlohmann::json;

namespace {

const std::string kRun = "run --trace t.csv --fleet 1x8 ";

/// "job: start..end" of each line of a jobs.csv.
std::string schedule(const std::string& jobs_csv) {
  std::istringstream lines{jobs_csv};
  std::string line, text;
  std::vector<std::string> header;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream row{line};
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    const auto cell = [&](const char* name) {
      const auto at = std::find(header.begin(), header.end(), name) - header.begin();
      return cells.at(static_cast<std::size_t>(at));
    };
    text += cell("job") + ":" + cell("start_s") + ".." + cell("end_s") + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("what to do about missing estimates is said where it helps") {
  const Place place{{{"t.csv", "job,submit,gpus,duration\na,0,8,100\nb,50,8,10\n"}}};
  const auto said = [&](const std::string& policy) {
    return place.muster("run --trace t.csv --fleet 1x8 --out o --policy " + policy).out;
  };
  CHECK_THAT(said("easy"),
             Contains("estimate_missing: 2 of 2 jobs have no estimate and are planned "
                      "with 86400 s") &&
                 Contains("default_estimate=... or estimates=perfect changes that"));
  for (const char* policy : {"ranked:rank=las", "independent", "rounds:objective=las"}) {
    INFO(policy);
    CHECK_THAT(
        said(policy),
        Contains("estimate_missing: 2 of 2 jobs have no estimate, and the policy goes by none\n"));
  }
}

TEST_CASE("run writes its results and says so") {
  const Place place{{{"t.csv", kFourJobs}}};
  const Ran ran = place.muster(kRun + "--policy fifo --out o");
  CHECK(ran.err == "");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.out,
             StartsWith("t.csv (muster): 4 rows: 4 replayed, 0 skipped, 0 rejected\n"
                        "offered load 140.0 % of 8 GPUs over 100 s: the queue will grow as "
                        "long as jobs arrive\n"));
  CHECK_THAT(ran.out, EndsWith("wrote o/jobs.csv\nwrote o/series.csv\nwrote o/ledger.csv\n"
                               "wrote o/report.html\nwrote o/summary.json\n"));
  CHECK(place.files() == std::vector<std::string>{"o", "o/jobs.csv", "o/ledger.csv",
                                                  "o/report.html", "o/series.csv", "o/summary.json",
                                                  "t.csv"});
  CHECK(schedule(place.read("o/jobs.csv")) == "a:0..100 b:100..150 c:150..210 d:210..220 ");
}

TEST_CASE("which files are written can be said, by flags and in the experiment") {
  const Place place{{{"t.csv", kFourJobs}}};
  CHECK(place.muster(kRun + "--policy fifo --events --timeline --out a").status == 0);
  CHECK(place
            .muster(kRun + "--policy fifo --set /output/events=true --set /output/timeline=true "
                           "--set /output/report=false --out b")
            .status == 0);
  CHECK(place.read("a/events.csv") == place.read("b/events.csv"));
  CHECK(place.read("a/timeline.json") == place.read("b/timeline.json"));
  CHECK_THAT(place.read("a/events.csv"), Contains("\n100,start,b,"));
  const std::vector<std::string> files = place.files();
  CHECK(std::count(files.begin(), files.end(), "a/report.html") == 1);
  CHECK(std::count(files.begin(), files.end(), "b/report.html") == 0);
  CHECK(place.muster(kRun + "--policy fifo --set /output/events=yes --out c").status == 2);
}

TEST_CASE("the policy is a preset, a file, or a family with parameters") {
  const Place place{
      {{"t.csv", kFourJobs}, {"p.json", R"({"family": "batch", "backfill": "easy"})"}}};
  for (const char* policy :
       {"easy", "p.json", "batch:backfill=easy", "batch --set /policy/backfill=easy",
        "fifo --set /policy/backfill=easy", "fifo --set /policy=easy"}) {
    CAPTURE(policy);
    const Ran ran = place.muster(kRun + "--policy " + policy + " --out o");
    CHECK(ran.err == "");
    CHECK(ran.status == 0);
    CHECK(schedule(place.read("o/jobs.csv")) == "a:0..100 b:100..150 c:20..80 d:150..160 ");
  }
}

TEST_CASE("a cap holds its own queue back and no other") {
  // a2 may not start while a1 runs; b asks for the same and is of another queue.
  const Place place{{{"t.csv",
                      "job,submit,gpus,duration,queue\n"
                      "a1,0,1,100,research\na2,0,1,100,research\nb,0,1,100,other\n"}}};
  const Ran ran = place.muster(kRun + R"(--policy 'batch:caps={"research":1}' --out o)");
  CHECK(ran.err == "");
  CHECK(schedule(place.read("o/jobs.csv")) == "a1:0..100 a2:100..200 b:0..100 ");
}

TEST_CASE("a preset takes parameters, and so does a file") {
  const Place place{
      {{"t.csv", kFourJobs}, {"p.json", R"({"family": "batch", "backfill": "easy"})"}}};
  for (const char* policy : {"fifo:backfill=easy", "easy:depth=7,depth=7", "p.json:depth=7"}) {
    CAPTURE(policy);
    const bool twice = std::string{policy}.find("7,") != std::string::npos;
    const Ran ran = place.muster(kRun + "--policy " + policy + " --out o");
    CHECK(ran.status == (twice ? 2 : 0));
    if (twice) continue;
    CHECK(schedule(place.read("o/jobs.csv")) == "a:0..100 b:100..150 c:20..80 d:150..160 ");
    const Json experiment = Json::parse(place.read("o/summary.json")).at("experiment");
    CHECK(experiment.at("policy").at("name") == policy);
  }
  const Json srtf = Json::parse(place.muster("policies srtf:quantum=60s --json").out);
  CHECK(srtf.at("rank") == "srtf");
  CHECK(srtf.at("quantum") == 60);
}

TEST_CASE("queues have a table of their own, with their quotas, and odd quotas a warning") {
  const Place place{{{"t.csv",
                      "job,submit,gpus,duration,queue\n"
                      "a1,0,1,3600,research\na2,0,1,3600,research\nb,0,2,1800,vision\n"}}};
  const Ran ran = place.muster(
      kRun + R"(--policy 'batch:caps={"research":1,"visoin":4},guarantees={"vision":9}' --out o)");
  const std::string unknown =
      "unknown_queue: the quotas name \"visoin\" (caps; did you mean \"vision\"?), and no job of "
      "the trace is in such a queue";
  const std::string above =
      "guarantees_above_fleet: 9 GPUs are guaranteed, and the fleet has 8: not every queue can "
      "have "
      "what is its own at once";
  CHECK(ran.err == "muster: warning: " + unknown + "\nmuster: warning: " + above + "\n");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.out,
             Contains("\nqueue         jobs  wait p50  wait p95   GPU-hours     cap  guarantee\n"
                      "research         2       0 s  60.0 min         2.0       1          -\n"
                      "vision           1       0 s       0 s         1.0       -          9\n\n"));
  const Json summary = Json::parse(place.read("o/summary.json"));
  CHECK(summary.at("warnings").at(0) == unknown);
  CHECK(summary.at("warnings").at(1) == above);
  CHECK(summary.at("by_queue").at(0).at("cap_gpus") == 1);
  CHECK(!summary.at("by_queue").at(0).contains("guaranteed_gpus"));
  CHECK(summary.at("by_queue").at(1).at("guaranteed_gpus") == 9);

  // A cohort is no queue, and one queue alone needs no table.
  const Ran cohort = place.muster(
      kRun + R"(--policy 'batch:parents={"research":"c"},guarantees={"c":8}' --out o)");
  CHECK(cohort.err == "");
  const Ran below =
      place.muster(kRun + R"(--policy 'batch:guarantees={"research":3},pool=2' --out o)");
  CHECK(below.err ==
        "muster: warning: guarantees_below_fleet: 3 GPUs are no queue's own and not in the pool, "
        "so that nobody may use them; pool=5 lends them to all\n");
  const Ran lends = place.muster(
      kRun + R"(--policy 'batch:guarantees={"research":3},pool=5,lending={"research":4}' --out o)");
  CHECK(lends.err ==
        "muster: warning: lending_above_guarantee: \"research\" may lend 4 of 3: it limits "
        "nothing\n");
  place.put("t.csv", "job,submit,gpus,duration,queue\na,0,1,10,only\n");
  CHECK_THAT(place.muster(kRun + "--policy fifo --out o").out, !Contains("\nqueue "));
  const Ran checked =
      place.muster(R"(check --trace t.csv --fleet 1x8 --policy 'batch:caps={"onyl":1}')");
  CHECK_THAT(checked.out, Contains("  warning: unknown_queue: the quotas name \"onyl\" (caps; did "
                                   "you mean \"only\"?), and no job of the trace is in such a "
                                   "queue\n"));
}

TEST_CASE("shares by weight are what the table calls a guarantee") {
  const Place place{{{"t.csv", "job,submit,gpus,duration,queue\na,0,1,10,x\nb,0,1,20,y\n"}}};
  REQUIRE(place.muster(kRun + R"(--policy 'batch:by_weight=true,weights={"x":1,"y":2}' --out o)")
              .status == 0);
  const Json queues = Json::parse(place.read("o/summary.json")).at("by_queue");
  CHECK(queues.at(0).at("queue") == "y");
  CHECK(queues.at(0).at("guaranteed_gpus").get<double>() == Approx(5.333));
  CHECK(queues.at(1).at("guaranteed_gpus").get<double>() == Approx(2.666));
}

TEST_CASE("a run that goes on after findings ends where nothing but turns in vain is left") {
  const Place place{{{"t.csv",
                      "job,submit,nodes,gpus_per_node,duration\n"
                      "a,0,2,8,100\nb,0,2,8,100\n"}}};
  const Ran ran = place.muster(
      "run --trace t.csv --fleet 2x8 --policy kubernetes_default:timeout=60s --out o "
      "--set /engine/on_livelock=go_on");
  CHECK(ran.status == 1);
  CHECK_THAT(ran.out, Contains("warning: no_end: 100 livelocks since the last job ended, and "
                               "nothing else is left to happen: the run ends here, at "));
}

TEST_CASE("a load above 1 is a warning, on the terminal and in the summary") {
  const Place place{{{"t.csv", kFourJobs}}};
  const Ran ran = place.muster(kRun + "--policy fifo --out o");
  const std::string warning =
      "offered_load_above_1: offered load 140.0 % of 8 GPUs over 100 s: the queue will grow as "
      "long as jobs arrive";
  CHECK_THAT(ran.out, Contains("\nwarning: " + warning + "\n"));
  const Json json = Json::parse(place.read("o/summary.json"));
  CHECK(json.at("warnings").at(0) == warning);
  CHECK(json.at("offered_load").get<double>() == Approx(1.4));
}

TEST_CASE("an experiment's parts are relative to the file that they stand in") {
  const Place place{{{"in/t.csv", kFourJobs},
                     {"in/p/easy.json", R"({"family": "batch", "backfill": "easy"})"},
                     {"in/e.json", R"({
                        // comments are fine
                        "fleet": {"groups": [{"count": 1, "gpus": 8}]},
                        "workload": "t.csv",
                        "policy": "p/easy.json",
                        "engine": {"passes": "event"}
                      })"}}};
  CHECK(place.muster("run in/e.json").status == 0);
  CHECK(schedule(place.read("out/e/jobs.csv")) == "a:0..100 b:100..150 c:20..80 d:150..160 ");

  const Json summary = Json::parse(place.read("out/e/summary.json"));
  const Json& experiment = summary.at("experiment");
  CHECK(experiment.at("workload").at("trace") == "in/t.csv");
  CHECK(experiment.at("policy").at("backfill") == "easy");
  CHECK(experiment.at("policy").at("order") == "fifo");
  CHECK(experiment.at("engine").at("passes") == "event");
}

TEST_CASE("what a summary says of its experiment reproduces the run") {
  Place place{{{"t.csv", kFourJobs}}};
  REQUIRE(place.muster(kRun + "--policy easy --seed 7 --out a").status == 0);
  const Json first = Json::parse(place.read("a/summary.json"));
  place.put("again.json", first.at("experiment").dump());
  REQUIRE(place.muster("run again.json --out b").status == 0);
  CHECK(place.read("a/summary.json") == place.read("b/summary.json"));
  CHECK(place.read("a/jobs.csv") == place.read("b/jobs.csv"));
  CHECK(first.at("experiment").at("seed") == 7);
}

TEST_CASE("a flag wins over the file, and --set over the flag") {
  const Place place{
      {{"t.csv", kFourJobs},
       {"e.json", R"({"fleet": "1x8", "workload": "t.csv", "policy": "fifo", "seed": 3})"}}};
  REQUIRE(place.muster("run e.json --policy easy --seed 4 --set /seed=5 --out o").status == 0);
  const Json experiment = Json::parse(place.read("o/summary.json")).at("experiment");
  CHECK(experiment.at("seed") == 5);
  CHECK(experiment.at("policy").at("backfill") == "easy");
}

TEST_CASE("bad rows stop a run unless they are to be skipped, and are counted then") {
  const Place place{{{"t.csv", std::string{kFourJobs} + "e,40,-1,10,10\n"}}};
  const Ran refused = place.muster(kRun + "--policy easy --out o");
  CHECK(refused.status == 2);
  CHECK(refused.out == "");
  CHECK_THAT(refused.err, StartsWith("t.csv:6: gpus: expected "));
  CHECK(place.files() == std::vector<std::string>{"t.csv"});

  const Ran ran = place.muster(kRun + "--policy easy --skip-bad-rows --out o");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.out, StartsWith("t.csv (muster): 5 rows: 4 replayed, 0 skipped, 1 rejected ("));
}

TEST_CASE("a deadlock is an answer: status 1, with the results") {
  const Place place{{{"t.csv",
                      "job,submit,nodes,gpus_per_node,duration\n"
                      "a,0,2,8,100\n"
                      "b,0,2,8,100\n"}}};
  const Ran ran = place.muster("run --trace t.csv --fleet 2x8 --policy kubernetes_default --out o");
  CHECK(ran.status == 1);
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, Contains("incomplete gangs wait for each other: a holds 8 of 16 GPUs") &&
                          EndsWith("wrote o/summary.json\n"));
  CHECK(place.muster("run --trace t.csv --fleet 2x8 --policy fifo --out o").status == 0);
}

TEST_CASE("an unlimited horizon is none") {
  const Place place{{{"t.csv", kFourJobs}}};
  REQUIRE(place.muster(kRun + "--policy easy --out a").status == 0);
  REQUIRE(place.muster(kRun + "--policy easy --set /engine/horizon=unlimited --out b").status == 0);
  CHECK(place.read("a/jobs.csv") == place.read("b/jobs.csv"));
}

TEST_CASE("jobs that would outlive the clock are named, not dropped in silence") {
  const Place place{{{"t.csv",
                      "job,submit,gpus,duration\n"
                      "a,0,8,3153600000\n"
                      "b,1,8,3153600000\n"
                      "c,2,8,3153600000\n"}}};
  REQUIRE(place.muster(kRun + "--policy fifo --out o").status == 0);
  const Json summary = Json::parse(place.read("o/summary.json"));
  CHECK(summary.at("stopped_early") == true);
  CHECK_THAT(summary.at("warnings").dump(), Contains("clock_end: 1 job would run past"));
}

TEST_CASE("output goes through links and into pipes, and a full device is an error") {
  const Place place{{{"t.csv", kFourJobs}, {"real.csv", "old\n"}}};
  REQUIRE(place.shell("ln -s real.csv link.csv; mkfifo pipe").status == 0);
  REQUIRE(place.muster("convert t.csv --out link.csv").status == 0);
  CHECK_THAT(place.read("real.csv"), StartsWith("job,"));
  const Ran piped =
      place.shell("cat pipe & " MUSTER_BINARY_DIR "/muster convert t.csv --out pipe >&2; wait");
  CHECK(piped.out == place.read("real.csv"));
  for (const char* command :
       {"policies --json", "check --schema", "generate --schema", "--version"})
    CHECK(place.muster(std::string{command} + " >/dev/full").status == 2);
}

TEST_CASE("what can't be printed is lost, and the files that were written are complete") {
  const Place place{{{"t.csv", kFourJobs}}};
  REQUIRE(place.muster(kRun + "--policy fifo --out a").status == 0);
  const Ran full = place.muster(kRun + "--policy fifo --out b >/dev/full");
  CHECK(full.status == 2);
  CHECK(full.err ==
        "muster: the standard output can't be written: No space left on device\n"
        "    what should stand there is lost; files that were to be written are complete\n");
  const Ran closed = place.muster(kRun + "--policy fifo --out c >&-");
  CHECK(closed.status == 2);
  CHECK_THAT(closed.err,
             StartsWith("muster: the standard output can't be written: Bad file descriptor\n"));
  for (const char* file : {"jobs.csv", "series.csv", "ledger.csv", "report.html", "summary.json"})
    for (const char* other : {"b/", "c/"})
      CHECK(place.read(std::string{other} + file) == place.read(std::string{"a/"} + file));
}

TEST_CASE("a folder that can't be made is said before the run") {
  const Place place{{{"t.csv", kFourJobs}, {"o", "a file\n"}}};
  const Ran ran = place.muster(kRun + "--policy easy --out o");
  CHECK(ran.status == 2);
  CHECK(ran.out == "");
  CHECK_THAT(ran.err, StartsWith("o: "));
  CHECK(place.files() == std::vector<std::string>{"o", "t.csv"});
}

TEST_CASE("an interrupted run ends in order") {
  // A trace that is long enough to be interrupted on any machine.
  std::string jobs = "job,submit,gpus,duration\n";
  for (int i = 0; i < 300'000; ++i)
    jobs += "j" + std::to_string(i) + "," + std::to_string(i) + ",1,100000\n";
  const Place place{{{"t.csv", jobs}}};
  // It is told to stop once it has made the folder, so while it simulates.
  const Ran ran = place.shell(MUSTER_BINARY_DIR
                              "/muster run --trace t.csv --fleet 64x8 --policy easy --out o & "
                              "while [ ! -d o ] && kill -0 $!; do sleep 0.01; done; "
                              "sleep 0.2; kill -TERM $!; wait $!");
  if (ran.status == 0) return;  // a very fast machine
  CHECK(ran.status == 130);
  CHECK_THAT(ran.err, StartsWith("muster: interrupted at ") &&
                          EndsWith("the files say what happened until then\n"));
  CHECK_THAT(ran.out, EndsWith("wrote o/summary.json\n"));
  CHECK(Json::parse(place.read("o/summary.json")).at("stopped_early") == true);
  for (const std::string& file : place.files()) CHECK_THAT(file, !EndsWith(".partial"));
}
