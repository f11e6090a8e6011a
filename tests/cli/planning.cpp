// muster checkpoints and muster spares; pictures.

#include <nlohmann/json.hpp>

#include "cli/muster.hpp"

using namespace muster::test;
using Json = nlohmann::json;

namespace {

const std::string kTraining = "--nodes 8 --mttf 20d --seeds 4 --threads 1 ";

}  // namespace

TEST_CASE("checkpoints prints a table, or JSON, and writes CSV and a picture") {
  const Place place;
  const std::string asked =
      "checkpoints " + kTraining + "--checkpoint-cost 1min --interval 1h --interval 20min";
  const Ran ran = place.muster(asked + " --csv new/c.csv --svg new/c.svg");
  CHECK(ran.err == "");
  CHECK(ran.status == 0);
  CHECK_THAT(
      ran.out,
      StartsWith("8 nodes, one fails every 2.5 d (each every 20.0 d), 60.0 s for a checkpoint, "
                 "0 s for a restart\n4 seeds; ") &&
          Contains("\n20.0 min  ") && Contains("  Daly") && Contains("  Young") &&
          Contains("; Young 84.9 min, Daly 84.2 min\n") && Contains(" <- best\n") &&
          EndsWith("\nwrote new/c.csv\nwrote new/c.svg\n"));
  const std::string csv = place.read("new/c.csv");
  CHECK_THAT(csv, StartsWith("interval_s,ettr_mean,") && Contains("\n1200,0.9"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
  CHECK_THAT(place.read("new/c.svg"), Contains("<svg") && Contains("Young") &&
                                          Contains("best of these: every ") &&
                                          Contains("8 nodes, one fails every 2.5 d"));

  const Ran json = place.muster(asked + " --json");
  const Json said = Json::parse(json.out);
  CHECK(said.at("schema") == "muster.checkpoints/1");
  CHECK(said.at("seeds") == 4);
  REQUIRE(said.at("intervals").size() == 4);
  CHECK(said.at("intervals")[0].at("interval_s") == 1200);
  CHECK(said.at("intervals")[0].at("ettr").at("by_seed").size() == 4);
  CHECK(said.at("best_s").get<double>() > 1200);
  // By the closed form 60 / 1260 is written, and more lost the longer the interval.
  CHECK(said.at("intervals")[0].at("expected").get<double>() == Approx(0.949).margin(0.002));
}

TEST_CASE("checkpoints takes an experiment") {
  const Place place{{{"t.csv", kFourJobs}}};
  const Ran ran = place.muster(
      "checkpoints --trace t.csv --fleet 1x8 --policy easy --set /failures/law=exponential "
      "--set /failures/rate=1 --checkpoint-cost 2s --interval 10s --interval 50s --seeds 2");
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, Contains(": 4 jobs on 1x8; the formulas are for job a, which an outage "
                               "interrupts every 1000.0 d\n") &&
                          Contains("\n    10 s  "));
}

TEST_CASE("spares prints a table, or JSON, and writes CSV and a picture") {
  const Place place;
  const std::string asked = "spares " + kTraining + "--repair-time 1d --target 0.9";
  const Ran ran = place.muster(asked + " --csv s.csv --svg s.svg");
  CHECK(ran.err == "");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.out, StartsWith("8 nodes, one fails every 2.5 d (each every 20.0 d), repaired in "
                                 "24.0 h on average, for ") &&
                          Contains("\n     0  ") && Contains("<- reaches the target") &&
                          Contains("\n1 spare for 90.00 % of the time: up ") &&
                          Contains("; by the closed form 1\n"));
  CHECK_THAT(place.read("s.csv"), StartsWith("spares,up_mean,") && Contains("\n3,0.9"));
  CHECK_THAT(place.read("s.svg"), Contains("<svg") && Contains("spare nodes") &&
                                      Contains("reaches the target") && Contains("pays most: ") &&
                                      Contains("repaired in 24.0 h on average"));
  const Json said = Json::parse(place.muster(asked + " --json --spares 1 --spares 3").out);
  CHECK(said.at("schema") == "muster.spares/1");
  CHECK(said.at("enough") == 1);
  CHECK(said.at("numbers").size() == 2);
  CHECK(said.at("numbers")[1].at("spares") == 3);
}

