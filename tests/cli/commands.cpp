#include <nlohmann/json.hpp>

#include "cli/muster.hpp"

using namespace muster::test;
using Json = nlohmann::json;

namespace {

const std::string kCanonical = kFourJobs;

}  // namespace

TEST_CASE("help and version") {
  const Place place;
  const Ran version = place.muster("--version");
  CHECK_THAT(version.out, StartsWith("muster 0."));
  CHECK(version.status == 0);

  for (const char* command : {"run", "checkpoints", "spares", "why", "fragmentation", "check",
                              "convert", "generate", "fleet", "policies"}) {
    CAPTURE(command);
    CHECK_THAT(place.muster("--help").out, Contains(std::string{"\n  "} + command + " "));
    const Ran help = place.muster(std::string{command} + " --help");
    CHECK(help.status == 0);
    CHECK(help.err == "");
    CHECK_THAT(help.out, Contains("Examples:\n  muster " + std::string{command}));
  }

  const Ran nothing = place.muster("");
  CHECK(nothing.status == 2);
  CHECK(nothing.out == "");
  CHECK_THAT(nothing.err, Contains("Usage: muster"));
}

TEST_CASE("check says what a trace asks of a fleet") {
  // Four jobs of one A10 each for 100 s, and three A10s.
  const Place place{{{"t.csv",
                      "job,submit,gpus,duration,gpu_type\n"
                      "x0,0,1,100,A10\nx1,0,1,100,A10\nx2,0,1,100,A10\nx3,0,1,100,A10\n"}}};
  const Ran text = place.muster("check --trace t.csv --fleet 1x3:A10");
  CHECK(text.err == "");
  CHECK(text.out ==
        "t.csv (muster): 4 rows: 4 replayed, 0 skipped, 0 rejected\n"
        "fleet 1x3:A10: 3 GPUs\n"
        "  warning: offered_load_above_1: offered load 133.3 % of 3 A10 GPUs over 100 s: the queue "
        "will grow as long as jobs arrive\n"
        "  if nobody ever waited, 4 of 3 GPUs would be in use from 0 s to 100 s\n"
        "  the widest job, x0, asks for 1 GPU on one node: fits\n");
  CHECK(text.status == 0);

  const Ran ran = place.muster("check --trace t.csv --fleet 1x3:A10 --json");
  CHECK(ran.status == 0);
  const Json json = Json::parse(ran.out);
  CHECK(json.at("schema") == "muster.check/1");
  CHECK(json.at("trace").at("replayed") == 4);
  CHECK(json.at("offered_load").at("A10").at("window") == Json::array({0, 100}));
  CHECK(json.at("offered_load").at("A10").at("ratio").get<double>() == Approx(4.0 / 3));
  CHECK(json.at("recorded_use_above_capacity").at("A10").at("from") == 0);
  CHECK(json.at("recorded_use_above_capacity").at("A10").at("to") == 100);
  CHECK(json.at("recorded_use_above_capacity").at("A10").at("peak") == 4);
  CHECK(json.at("recorded_use_above_capacity").at("A10").at("capacity") == 3);
  CHECK(json.at("warnings") ==
        Json::parse(R"([{"code": "offered_load_above_1", "count": 1, "gpu_type": "A10"}])"));
}

TEST_CASE("check names jobs that can never start") {
  const Place place{{{"t.csv", kFourJobs}}};
  const Ran ran = place.muster("check --trace t.csv --fleet 1x4 --policy easy");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.out,
             Contains("  the widest job, b, asks for ") &&
                 Contains(": can never start on this fleet\n") &&
                 EndsWith("  2 jobs can never start on this fleet and will be rejected: b, d\n"));
}

TEST_CASE("check refuses what run would refuse") {
  const Place place{{{"t.csv", kFourJobs}}};
  CHECK(place.muster("check --trace t.csv --fleet 1x8 --policy esay").status == 2);
  CHECK(place.muster("check --trace t.csv --set /engine/pases=1").status == 2);
  CHECK(place.muster("check --policy easy").out == "in order\n");
  CHECK(place.muster("check --trace t.csv --fleet 1x8").status == 0);
}

