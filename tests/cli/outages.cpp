// What an experiment says wrongly of outages and reservations, and the words for it; and what a run says
// of them in the end.

#include <nlohmann/json.hpp>

#include "cli/muster.hpp"

using namespace muster::test;

namespace {

/// The message, without what it begins and ends with.
std::string refused(const std::string& parts, const std::string& fleet = "4x8",
                    const std::string& policy = "easy") {
  const Place place{
      {{"t.csv", kFourJobs},
       {"e.json", R"({"fleet": ")" + fleet + R"(", "workload": "t.csv", "policy": ")" + policy +
                      "\", " + parts + "}"}}};
  const Ran ran = place.muster("run e.json --out o");
  CHECK(ran.status == 2);
  CHECK(ran.out == "");
  REQUIRE(ran.err.starts_with("e.json: "));
  return ran.err.substr(8, ran.err.size() - 9);
}

}  // namespace

TEST_CASE("what is wrong with a reservation is said") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {R"({"id": "R", "nodes": 9, "from": 10, "to": 20})",
       "/reservations/0/nodes: expected 1..4 nodes, which is what the fleet has, got 9"},
      {R"({"id": "R", "gpus": 33, "from": 10, "to": 20})",
       "/reservations/0/gpus: expected at most the 32 GPUs of the fleet, got 33"},
      {R"({"id": "R", "nodes": ["n0", "n7"], "from": 10, "to": 20})",
       "/reservations/0/nodes: the fleet has no node \"n7\"\n"
       "    its 4 nodes are called n0 to n3"},
      {R"({"id": "R", "nodes": 1, "from": 20, "to": 20})",
       "/reservations/0/to: expected an end after its beginning (20 s), got 20 s"},
      {R"({"id": "R", "nodes": 1, "from": 20})",
       "/reservations/0/to: expected the time at which it ends\n"
       "    or \"lasts\", how long it takes"},
      {R"({"id": "R", "nodes": 1, "from": 20, "to": 30, "lasts": 10})",
       "/reservations/0/lasts: says again when it ends\n    \"to\" or \"lasts\", not both"},
      {R"({"id": "R", "nodes": 1, "to": 30})",
       "/reservations/0/from: expected the time at which it begins\n    for example 36h"},
      {R"({"nodes": 1, "from": 20, "to": 30})",
       "/reservations/0/id: expected a name\n    jobs are tied to it by that"},
      {R"({"id": "R", "from": 20, "to": 30})",
       "/reservations/0: expected one of nodes, gpus and job\n"
       "    \"nodes\": 4, \"nodes\": [\"n0\", \"n1\"], \"gpus\": 32 or \"job\": \"J17\""},
      {R"({"id": "R", "nodes": 1, "requested_at": 50, "from": 20, "to": 30})",
       "/reservations/0/requested_at: is asked for at 50 s, after it begins (20 s)"},
      {R"({"id": "R", "job": "x", "from": 20})",
       "/reservations/0/job: no job of the trace that is replayed is called \"x\""},
      {R"({"id": "R", "nodes": 1, "from": 20, "to": 30, "form": 3})",
       "/reservations/0/form: a reservation has no such parameter\n"
       "    did you mean \"from\"?  it takes: from (time, not set) when it begins"},
      {R"({"id": "R", "nodes": 1, "from": 20, "to": 30}, {"id": "R", "nodes": 1, "from": 40, "to": 50})",
       "/reservations/1/id: there is a reservation \"R\" already"},
  }));
  CHECK(refused("\"reservations\": [" + text + "]") == message);
}

TEST_CASE("a rolling drain stops nobody, and lets nobody start where it is") {
  // n0 is drained from 50 to 80 s, while a is there until 100 s; n1 from 80 to 110 s, so c gets n0.
  const Place place{{{"t.csv", "job,submit,gpus,duration\na,0,8,100\nb,60,8,10\nc,85,8,10\n"}}};
  const Ran ran = place.muster(
      "run --trace t.csv --fleet 2x8 --policy fifo --events --out o --set "
      "'/maintenance=[{\"from\": 50, \"lasts\": 30, \"rolling\": \"node\", \"drain\": true}]'");
  CHECK(ran.err == "");
  REQUIRE(ran.status == 0);
  const std::string events = place.read("o/events.csv");
  CHECK_THAT(events, Contains("100,end,a,COMPLETED"));
  CHECK_THAT(events, Contains("60,start,b"));
  CHECK_THAT(events, Contains("100,start,c"));
  CHECK_THAT(events, !Contains(",stop,"));
  CHECK_THAT(place
                 .muster("run --trace t.csv --fleet 2x8 --policy fifo --out p --set "
                         "'/maintenance=[{\"from\": 50, \"lasts\": 30, \"drain\": true, "
                         "\"announced_at\": 10}]'")
                 .err,
             Contains("/0/announced_at: a drain is known when it begins"));
}