TEST_CASE("spares takes an experiment: how many of its nodes should be left alone") {
  // Both nodes are needed until one fails at 100 s for good. With a spare the wide job never needs it.
  const Place place{
      {{"t.csv", "job,submit,gpus,duration\na,0,16,1000\n"},
       {"e.json", R"({"fleet": "3x8", "workload": "t.csv", "policy": "easy", "failures":
                        {"events": [{"node": "n0", "at": 100, "until": 3000}]}})"}}};
  const Ran ran = place.muster("spares e.json --spares 1 --spares 0 --seeds 2 --csv s.csv");
  CHECK(ran.err == "");
  CHECK(ran.status == 0);
  CHECK_THAT(place.muster("spares --help").out, Contains("With --nodes, not of an experiment"));
  CHECK_THAT(ran.out,
             StartsWith("e: 1 job on the 3 nodes of 3x8, some of which are kept as spares\n"));
  // Without a spare a begins anew at once on n1 and n2; with one it does so, too: 1100 s, 2/3 of the GPUs.
  CHECK(place.read("s.csv") ==
        "spares,goodput_mean,goodput_half,ettr_mean,ettr_half,wait_mean_s,wait_half_s,best,tied\n"
        "0,0.6060606060606061,0,0.9090909090909091,0,0,0,1,0\n"
        "1,0.6060606060606061,0,0.9090909090909091,0,0,0,0,1\n");
  CHECK_THAT(place.muster("spares e.json --target 0.9").err,
             StartsWith("--target: goes with --nodes, and not with an experiment"));
  CHECK_THAT(place.muster("spares --trace t.csv --fleet 2x8 --policy easy").err,
             StartsWith("/failures: nothing of this experiment fails"));
}

TEST_CASE("spares and checkpoints count jobs that are packed side by side once per GPU") {
  const std::string packed =
      R"(, "workload": "t.csv", "policy": {"family": "batch", "skip": true, "pack_capacity": 100,
          "pack_loads": {"small": 50}}, "failures": {"events": [{"node": "n0", )";
  const Place place{
      {{"t.csv", "job,submit,gpus,duration,model\na,0,1,1000,small\nb,0,1,1000,small\n"},
       {"spares.json", R"({"fleet": "2x1")" + packed + R"("at": 100, "until": 3000}]}})"},
       {"writes.json", R"({"fleet": "1x1")" + packed + R"("at": 950, "until": 1000}]}})"}}};
  // A node each; from 100 s on both are on n1, and whoever was on n0 begins anew: 550 GPU-seconds are kept of each, of
  // 2200. With a spare they are side by side all the time, and both begin anew: 1000 of 2200.
  place.muster("spares spares.json --spares 0 --spares 1 --seeds 1 --csv s.csv");
  CHECK_THAT(place.read("s.csv"), Contains("\n0,0.5,,0.9523809523809523,,") &&
                                      Contains("\n1,0.45454545454545453,,0.9090909090909091,,"));
  // Side by side, 400 s of work, 100 s of writing, 400 s, 50 s of writing in vain; 400, 100, 200 after the node is
  // back at 1000 s: of 1650 GPU-seconds 1000 are kept, 250 written, 400 lost. In one piece: 1000, 100, 50 of 1150.
  place.muster(
      "checkpoints writes.json --checkpoint-cost 100s --interval 400s --interval 800s "
      "--seeds 1 --csv c.csv");
  CHECK_THAT(place.read("c.csv"),
             Contains("\n400,0.5882352941176471,,0.6060606060606061,,0.1515151515151515") &&
                 Contains("\n800,0.8333333333333334,,0.8695652173913043,,0.0869565217391304"));
}

TEST_CASE("one seed has no interval, and nobody claims that it has") {
  const Place place;
  const std::string asked = "--nodes 8 --mttf 20d --seeds 1 --threads 1 ";
  const Ran ran = place.muster("spares " + asked + "--repair-time 1d --csv s.csv");
  CHECK_THAT(ran.out,
             Contains("\n1 seed, which has no confidence interval") && !Contains("+- 0.00"));
  CHECK_THAT(place.read("s.csv"), Contains("\n0,0.") && Contains(",,"));
  const Json said =
      Json::parse(place.muster("checkpoints " + asked + "--checkpoint-cost 1min --json").out);
  CHECK(said.at("intervals")[0].at("ettr").at("half_95").is_null());
}

TEST_CASE("plans say what little time tells, what much takes, and what they left out") {
  const Place place;
  const std::string asked = "spares " + kTraining + "--repair-time 1d ";
  CHECK_THAT(place.muster(asked + "--lasts 5d").err,
             StartsWith("muster: warning: in --lasts 5d only 2.0 failures are due; "));
  CHECK(place.muster(asked + "--lasts 500d").err == "");
  // All nodes are new at first, and by this law none fails early: 100 failures would be due, and hardly any comes.
  const Ran aged = place.muster(
      "spares --nodes 256 --mttf 250d --repair-time 1d --seeds 2 --law weibull "
      "--shape 9 --spares 0");
  CHECK_THAT(aged.err, StartsWith("muster: warning: in 100.0 d only 0.") &&
                           EndsWith(" a longer --lasts, say 2500.0 d\n"));
  CHECK_THAT(
      place
          .muster(
              "checkpoints --nodes 256 --mttf 250d --checkpoint-cost 30s --seeds 2 --law weibull "
              "--shape 9 --interval 1h")
          .err,
      StartsWith("muster: warning: in 97.7 d only 0."));
  CHECK_THAT(place.muster("spares --nodes 8 --rate 0 --repair-time 1d").err,
             StartsWith("--rate: expected more than 0: failures per 1000 node-days\n"));
  const Ran shape = place.muster(asked + "--shape 0.7");
  CHECK(shape.status == 2);
  CHECK_THAT(shape.err, StartsWith("--shape: goes with --law weibull or lognormal\n"));
  // Up for half of the time each: 200 nodes need some 240 spares, of which not all are tried.
  const Ran many = place.muster(
      "spares --nodes 200 --mttf 10d --repair-time 10d --seeds 2 --lasts 100d --target 0.9");
  CHECK(many.status == 0);
  CHECK_THAT(many.out, Contains("th number was tried; "));
}

TEST_CASE("what is best at the edge of what was tried may not be best") {
  // By the closed form 0 spares are up for half of the time, and each of the first ones adds to it.
  const Place place;
  const std::string asked = "spares --nodes 20 --mttf 20d --repair-time 1d --seeds 4 --threads 1 ";
  CHECK_THAT(
      place.muster(asked + "--spares 0 --spares 1").out,
      EndsWith("per node of the fleet, 1 spare, the most that were tried: more may be better\n"));
  CHECK_THAT(place.muster(asked + "--spares 9 --spares 15").out,
             EndsWith("9 spares, the fewest that were tried: fewer may be better\n"));
  CHECK_THAT(place.muster(asked + "--spares 0 --spares 3 --spares 15").out,
             EndsWith("\n$: the most work kept per node of the fleet, 3 spares\n"));
}

TEST_CASE("a picture comes into a new folder, or there is one clear error") {
  const Place place;
  // Stand-ins for graphviz: one draws, one reads nothing and fails.
  place.put("draws/dot", "#!/bin/sh\nhead -c 5\n");
  place.put("fails/dot", "#!/bin/sh\nexit 1\n");
  REQUIRE(place.shell("chmod +x draws/dot fails/dot").status == 0);
  const auto show = [&](const std::string& tool, const std::string& file) {
    return place.shell("PATH=\"$PWD/" + tool +
                       ":$PATH\" " MUSTER_BINARY_DIR "/muster fleet show 2000x8 --svg \"" + file +
                       "\"");
  };
  const Ran drawn = show("draws", "new/it's.svg");
  CHECK(drawn.err == "");
  CHECK(drawn.out == "wrote new/it's.svg\n");
  CHECK(place.read("new/it's.svg") == "graph");

  const Ran failed = show("fails", "new/b.svg");
  CHECK(failed.status == 2);
  CHECK(failed.err ==
        "--svg: \"dot\" is not there, or could not draw it\n"
        "    install graphviz, or take the graph itself with --dot\n");
  const Ran nowhere = show("draws", "/proc/none/b.svg");
  CHECK(nowhere.status == 2);
  CHECK_THAT(nowhere.err, StartsWith("/proc/none/b.svg: cannot create file: "));
}