TEST_CASE("check says which parts it can't read yet") {
  const Place place{{{"t.csv", kFourJobs}}};
  for (const char* given : {"--trace t.csv --fleet 1x8", "--trace t.csv --policy easy",
                            "--fleet 1x8 --policy easy", "--trace t.csv --fleet 1x8 --json"}) {
    const Ran ran = place.muster(std::string{"check --set /links/-=x "} + given);
    CHECK(ran.err ==
          "muster: warning: /links was not checked: that takes a fleet, a trace and a policy\n");
    CHECK(ran.status == 0);
  }
  CHECK(place.muster("check --trace t.csv --fleet 1x8 --policy easy").err == "");
}

TEST_CASE("convert writes canonical CSV, plain or compressed") {
  const Place place{{{"t.csv", kFourJobs}}};
  const Ran ran = place.muster("convert t.csv");
  CHECK(ran.status == 0);
  CHECK(ran.out == kCanonical);
  CHECK(ran.err == "t.csv (muster): 4 rows: 4 replayed, 0 skipped, 0 rejected\n");

  for (const char* name : {"a.csv", "a.csv.gz", "a.csv.zst"}) {
    CAPTURE(name);
    CHECK(place.muster(std::string{"convert t.csv --out "} + name).status == 0);
    CHECK(place.muster(std::string{"convert "} + name).out == kCanonical);
  }
  CHECK(place.read("a.csv") == kCanonical);
  CHECK(place.read("a.csv.gz").substr(0, 2) == "\x1f\x8b");
  CHECK(place.files() == std::vector<std::string>{"a.csv", "a.csv.gz", "a.csv.zst", "t.csv"});
  CHECK(place.muster("convert t.csv --out new/folder/a.csv").status == 0);
  CHECK(place.read("new/folder/a.csv") == kCanonical);

  CHECK(place.shell("cat t.csv | " MUSTER_BINARY_DIR "/muster convert - 2>/dev/null").out ==
        kCanonical);
}

TEST_CASE("generate makes the same trace again, and another for another seed") {
  Place place;
  CHECK_THAT(place.muster("generate --list").out, Contains("philly\n"));
  place.put("s.json", place.shell("cat '" MUSTER_SOURCE_DIR "/configs/generate/first.json'").out);
  const Ran a = place.muster("generate s.json");
  CHECK(a.status == 0);
  CHECK_THAT(a.out, StartsWith("job,submit,"));
  CHECK(place.muster("generate s.json").out == a.out);
  CHECK(place.muster("generate s.json --seed 2").out != a.out);
  CHECK_THAT(place.muster("generate s.json --out t.csv.gz").out, EndsWith(" jobs to t.csv.gz\n"));
  CHECK(place.muster("convert t.csv.gz").out == a.out);
}

TEST_CASE("why explains a wait from a finished run and from flags alike") {
  const Place place{{{"t.csv", kFourJobs}}};
  REQUIRE(place.muster("run --trace t.csv --fleet 1x8 --policy fifo --out o").status == 0);
  const Ran stored = place.muster("why c --run o");
  const Ran flags = place.muster("why c --trace t.csv --fleet 1x8 --policy fifo");
  CHECK(stored.status == 0);
  CHECK(stored.err == "");
  CHECK(stored.out == flags.out);
  CHECK_THAT(stored.out, StartsWith("job c: submitted at 20 s, started at 150 s\n"));
  CHECK_THAT(stored.out, Contains("  from 20 s to 100 s  order"));

  // A different moment, and a different policy on top of the stored run.
  CHECK_THAT(place.muster("why c --run o --at 30").out, Contains("\nat 30 s it waited for: "));
  CHECK_THAT(place.muster("why c --run o --policy easy").out, Contains("it never waited"));
}