TEST_CASE("what is wrong with a maintenance is said") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {R"({"from": 100, "to": 50})",
       "/maintenance/0/to: expected an end after its beginning (100 s), got 50 s"},
      {R"({"from": 100, "to": 200}, {"from": 150, "to": 300, "nodes": ["n2"]})",
       "/maintenance: n2 is in two at once: from 100 s to 200 s, and from 150 s to 300 s\n"
       "    one that is longer, or two that do not overlap"},
      {R"({"from": 100, "to": 200, "rolling": "rack"})",
       "/maintenance/0/rolling: expected node, nvlink, leaf or pod, got \"rack\""},
      {R"({"from": 100, "to": 200, "gap": 5})",
       "/maintenance/0/gap: goes with rolling\n    for example \"rolling\": \"leaf\""},
      {R"({"from": 100, "to": 200, "announced_at": 150})",
       "/maintenance/0/announced_at: is announced at 150 s, after it begins (100 s)"},
      {R"({"from": 100, "to": 200, "nodes": "n1"})",
       "/maintenance/0/nodes: expected \"all\" or a list of nodes' names, got \"n1\""},
  }));
  CHECK(refused("\"maintenance\": [" + text + "]") == message);
}

TEST_CASE("what is wrong with failures is said") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {R"("events": [{"node": "n9", "at": 5}])",
       "/failures/events/0/node: the fleet has no node \"n9\"\n    its 4 nodes are called n0 to "
       "n3"},
      {R"("events": [{"node": "n1", "at": 5, "until": 5}])",
       "/failures/events/0/until: expected a time after it fails (5 s), got 5 s"},
      {R"("events": [{"node": "n1"}])",
       "/failures/events/0/at: expected the time at which it fails\n    for example 36h"},
      {R"("spares": 4, "on_failure": "swap")",
       "/failures/spares: expected 0..3 spares (the fleet has 4 nodes), or their names, got 4"},
      {R"("spares": 1)",
       "/failures/spares: are of use with on_failure \"swap\" or \"evict\" only\n"
       "    \"on_failure\": \"swap\""},
      {R"("on_failure": "shrink", "events": [{"node": "n1", "at": 5}])",
       "/failures/on_failure: policy easy (family batch) lets nobody go on with fewer GPUs\n"
       "    family elastic does; requeue, swap and evict go with every family"},
      {R"("on_failure": "swap", "spares": 2, "cold_spares": 2)",
       "/failures/cold_spares: expected 0..1 spares (the fleet has 4 nodes), or their names, got "
       "2"},
      {R"("on_failure": "swap", "spares": ["n1"], "cold_spares": ["n1"])",
       "/failures/cold_spares: n1 is a hot spare"},
      {R"("on_failure": "swap", "spares": 1, "spare_activation": 60)",
       "/failures/spare_activation: is how long a cold spare takes, and there is none\n"
       "    \"cold_spares\": 2"},
      {R"("law": "lognormal", "rate": 1, "shape": 20)",
       "/failures/shape: expected at most 4 with law \"lognormal\"\n    it is the sigma of the "
       "logarithm; 1 to 2 is usual"},
      {R"("processes": [{"rate": 3}])",
       "/failures/processes/0/name: expected a name\n    its failures are counted by that"},
      {R"("processes": [{"name": "x", "rate": 3}, {"name": "x", "rate": 4}])",
       "/failures/processes/1/name: there is a process \"x\" already"},
      {R"("law": "exponential", "rate": 1, "processes": [{"name": "node", "rate": 3}])",
       "/failures/processes: the process of the keys \"law\" and \"rate\" is called \"node\", too\n"
       "    another name, or all of them in the list"},
      {R"("processes": [{"name": "x"}])",
       "/failures/processes/0/rate: needs a rate above 0\n    for example \"rate\": 6.5"},
      {R"("processes": [{"name": "x", "rate": 3, "repair_time": 0}])",
       "/failures/processes/0/repair_time: expected a time above 0\n    for example 20h"},
      {R"("processes": [{"name": "x", "rate": 3, "scope": "rack"}])",
       "/failures/processes/0/scope: expected one of node, gpu, nic, link, nvlink, leaf, pod, got "
       "\"rack\""},
      {R"("lemons": {"share": 0.5})",
       "/failures/lemons: need failures that are drawn\n    a \"law\" and a \"rate\", or "
       "\"processes\""},
      {R"("law": "exponential", "rate": 1, "lemons": {"factor": 5})",
       "/failures/lemons: expected either share or nodes\n    for example {\"share\": 0.02, "
       "\"factor\": 10}"},
      {R"("law": "exponential", "rate": 1, "lemons": {"nodes": ["n1", "n2", "n1"]})",
       "/failures/lemons/nodes: names a node twice\n    each once; \"factor\" is for all"},
      {R"("quarantine_time": "1h")",
       "/failures/quarantine_time: goes with quarantine_after, after how many failures it begins\n"
       "    for example \"quarantine_after\": 3"},
      {R"("events": [{"node": "n1", "at": 5, "drain": true, "announced": true}])",
       "/failures/events/0/announced: a drain is known when it begins, and its end with it\n"
       "    leave \"announced\" out, or \"drain\""},
      {R"("events": [{"node": "n1", "at": 5, "cause": "quarantine"}])",
       "/failures/events/0/cause: \"quarantine\" is how others are counted\n    another name"},
      {R"("checkpoint_cost": 30)",
       "/failures/checkpoint_cost: is what a checkpoint costs, and no job writes any\n"
       "    \"checkpoint_interval\": \"1h\", or \"checkpoint\": \"daly\""},
      {R"("processes": [{"name": "maintenance", "rate": 3}])",
       "/failures/processes/0/name: \"maintenance\" is how others are counted\n    another name"},
      {R"("readiness": {"law": "fixed", "time": 5, "stays": 0})",
       "/failures/readiness/stays: expected a time above 0\n    for example 10min"},
      {R"("readiness": {"time": 5})",
       "/failures/readiness/law: expected a law\n    for example \"lognormal\""},
      {R"("readiness": {"law": "fixed"})",
       "/failures/readiness/time: expected a time above 0\n    for example 30s"},
      {R"("on_failure": "ignore")",
       "/failures/on_failure: expected one of requeue, swap, evict, shrink, got \"ignore\""},
      {R"("law": "exponential", "rate": 1, "shape": 2)",
       "/failures/shape: goes with law weibull or lognormal\n"
       "    the exponential law has a rate and no shape: leave it out"},
      {R"("processes": [{"name": "x", "rate": 3, "shape": 2}])",
       "/failures/processes/0/shape: goes with law weibull or lognormal\n"
       "    the exponential law has a rate and no shape: leave it out"},
      {R"("processes": [{"name": "x", "rate": 3, "repair": "fixed", "repair_sigma": 2}])",
       "/failures/processes/0/repair_sigma: goes with repair lognormal\n"
       "    leave one of the two out"},
      {R"("processes": [{"name": "x", "rate": 3, "kind": "transient", "repair": "lognormal"}])",
       "/failures/processes/0/repair: a transient failure is over at once, or after a fixed time\n"
       "    leave it out, or \"kind\": \"hard\""},
      {R"("repair_time": "1h")",
       "/failures/repair_time: goes with a law, and there is none\n"
       "    for example \"law\": \"exponential\", \"rate\": 6.5"},
      {R"("readiness": {"law": "fixed", "time": 5, "sigma": 1})",
       "/failures/readiness/sigma: goes with law lognormal\n    leave one of the two out"},
      {R"("on_failure": "swap", "spares": ["n1", "n2", "n1"])",
       "/failures/spares: names a node twice\n    each once"},
      {R"("on_failure": "swap")",
       "/failures/on_failure: goes with nodes that fail, and none can\n"
       "    \"law\" and \"rate\", \"processes\", \"events\" or a \"trace\""},
      {R"("detection_delay": 5, "events": [{"node": "n1", "at": 5, "drain": true}])",
       "/failures/detection_delay: goes with nodes that fail, and none can\n"
       "    \"law\" and \"rate\", \"processes\", \"events\" or a \"trace\"; maintenance and drains "
       "are no failures"},
      {R"("quarantine_after": 5)",
       "/failures/quarantine_after: goes with nodes that fail, and none can\n"
       "    \"law\" and \"rate\", \"processes\", \"events\" or a \"trace\""},
      {R"("law": "exponential", "rate": 1, "announced": true)",
       "/failures/announced: goes with failures that are given, and none is\n"
       "    \"events\" or a \"trace\"; when one that is drawn is over nobody knows"},
      {R"("storage": {"gbytes_per_s": 5, "gbytes_per_gpu": 1})",
       "/failures/storage: is where checkpoints are, and no job writes any\n"
       "    \"checkpoint_interval\": \"1h\", or \"checkpoint\": \"daly\""},
      {R"("checkpoint_interval": 0, "storage": {"gbytes_per_s": 5, "gbytes_per_gpu": 1})",
       "/failures/storage: is where checkpoints are, and no job writes any\n"
       "    \"checkpoint_interval\": \"1h\", or \"checkpoint\": \"daly\""},
      {R"("checkpoint_interval": "unlimited", "storage": {"gbytes_per_s": 5, "gbytes_per_gpu": 1})",
       "/failures/storage: is where checkpoints are, and no job writes any\n"
       "    \"checkpoint_interval\": \"1h\", or \"checkpoint\": \"daly\""},
      {R"("checkpoint_interval": "1h", "storage": {"gbytes_per_s": 5})",
       "/failures/storage: is where checkpoints are, and all of them are of 0 bytes\n"
       "    \"gbytes_per_gpu\": 4, or a trace whose jobs name a model of configs/models"},
      {R"("trace": "faults.json")", "/failures/trace: there is no file \"faults.json\""},
  }));
  CHECK(refused("\"failures\": {" + text + "}") == message);
}

