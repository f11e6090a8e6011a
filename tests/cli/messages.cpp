// What a user reads who has made a mistake: the whole message, the status, and no file left behind.

#include "cli/muster.hpp"
#include "muster/io/shipped.hpp"
#include "muster/policy/parts/placer.hpp"

using namespace muster::test;

namespace {

struct Mistake {
  std::string arguments;
  std::string message;
  std::map<std::string, std::string> files = {};
};

/// All that are registered: adding one needs no change here.
std::string placers() {
  std::string names;
  for (const std::string& name : muster::Placers::names())
    names += (names.empty() ? "" : ", ") + name;
  return names;
}

void check(const Mistake& mistake) {
  std::map<std::string, std::string> files = mistake.files;
  files["t.csv"] = kFourJobs;
  const Place place{files};
  const auto before = place.files();
  const Ran ran = place.muster(mistake.arguments);
  CAPTURE(mistake.arguments);
  CHECK(ran.err == mistake.message + "\n");
  CHECK(ran.out == "");
  CHECK(ran.status == 2);
  CHECK(place.files() == before);
}

}  // namespace

TEST_CASE("a wrong command line says what would be right") {
  const auto mistake = GENERATE(values<Mistake>({
      {"rnu",
       "muster: there is no command \"rnu\"\n"
       "    did you mean \"run\"?\n"
       "    `muster --help` shows what it takes"},
      {"xyz",
       "muster: there is no command \"xyz\"\n"
       "    it takes: run, compare, checkpoints, spares, why, fragmentation, check, convert, "
       "generate, fleet, "
       "cost, policies\n"
       "    `muster --help` shows what it takes"},
      {"run --fleeet 1x8",
       "muster run: there is no flag \"--fleeet\"\n"
       "    did you mean \"--fleet\"?\n"
       "    `muster run --help` shows what it takes"},
      {"cost",
       "muster cost: expected \"collective\", \"step\", \"batch\" or \"import\"\n"
       "    `muster cost --help` shows what it takes"},
      {"cost step --fleet 1x8:h100 --placement 8 --model llama3-7b",
       "--model: there is no model \"llama3-7b\"\n"
       "    did you mean \"llama2-7b\"?\n"
       "    a model is a .json file or one that is shipped"},
      {"cost step --fleet 1x8:h100 --placement 8 --model llama3-8b --plan tp=16",
       "--plan: tp x pp x cp x dp is 16, but the placement has 8 GPUs\n"
       "    8 is no multiple of 16"},
      {"cost step --fleet 1x6:h100 --placement 6 --model llama3-8b --plan tp=6",
       "--plan: tp: model \"llama3-8b\" has 32 attention heads, which 6 GPUs can't share alike\n"
       "    tp divides the number of heads"},
      {"cost step --fleet 1x6:h100 --placement 6 --model mixtral-8x7b --plan ep=6",
       "--plan: ep: model \"mixtral-8x7b\" has 8 experts, which 6 GPUs can't share alike\n"
       "    ep divides the number of experts"},
      {"cost step --fleet 1x8:a100 --placement 8 --model llama3-8b --plan precision=fp8",
       "--plan: A100-SXM-80 has no fp8 rate: precision=fp8\n"
       "    take a GPU that has (H100, H200, B200, ...), or leave precision out"},
      {"cost step --fleet 1x8:h100 --placement 8 --model llama3-8b --mapping inner",
       "--mapping: there is no mapping \"inner\"\n"
       "    it takes: dp_innermost, pp_innermost, tp_innermost"},
      {"cost step --fleet 1x8:h100 --placement 8 --model llama3-8b --without overlp",
       "--without: there is no term \"overlp\" that can be left out\n    did you mean "
       "\"overlap\"?"},
      {"cost import --fleet 1x8:h100 --placement 8",
       "muster cost import: no log is given\n"
       "    for example muster cost import all_reduce.log --fleet 2x8:h100 --placement 8+8 "
       "--out ours.json"},
      {"cost import t.csv --fleet 1x8:h100 --placement 8 --out o.json",
       "t.csv: is no log of nccl-tests: no commented line names size and time"},
      {"cost batch",
       "muster cost batch: no questions are given\n"
       "    for example muster cost batch questions.csv --out answers.csv"},
      {"cost batch q.csv",
       "muster cost batch: there is no file \"q.csv\"\n    did you mean \"t.csv\"?"},
      {"cost collective",
       "--fleet: is missing: a file, a shipped fleet, or NODESxGPUS:TYPE such as 2x8:h100"},
      {"cost collective --fleet 2x8 --placement 8 --bytes 8",
       "--fleet: the fleet doesn't say which GPUs it has\n"
       "    write the type behind it, for example 2x8:h100"},
      {"cost collective --fleet 2x8:h101 --placement 8 --bytes 8",
       "--fleet: calibration \"published\" knows no GPU \"h101\"\n    did you mean \"h100\"?"},
      {"cost collective --fleet 2x8:h100 --placement 9 --bytes 8",
       "--placement: the fleet has no node left with 9 GPUs for \"9\"\n"
       "    it has 2 nodes, the widest of 8 GPUs"},
      {"cost collective --fleet 2x8:h100 --placement 8 --op allreduce --bytes 8",
       "--op: there is no collective \"allreduce\"\n    did you mean \"all_reduce\"?"},
      {"cost collective --fleet 2x8:h100 --placement 8 --op send_recv --bytes 8",
       "--placement: send_recv is between 2 GPUs, got 8"},
      {"cost collective --fleet 2x8:h100 --placement 8",
       "--bytes: expected a size above 0, got \"\"\n"
       "    for example 8, 4KiB, 512MB, 1GiB or 1e9 (bytes)"},
      {"run --trace",
       "--trace: a value is missing\n"
       "    `muster run --help` shows what it takes"},
      {"run --trace t.csv --trace t.csv",
       "--trace: given more than once\n"
       "    `muster run --help` shows what it takes"},
      {"run a.json b.json",
       "muster run: what is \"b.json\" for?\n"
       "    `muster run --help` shows what it takes"},
      {"run",
       "no fleet is given\n"
       "    --fleet FLEET names one: a file, a shipped one, or NODESxGPUS such as 64x8"},
      {"run --fleet 1x8 --policy easy", "no workload is given\n    --trace T names a trace"},
      {"run --fleet 1x8 --trace t.csv",
       "no policy is given\n"
       "    --policy POLICY names one; `muster policies` lists them"},
      {"run --fleet 1x8 --trace tt.csv --policy easy",
       "--trace: there is no file \"tt.csv\"\n    did you mean \"t.csv\"?"},
      {"run --fleet 1x8 --trace . --policy easy", "--trace: \".\" is a directory, not a file"},
      {"run --fleet 1x8 --trace t.csv --policy esay",
       "--policy: there is no policy \"esay\"\n"
       "    did you mean \"easy\"?\n"
       "    a policy is a .json file, a preset or a family, alone or with parameters "
       "(easy:depth=50): `muster policies` lists them"},
      // Neighbours that are swapped are one mistake: nearer than "sjf".
      {"policies srft:quantum=60s",
       "muster policies: there is no policy \"srft\"\n"
       "    did you mean \"srtf\"?\n"
       "    a policy is a .json file, a preset or a family, alone or with parameters "
       "(easy:depth=50): `muster policies` lists them"},
      {"run --fleet 1x8 --trace t.csv --policy easy:depht=5",
       "--policy: /depht: policy \"batch\" has no such parameter\n"
       "    did you mean \"depth\"?  it takes: depth (int, 0) waiting jobs tried behind the "
       "promise; 0 = all"},
      {"run --fleet 1x8 --trace t.csv --policy easy:preset=fifo",
       "--policy: \"preset\" can't be given here"},
      {"run --fleet 1x8 --trace t.csv --policy fifo:skip=true,skip=false",
       "--policy: \"skip\" can't be given twice"},
      {"run --fleet 1x8 --trace t.csv --policy batch:default_estimate=0",
       "--policy: /default_estimate: expected a time above 0\n"
       "    for example default_estimate=4h; left out, jobs without an estimate are planned with "
       "24 h"},
      {"run --fleet 1x8 --trace t.csv --policy ranked:default_estimate=0",
       "--policy: /default_estimate: expected a time above 0\n"
       "    for example default_estimate=4h; left out, jobs without an estimate are planned with "
       "24 h"},
      {"check --policy independent:default_estimate=0",
       "--policy: /default_estimate: expected a time above 0\n"
       "    for example default_estimate=4h; left out, jobs without an estimate are planned with "
       "24 h"},
      {R"(check --policy 'kai:guarantees={"a":1,"a":2}')",
       "--policy: /guarantees: /a: given twice in one object\n    remove one of them"},
      {R"(check --policy kai --set '/policy/guarantees={"a":1,"a":2}')",
       "--set /policy/guarantees: /a: given twice in one object\n    remove one of them"},
      {R"(check --policy 'batch:order=fair_share,usage={"ann":-1}')",
       "--policy: /usage/ann: expected an integer >= 0, got -1"},
      {R"(check --policy 'batch:order=multifactor,qos_priority={"spot":-1}')",
       "--policy: /qos_priority/spot: expected an integer >= 0, got -1"},
      {"compare --trace t.csv --fleet 1x8 --policy fifo --policy easy --set /policy=sjf",
       "--set /policy: would be in the place of every policy that is compared\n"
       "    --policy names the policies; --set /policy/depth=50 sets a value of each"},
      {"compare --trace t.csv --fleet 1x8 --policy fifo --time-limit nan",
       "--time-limit: expected seconds from 0 to 1e9, got nan"},
      {"compare --trace t.csv --fleet 1x8 --policy fifo --set /engine/horizon=0",
       "--set /engine/horizon: expected a time above 0, got 0\n"
       "    left out, the run goes on until all jobs have ended"},
      {"checkpoints",
       "muster checkpoints: nothing is given to run\n"
       "    an experiment, or --nodes 2048 --mttf 250d --checkpoint-cost 30s"},
      {"checkpoints --nodes 8 --mttf 20d",
       "--checkpoint-cost: is missing\n"
       "    what writing one takes, for example --checkpoint-cost 30s"},
      {"checkpoints --nodes 8 --checkpoint-cost 30s",
       "--mttf: is missing\n"
       "    --mttf 250d or --rate 4 (failures per 1000 node-days), one of the two"},
      {"checkpoints --nodes 8 --mttf 20d --rate 4 --checkpoint-cost 30s",
       "--rate: says again how often nodes fail\n"
       "    --mttf 250d or --rate 4 (failures per 1000 node-days), one of the two"},
      {"checkpoints --nodes 8 --mttf soon --checkpoint-cost 30s",
       "--mttf: expected a time above 0, got \"soon\"\n"
       "    a number of seconds, or text such as 90s, 20min, 3h or 250d"},
      {"checkpoints --nodes 8 --mttf 20d --checkpoint-cost 0",
       "--checkpoint-cost: expected a time above 0, got \"0\"\n"
       "    a number of seconds, or text such as 90s, 20min, 3h or 250d"},
      {"checkpoints --nodes 8 --mttf 1s --checkpoint-cost 30s",
       "--mttf: so many nodes would fail more often than once a second\n"
       "    a longer life, or fewer nodes"},
      {"checkpoints --nodes 8 --mttf 20d --law weibull --shape nan --checkpoint-cost 30s",
       "--shape: Value nan is not a number\n"
       "    `muster checkpoints --help` shows what it takes"},
      {"checkpoints --nodes 8 --mttf 20d --checkpoint-cost 30s --interval 0",
       "--interval: expected a time above 0, got \"0\"\n"
       "    a number of seconds, or text such as 90s, 20min, 3h or 250d"},
      {"checkpoints --nodes 8 --mttf 20d --checkpoint-cost 30s --trace t.csv",
       "--nodes: stands in for an experiment, and there is one\n    leave one of the two out"},
      {"checkpoints --trace t.csv --fleet 1x8 --policy easy --mttf 20d",
       "--mttf: goes with --nodes, and not with an experiment\n"
       "    in an experiment /failures says it"},
      {"checkpoints --trace t.csv --fleet 1x8 --policy easy",
       "--interval: is needed: the formulas know no interval to begin with\n"
       "    they need failures that are drawn (/failures/law, /failures/rate) and what a "
       "checkpoint costs (--checkpoint-cost)"},
      {"spares",
       "--nodes: is missing\n"
       "    how many nodes are needed, for example --nodes 256 --mttf 250d --repair-time 1d; or an "
       "experiment"},
      {"spares --nodes 8 --mttf 20d --repair-time 1d --set /failures/rate=100",
       "--set: goes with an experiment, and not with --nodes\n    leave one of the two out"},
      {"checkpoints --nodes 8 --mttf 20d --checkpoint-cost 30s --policy easy",
       "--policy: goes with an experiment, and not with --nodes\n    leave one of the two out"},
      {"spares --nodes 8 --mttf 20d",
       "--repair-time: is missing\n    for example --repair-time 1d"},
      {"spares --nodes 8 --mttf 20d --repair-time 1d --target 99",
       "--target: expected a share above 0 and below 1\n    for example 0.99"},
      {"spares --nodes 8 --mttf 20d --repair-time 1d --checkpoint-cost 30s",
       "--checkpoint-cost: goes with --checkpoint-interval\n"
       "    for example --checkpoint-interval 20min"},
      {"run --out= --fleet 1x8",
       "--out: a value is missing behind \"=\"\n    write it there, or leave the flag out"},
      {"convert",
       "muster convert: no trace is given\n"
       "    for example muster convert log.swf --out jobs.csv; - is the standard input"},
      {"convert tt.csv",
       "muster convert: there is no file \"tt.csv\"\n    did you mean \"t.csv\"?"},
      {"check --trace /dev/zero",
       "/dev/zero: is a device: expected a file, a pipe, or - for the standard input"},
      {"check --trace - </dev/zero",
       "standard input: is a device: expected a file, a pipe, or - for the standard input"},
      {"check /dev/zero",
       "\"/dev/zero\" is a device, not a file\n"
       "    an experiment's JSON file is expected here; a trace is given with --trace /dev/zero"},
      {"check t.csv",
       "t.csv:1:1: not JSON: syntax error while parsing value - invalid literal\n"
       "    an experiment's JSON file is expected here; a trace is given with --trace t.csv"},
      {"check --trace t.csv --time-zone Asia/Shangahi",
       "--time-zone: there is no time zone \"Asia/Shangahi\"\n"
       "    did you mean \"Asia/Shanghai\"?  use an IANA name such as Europe/Berlin, or an offset "
       "such as +01:00"},
      {"check --set /workload/trace=t.csv --set /workload/time_zone=+99:00",
       "--set /workload/time_zone: there is no time zone \"+99:00\"\n"
       "    use an IANA name such as Europe/Berlin, or an offset such as +01:00"},
      {"run --fleet 1x8 --trace t.csv --policy easy --set /engine/horizon=0",
       "--set /engine/horizon: expected a time above 0, got 0\n"
       "    left out, the run goes on until all jobs have ended"},
      {"check --policy easy --seed 99999999999999999999",
       "--seed: expected an integer below 2^64, got 1e+20"},
      {"run --fleet 1x8 --trace t.csv --policy my.json", "--policy: there is no file \"my.json\""},
      {"run --fleet 1x8 --trace t.csv --policy batch:depht=5",
       "--policy: /depht: policy \"batch\" has no such parameter\n"
       "    did you mean \"depth\"?  it takes: depth (int, 0) waiting jobs tried behind the "
       "promise; "
       "0 = all"},
      {"run --fleet 1x8 --trace t.csv --policy batch:depth",
       "--policy: expected PARAMETER=VALUE, got \"depth\"\n"
       "    a policy with parameters looks like batch:backfill=easy,depth=50"},
      // What was put on a preset is to blame, not the preset.
      {"run --fleet 1x8 --trace t.csv --policy conservative:conservative=compress",
       "--policy: /conservative: conservative=\"compress\" does not go with what " +
           muster::shipped("policies", "conservative").string() +
           ": /depth says: depth does not go with conservative=compress, which promises everybody "
           "a time when it comes\n"
           "    depth=0, or conservative=replan"},
      {"run --fleet 1x8 --trace t.csv --policy slurm_backfill --set /policy/promise=pinned",
       "--set /policy/promise: promise=\"pinned\" does not go with what " +
           muster::shipped("policies", "slurm_backfill").string() +
           ": /backfill_interval says: backfill_interval goes with backfill=easy or "
           "conservative=replan, and promise=time: others have nothing to wait for, or keep plans "
           "up to date\n"
           "    backfill=easy,backfill_interval=30s"},
      // In the place of what the preset says.
      {"run --fleet 1x8 --trace t.csv --policy lucid --set /policy/skip=false",
       muster::shipped("policies", "lucid").string() +
           ": /pack_capacity: goes with skip=true and without defrag: jobs side by side end later "
           "than anybody planned, and stay where they are\n"
           "    backfill=none,skip=true,pack_capacity=100\n"
           "    on top of it stands skip=false (--set /policy/skip)"},
      {"run --fleet 1x8 --trace t.csv --policy easy:skip=true",
       "--policy: /skip: true goes with backfill=none only: skipping promises nothing to anybody\n"
       "    leave one of the two out"},
      {"run --fleet 1x8 --trace t.csv --policy batch:depth=1,depth=2",
       "--policy: \"depth\" can't be given twice"},
      {"run --fleet 1x8 --trace t.csv --policy batch:backfill=eazy",
       "--policy: /backfill: expected one of none, easy, conservative, got \"eazy\"\n"
       "    did you mean \"easy\"?"},
      {"run --fleet 1x8 --trace t.csv --policy batch:order=fif",
       "--policy: /order: expected one of aging, drf, edf, f1, f2, f3, f4, fair_share, fifo, laf, "
       "ljf, "
       "multifactor, priority, qssf, random, saf, sjf, unicep, wfp3, got \"fif\"\n"
       "    did you mean \"fifo\"?"},
      {"run --fleet 1x8 --trace t.csv --policy independent:placer=spraed",
       "--policy: /placer: expected one of " + placers() +
           ", got \"spraed\"\n"
           "    did you mean \"spread\"?"},
      {"run --fleet 1x8 --trace t.csv --policy batch:victims=x",
       "--policy: /victims: expected one of cheapest, fewest_gpus, least_lost, youngest, got "
       "\"x\""},
      {"generate long.json",
       "long.json: /jobs_per_hour: the trace would last more than 100 years\n"
       "    ask for fewer jobs or a higher rate",
       {{"long.json",
         R"({"jobs": 10, "jobs_per_hour": 1e-9, "sizes": [{"gpus": 1}],
             "durations": {"d": [{"law": "constant", "median": "1h"}]}})"}}},
      {"run --fleet 1x8 --trace t.csv --policy easy --set /policy/depht=5",
       "--set /policy/depht: policy \"batch\" has no such parameter\n"
       "    did you mean \"depth\"?  it takes: depth (int, 0) waiting jobs tried behind the "
       "promise; "
       "0 = all"},
      {"run --fleet 1x8 --trace t.csv --policy easy --set /policy/depth=many",
       "--set /policy/depth: expected an integer 0..1000000000, got \"many\""},
      {"run --fleet 1x8 --trace t.csv --policy easy --set policy/depth=5",
       "--set policy/depth: a JSON pointer begins with \"/\", got \"policy/depth\"\n"
       "    for example /policy/depth"},
      {"run --fleet 1x8 --trace t.csv --policy easy --set /policy/depth",
       "--set /policy/depth: expected POINTER=VALUE\n    for example --set /policy/depth=50"},
      {"run --fleet 1x8 --trace t.csv --policy easy --set /polcy/depth=5",
       "--set /polcy/depth: an experiment has no such part\n    did you mean \"policy\"?"},
      {"run --fleet 1x8 --trace t.csv --policy easy --set /seed/x=5 --set /seed/x/y=1",
       "--set /seed/x/y: /seed/x is 5, which has no values inside"},
      {"run --fleet 1x8 --trace t.csv --policy easy --set /engine/passes=evnt",
       "--set /engine/passes: expected one of instant, event, got \"evnt\"\n"
       "    did you mean \"event\"?"},
      {"run --fleet 1x8 --trace t.csv --policy easy --seed minus",
       "--seed: expected an integer >= 0, got \"minus\""},
      {"run --fleet 1x8 --trace t.csv --policy easy --seed -1",
       "--seed: expected an integer >= 0, got -1"},
      {"run --fleet 1x8 --trace t.csv --policy easy --reader-option x",
       "--reader-option: expected NAME=VALUE, got \"x\""},
      {"fleet shwo",
       "muster fleet: there is no command \"shwo\"\n"
       "    did you mean \"show\"?\n"
       "    `muster fleet --help` shows what it takes"},
      {"fleet show",
       "muster fleet show: no fleet is given\n    for example muster fleet show 64x8"},
      {"fleet check",
       "muster fleet check: no fleet is given\n    for example muster fleet check my/fleet.json"},
      {"run --fleet 1x8 --trace t.csv --policy easy --cost contention=true,x",
       "--cost: expected NAME=VALUE, got \"x\"\n"
       "    for example --cost contention=true,communication=0.3"},
      // A comma inside braces separates nothing.
      {R"(run --fleet 1x8 --trace t.csv --policy easy --cost 'steps={"a":"b:tp=8,pp=8"},x')",
       "--cost: expected NAME=VALUE, got \"x\"\n"
       "    for example --cost contention=true,communication=0.3"},
      {"run --fleet 1x8 --trace t.csv --policy easy --cost contention=true",
       "--cost: contention is asked for, and no job communicates\n"
       "    say for what share of their time they do: /cost/communication=0.3"},
      {"run --fleet 1x8 --trace t.csv --policy easy --cost contension=true",
       "--cost: the cost of placements has no such parameter\n"
       "    did you mean \"contention\"?  it takes: contention (true | false, false) jobs of "
       "several "
       "nodes share the links between these, and readers the storage; false: nobody notices "
       "anybody"},
      {"check",
       "muster check: nothing is given that could be checked\n"
       "    --trace, --fleet, --policy, or an experiment's file"},
      {"why", "muster why: no job is given\n    for example muster why 17 --run out/first"},
      {"why 17",
       "muster why: no run is given\n"
       "    muster why 17 --run DIR, where DIR is what `muster run ... --out DIR` wrote; or "
       "--trace, "
       "--fleet and --policy, to run one for it"},
      {"why .",
       "muster why: no job is given: . is a folder\n    for example muster why 17 --run ."},
      {"why a --run .",
       ".: no run has left its results here: there is no summary.json\n"
       "    `muster run ... --out .` makes one"},
      {"why a --run o",
       "--run: there is no folder \"o\"\n"
       "    it takes the folder that `muster run` wrote its results to"},
      {"why aa --trace t.csv --fleet 1x8 --policy easy",
       "muster why: the trace has no job \"aa\"\n    did you mean \"a\"?"},
      {"why a --trace t.csv --fleet 1x8 --policy easy --at soon",
       "--at: expected a time since the trace origin, got \"soon\"\n"
       "    a number of seconds, or text such as 2h or 90s"},
      {"generate",
       "muster generate: no specification is given\n"
       "    `muster generate --list` names the shipped ones; docs/generate.md describes how to "
       "write "
       "one"},
  }));
  check(mistake);
}

TEST_CASE("a wrong experiment says where and what would be right") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"{",
       "e.json:1:2: not JSON: syntax error while parsing object key - unexpected end of input; "
       "expected string literal"},
      {"[]", "e.json: expected an object, got []"},
      {R"({"fleet": "1x8", "fleet": "2x8"})",
       "e.json: /fleet: given twice in one object\n    remove one of them"},
      {R"({"polcy": "easy"})",
       "e.json: /polcy: an experiment has no such part\n    did you mean \"policy\"?"},
      {R"({"fleet": "1x8", "policy": "easy",
           "workload": {"generate": {"jobs": 10, "jobs_per_hour": 1e-9, "sizes": [{"gpus": 1}],
             "durations": {"d": [{"law": "constant", "median": "1h"}]}}}})",
       "e.json: /workload/generate: /jobs_per_hour: the trace would last more than 100 years\n"
       "    ask for fewer jobs or a higher rate"},
      {R"({"fleet": "1x8", "workload": "t.csv", "policy": "easy",
           "engine": {"scheduling_interval": "unlimited"}})",
       "e.json: /engine/scheduling_interval: expected at most 366 days\n"
       "    passes come at its multiples only, so until then every job waits"},
      {R"({"fleet": 5, "workload": "t.csv", "policy": "easy"})",
       "e.json: /fleet: expected a fleet (an object, or its name), got 5"},
      {R"({"workload": "t.csv", "policy": "easy"})",
       "e.json: no fleet is given\n"
       "    --fleet FLEET names one: a file, a shipped one, or NODESxGPUS such as 64x8"},
      {R"({"fleet": "f.json", "workload": "t.csv", "policy": "easy"})",
       "e.json: /fleet: there is no file \"f.json\"\n    did you mean \"e.json\"?"},
      {R"({"fleet": "1x8", "workload": {"trace": "t.csv", "fromat": "muster"}, "policy": "easy"})",
       "e.json: /workload/fromat: a workload has no such part\n    did you mean \"format\"?"},
      {R"({"fleet": "1x8", "workload": {"format": "muster"}, "policy": "easy"})",
       "e.json: /workload: \"trace\" is missing\n"
       "    a trace's file; or \"generate\", what to make up"},
      {R"({"fleet": "1x8", "workload": {"trace": "t.csv", "generate": "philly"}, "policy": "easy"})",
       "e.json: /workload: has both a \"trace\" and something to \"generate\"\n"
       "    leave one of the two out"},
      {R"({"fleet": "1x8", "workload": {"trace": "t.csv", "skip_bad_rows": "yes"}, "policy": "easy"})",
       "e.json: /workload/skip_bad_rows: expected true or false, got \"yes\""},
      {R"({"fleet": "1x8", "workload": "t.csv", "policy": {"family": "bacth"}})",
       "e.json: /policy/family: there is no policy family \"bacth\"\n    did you mean \"batch\"?"},
      {R"({"fleet": "1x8", "workload": "t.csv", "policy": {"preset": "easy", "depht": 1}})",
       "e.json: /policy/depht: policy \"batch\" has no such parameter\n"
       "    did you mean \"depth\"?  it takes: depth (int, 0) waiting jobs tried behind the "
       "promise; "
       "0 = all"},
      {R"({"fleet": "1x8", "workload": "t.csv", "policy": "easy", "engine": {"pases": "event"}})",
       "e.json: /engine/pases: the engine has no such parameter\n"
       "    did you mean \"passes\"?  it takes: passes (instant | event, instant) instant: one "
       "pass after all events of an "
       "instant; event: one after each event, submissions first (CONVENTIONS C16)"},
      {R"({"fleet": "1x8", "workload": "t.csv", "policy": "easy", "seed": 1.5})",
       "e.json: /seed: expected an integer >= 0, got 1.5"},
      {R"({"fleet": "1x8", "workload": "t.csv", "policy": "easy", "output": {"folder": "x"}})",
       "e.json: /output/folder: the output has no such part\n    it takes: dir, report, events, "
       "timeline, ranks"},
  }));
  check({"run e.json", message, {{"e.json", text}}});
}