TEST_CASE("why says that a job was withdrawn between two attempts") {
  const Place place{{{"t.csv",
                      "job,submit,gpus,duration,failed_attempts,cancel,priority\n"
                      "a,0,8,40,30;20,60,0\nb,10,8,100,,,1\n"}}};
  // a fails at 30, and b has the node from then on.
  const Ran ran = place.muster("why a --trace t.csv --fleet 1x8 --policy batch:order=priority");
  CHECK_THAT(ran.out, Contains("started at 0 s, withdrawn while it waited for attempt 2 of 3\n"));
}

TEST_CASE("why says what an outage did to a job, and how that went on") {
  const Place place{
      {{"t.csv", "job,submit,gpus,duration,checkpoint_interval\na,0,16,100,30\n"},
       {"e.json", R"({"fleet": "3x8", "workload": "t.csv", "policy": "fifo", "failures":
                       {"events": [{"node": "n0", "at": 50, "until": 200},
                                   {"node": "n1", "at": 90, "until": 120}],
                        "on_failure": "swap", "spares": 1}})"}}};
  REQUIRE(place.muster("run e.json --out o").status == 0);
  const std::string all = place.muster("why a --run o").out;
  CHECK_THAT(all, Contains("from 0 s to 50 s  runs    then an outage interrupts it, 20 s of its "
                           "work are lost, and it goes on with n2 in place of n0\n"));
  CHECK_THAT(all, Contains("from 50 s to 90 s  runs    then an outage interrupts it, 10 s of its "
                           "work are lost\n"));
}

TEST_CASE("why follows a wait until the window closes, and takes ids that look like flags") {
  const Place place{{{"t.csv", "job,submit,gpus,duration\nlong,0,4,1000\n-x,5,1,10\n"}}};
  const std::string trace = "--trace t.csv --fleet 1x4 --policy fifo --set /engine/horizon=600s ";
  const Ran ran = place.muster("why " + trace + "-- -x");
  CHECK(ran.status == 0);
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, Contains("job -x: submitted at 5 s, never started"));
  CHECK_THAT(ran.out, Contains("  from 5 s to 600 s  capacity  "));
  const Ran flag = place.muster("why " + trace + "-x");
  CHECK(flag.status == 2);
  CHECK_THAT(flag.err, Contains("there is no flag \"-x\"") && Contains("behind \"--\""));
}

TEST_CASE("why about a moment long after the last pass knows that estimates have passed") {
  const Place place{
      {{"t.csv", "job,submit,gpus,duration,estimate\na,0,4,1000,100\nb,5,4,10,10\n"}}};
  const auto said = [&](const char* at) {
    return place
        .muster(std::string{"why b --trace t.csv --fleet 1x4 "
                            "--policy batch:kill_at_limit=false,backfill=easy --at "} +
                at)
        .out;
  };
  CHECK_THAT(said("50"), Contains("by the estimates there is room at 100 s, when a ends\n"));
  CHECK_THAT(said("500"),
             Contains("change: there is room when a ends, and that may be at any moment: more time "
                      "has passed than was estimated\n"));
}

TEST_CASE("why about a moment before the submit says so") {
  const Place place{{{"t.csv", "job,submit,gpus,duration\na,0,8,100\nb,50,8,10\n"}}};
  const Ran ran = place.muster("why b --trace t.csv --fleet 1x8 --policy fifo --at 20");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.out, Contains("\nat 20 s it was not submitted yet, which it was at 50 s\n"));
  const auto said = [&](const char* at) {
    return place.muster(std::string{"why b --trace t.csv --fleet 1x8 --policy fifo --at "} + at)
        .out;
  };
  CHECK_THAT(said("105"),
             Contains("\nat 105 s it ran; --at takes a time at which it waited, see above\n"));
  CHECK_THAT(said("1d"),
             Contains("\nat 86400 s it was over (completed); --at takes a time at which "
                      "it waited, see above\n"));
}