TEST_CASE("policies that can't do what is asked of them say so") {
  CHECK(
      refused(R"("reservations": [{"id": "R", "nodes": 1, "from": 1, "to": 2}])", "4x8", "srtf") ==
      "/reservations: policy srtf (family ranked) keeps no reservations\n"
      "    family batch does, with any promise but count, without defrag and without "
      "pack_capacity");
  CHECK(refused(R"("failures": {"detection_delay": 5, "events": [{"node": "n1", "at": 5}]})", "4x8",
                "elastic") ==
        "/failures/detection_delay: policy elastic moves or resizes jobs, and would "
        "do so to "
        "jobs that hang\n"
        "    0 where jobs change their places or sizes while they run");
}

TEST_CASE("the short form of one process is that process, and the summary counts it by its name") {
  const auto ran = [](const std::string& failures) {
    const Place place{{{"t.csv", kFourJobs},
                       {"e.json", R"({"fleet": "4x8", "workload": "t.csv", "policy": "easy",
                                      "failures": {"spares": 0, )" +
                                      failures + "}}"}}};
    CHECK(place.muster("run e.json --out o").status == 0);
    return nlohmann::json::parse(place.read("o/summary.json"));
  };
  const auto own = ran(R"("law": "exponential", "rate": 300000, "repair_time": "1min")");
  const auto listed = ran(R"("processes": [{"name": "node", "scope": "node", "rate": 300000,
                                            "repair_time": "1min"}])");
  CHECK(own["fingerprint"] == listed["fingerprint"]);
  CHECK(own["outages"] == listed["outages"]);
  REQUIRE(own["outages"]["causes"].size() == 1);
  CHECK(own["outages"]["causes"][0]["cause"] == "node");
  CHECK(own["outages"]["causes"][0]["times"] > 0);
  const auto other = ran(R"("processes": [{"name": "x", "rate": 300000, "repair_time": "1min"}])");
  CHECK(own["fingerprint"] != other["fingerprint"]);
}

TEST_CASE("one interruption is one") {
  const Place place{{{"t.csv", "job,submit,gpus,duration\na,0,8,100\n"}}};
  const std::string asked =
      "run --trace t.csv --fleet 2x8 --policy fifo --set '/failures/events=[{\"node\": \"n0\", "
      "\"at\": 50, \"until\": 60}";
  const std::string one = place.muster(asked + "]' --out o").out;
  CHECK_THAT(one, Contains("\n1 job: 1 completed\n") && Contains(", 1 interruption\n") &&
                      Contains(" interruptions a day, 1 restart: "));
  const std::string two =
      place.muster(asked + ", {\"node\": \"n1\", \"at\": 70, \"until\": 80}]' --out o2").out;
  CHECK_THAT(two,
             Contains(", 2 interruptions\n") && Contains(" interruptions a day, 2 restarts: "));
}