TEST_CASE("fleet show of an experiment that has no fleet") {
  check({"fleet show e.json",
         "e.json: is an experiment without a fleet\n    add one, for example \"fleet\": \"16x8\"",
         {{"e.json", R"({"workload": "t.csv", "policy": "easy"})"}}});
}

TEST_CASE("check refuses of an experiment whatever run refuses") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {R"({"name": 3})", "e.json: /name: expected text, got 3"},
      {R"({"about": ["x"]})", "e.json: /about: expected text, got [\"x\"]"},
      {R"({"output": "out/x"})", "e.json: /output: expected an object, got \"out/x\""},
      {R"({"output": {"dir": 3}})", "e.json: /output/dir: expected text, got 3"},
      {R"({"output": {"dir": ""}})",
       "e.json: /output/dir: expected the folder for the results, got \"\""},
      {R"({"output": {"folder": "x"}})",
       "e.json: /output/folder: the output has no such part\n    it takes: dir, report, events, "
       "timeline, ranks"},
      {R"({"failures": {"law": "exponential"}})",
       "e.json: /failures/law: needs a rate above 0\n    for example \"law\": \"exponential\", "
       "\"rate\": 6.5"},
      {R"({"maintenance": [{"from": 100, "to": 50}]})",
       "e.json: /maintenance/0/to: expected an end after its beginning (100 s), got 50 s"},
      {R"({"maintenance": [{"node": ["n0"], "from": 0, "to": 50}]})",
       "e.json: /maintenance/0/node: a maintenance has no such parameter\n    did you mean "
       "\"nodes\"?"},
      {R"({"maintenance": [{"until_when": 50}]})",
       "e.json: /maintenance/0/until_when: a maintenance has no such parameter\n    it takes: "
       "announced_at, from, to, lasts, rolling, gap, drain, nodes"},
      {R"({"reservations": [{"id": "R", "job": "x", "from": 20}]})",
       "e.json: /reservations/0/job: no job of the trace that is replayed is called \"x\""},
      {R"({"stragglers": {"causes": [{"slowdown": 2}]}})",
       "e.json: /stragglers/causes/0/name: expected a name\n    thermal, lemon, ..."},
      {R"({"links": [{"node": "n0", "at": 1}]})",
       "e.json: /links: no job communicates, so no link matters\n    say for what share of their "
       "time they do: /cost/communication=0.3"},
  }));
  std::string whole = text;
  whole.pop_back();
  whole += R"(, "fleet": "1x8", "workload": "t.csv", "policy": "easy"})";
  check({"check e.json", message, {{"e.json", whole}}});
  check({"run e.json --out o", message, {{"e.json", whole}}});
}