TEST_CASE("fleet and policies list what there is") {
  const Place place;
  CHECK_THAT(place.muster("fleet show 4x8").out, StartsWith("4x8: 4 nodes, 32 GPUs\n"));
  CHECK_THAT(place.muster("fleet show 4x8:h100/2 --dot").out, StartsWith("graph \"4x8:h100/2\" {"));
  CHECK(place.muster("fleet check 4x8:h100").out == "4x8:h100: a fleet of 4 nodes and 32 GPUs\n");
  CHECK_THAT(place.muster("fleet list").out, Contains("philly\n"));
  CHECK_THAT(place.muster("policies").out, Contains("  batch ") && Contains("  easy "));
  CHECK_THAT(place.muster("policies batch").out,
             Contains("  depth ") && Contains(" | fair_share | fifo | ") &&
                 Contains(" ljf: longest job first, by what it is planned to run\n"));
  CHECK(Json::parse(place.muster("policies easy --json").out).at("backfill") == "easy");
  CHECK(Json::parse(place.muster("policies --json").out).at("presets").contains("easy"));
}

TEST_CASE("a preset is described by what it sets") {
  const Place place{{{"p.json", R"({"family": "batch", "backfill": "easy", "depth": 50})"}}};
  CHECK(
      place.muster("policies p.json").out ==
      "p\n\n"
      "policy batch (a queue in some order, whole gangs, backfill behind promises, caps, priority "
      "preemption) with\n\n"
      "  backfill  who may pass a job that does not fit: none, easy (one promise), conservative (a "
      "promise to all)\n"
      "              none | easy | conservative; here easy\n"
      "  depth     waiting jobs tried behind the promise; 0 = all\n"
      "              int 0..1000000000; here 50\n\n"
      "`muster policies batch` describes all parameters, `muster policies 'p.json' --json` shows "
      "all values.\n");
  CHECK_THAT(place.muster("policies srtf").out,
             StartsWith("srtf: whoever has the shortest time to go by its estimate") &&
                 Contains("\npolicy ranked (") && Contains("; here srtf\n"));
}

TEST_CASE("why finds the trace of a run from wherever it is called") {
  const Place place{{{"in/t.csv", kFourJobs}, {"else/x", ""}}};
  REQUIRE(place.muster("run --trace in/t.csv --fleet 1x8 --policy fifo --out out/o").status == 0);
  const Ran here = place.muster("why c --run out/o");
  REQUIRE(here.status == 0);
  const std::string binary = MUSTER_BINARY_DIR "/muster ";
  CHECK(place.shell("cd else; " + binary + "why c --run ../out/o").out == here.out);
  CHECK(place.shell("cd out/o; " + binary + "why c --run .").out == here.out);

  REQUIRE(place.shell("mv in/t.csv else").status == 0);
  const Ran lost = place.muster("why c --run out/o");
  CHECK(lost.status == 2);
  CHECK(
      lost.err ==
      "out/o/summary.json: /experiment: the run's \"in/t.csv\" is neither here nor below a folder "
      "above its results\n"
      "    call this where `muster run` was called, or say where things are with --trace and "
      "--fleet\n");
  CHECK(place.muster("why c --run out/o --trace else/t.csv").out == here.out);
}

TEST_CASE("of a wait in very many stretches why shows the first and the last, or --all") {
  const Place place{{{"t.csv",
                      "job,submit,nodes,gpus_per_node,duration\n"
                      "a,0,2,8,100\nb,0,2,8,100\n"}}};
  const std::string why =
      "why a --trace t.csv --fleet 2x8 --policy kubernetes_default:timeout=60s "
      "--set /engine/on_livelock=go_on --set /engine/horizon=1h";
  // It holds what it has for 60 s and waits 1 s for the next try: 59 turns of two stretches each.
  const std::string some = place.muster(why).out, all = place.muster(why + " --all").out;
  CHECK(std::count(some.begin(), some.end(), '\n') == 1 + 6 + 1 + 6 + 4);
  CHECK_THAT(
      some,
      Contains("\n  ... 107 more stretches from 183 s to 3476 s (--all shows them): "
               "capacity 54.0 min in 54, interval 53 s in 53\n  from 3476 s to 3477 s  interval "));
  CHECK(std::count(all.begin(), all.end(), '\n') == 1 + 119 + 4);
  CHECK_THAT(all, !Contains("--all"));
}

TEST_CASE("compare writes its table and runs, to out/compare if it is not told where") {
  const Place place{{{"t.csv", kFourJobs}}};
  const Ran ran = place.muster(
      "compare --trace t.csv --fleet 1x8 --policy fifo --policy easy --time-limit 0 --out ''");
  CHECK(ran.err == "");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.out, EndsWith("\nwrote out/compare/compare.csv, and each run in a folder beside "
                               "it\n"));
  CHECK_THAT(place.read("out/compare/compare.csv"),
             Contains("\nfifo,4,4,") && Contains("\neasy,4,4,"));
  CHECK_THAT(place.read("out/compare/easy/jobs.csv"), StartsWith("job,"));
}

TEST_CASE("the schemas in configs/ are those of this program") {
  const Place place;
  CHECK(place.muster("policies --schema").out ==
        slurp(MUSTER_SOURCE_DIR "/configs/schema/policy.schema.json"));
  CHECK(place.muster("check --schema").out ==
        slurp(MUSTER_SOURCE_DIR "/configs/schema/experiment.schema.json"));
  CHECK(place.muster("generate --schema").out ==
        slurp(MUSTER_SOURCE_DIR "/configs/schema/generate.schema.json"));
}

TEST_CASE("fragmentation says what running jobs send over leaves and pods") {
  // Leaves of two nodes, of which a of three has one and a half: its ring goes once out of each, of three nodes.
  const Place place{{{"t.csv", "job,submit,gpus,duration\na,0,24,100\n"}}};
  const std::string at = "fragmentation --trace t.csv --fleet 4x8:h100/2 --policy fifo --at 50";
  const Ran silent = place.muster(at);
  CHECK(silent.status == 0);
  CHECK_THAT(silent.out, Contains("\nnothing is known of what jobs send: /cost says "));
  const std::string cost = " --set /cost/communication=0.5";
  CHECK_THAT(
      place.muster(at + cost).out,
      Contains("\njobs that run send 600.0 GB/s out of nodes, of which 66.7 % over leaves, 0.0 % "
               "over pods\n"));
  const Ran csv = place.muster(at + cost + " --every 1h");
  CHECK_THAT(csv.out,
             Contains(",node_bytes_per_s,leaf_bytes_per_s,pod_bytes_per_s\n50,h100,32,8,") &&
                 EndsWith(",600000000000,400000000000,0\n"));
  CHECK_THAT(place.muster(at + " --every 1h").out, EndsWith(",,,\n"));
}

TEST_CASE(
    "the cost model is asked of an experiment's fleet, and says how many questions it answered") {
  const Place place{
      {{"e.json", R"({"workload": {"trace": "t.csv"}, "fleet": "2x8:h100", "policy": "fifo"})"},
       {"t.csv", kFourJobs},
       {"q.csv",
        "kind,fleet,placement,op,bytes\n"
        "collective,e.json,8+8,all_reduce,1GiB\n"
        "collective,e.json,9,all_reduce,1GiB\n"}}};
  const std::string question = " --placement 8+8 --bytes 1GiB --json";
  const Ran of_experiment = place.muster("cost collective --fleet e.json" + question);
  CHECK(of_experiment.err == "");
  CHECK(of_experiment.out == place.muster("cost collective --fleet 2x8:h100" + question).out);

  const Ran many = place.muster("cost batch q.csv --out a.csv");
  CHECK(many.out == "1 of 2 questions answered in a.csv\n");
  CHECK_THAT(many.err, StartsWith("q.csv:3: placement: the fleet has no node left"));
  CHECK(many.status == 2);
}