TEST_CASE("a file that can't be looked at is not one that is missing") {
  const Place place;
  REQUIRE(place.shell("ln -s loop loop").status == 0);
  const Ran ran = place.muster("check --trace loop");
  CHECK(ran.err == "--trace: \"loop\" can't be looked at: Too many levels of symbolic links\n");
  CHECK(ran.status == 2);
}

TEST_CASE("a summary is not an experiment, and says where one is") {
  check({"run summary.json",
         "summary.json: /schema: an experiment has no such part\n    did you mean \"$schema\"?\n"
         "    a run's summary is no experiment; what it has under \"experiment\" is one",
         {{"summary.json", R"({"schema": "muster.summary/1", "experiment": {}})"}}});
}

TEST_CASE("a wrong policy file is named, not the experiment that names it") {
  check({"run e/e.json",
         "e/p.json: /depht: policy \"batch\" has no such parameter\n"
         "    did you mean \"depth\"?  it takes: depth (int, 0) waiting jobs tried behind the "
         "promise; 0 = all",
         {{"e/e.json", R"({"fleet": "1x8", "workload": "../t.csv", "policy": "p.json"})"},
          {"e/p.json", R"({"family": "batch", "depht": 3})"}}});
  check({"run e.json",
         "p.json: /preset: the presets name each other in a circle",
         {{"e.json", R"({"fleet": "1x8", "workload": "t.csv", "policy": {"preset": "p.json"}})"},
          {"p.json", R"({"preset": "p.json"})"}}});
}
