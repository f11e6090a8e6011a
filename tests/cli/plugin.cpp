#include "muster/io/plugin.hpp"
#include "cli/muster.hpp"

using namespace muster::test;

namespace {

/// Compiles `source` as docs/writing-a-policy.md does, against this source tree.
void compile(const Place& place, const std::string& source, const std::string& library) {
  const Ran built = place.shell("c++ -std=c++20 -fPIC -shared -I '" MUSTER_SOURCE_DIR
                                "/include' -I '" MUSTER_BINARY_DIR "/include' " +
                                source + " -o " + library);
  INFO(built.err);
  REQUIRE(built.status == 0);
}

const char* kWidest = R"(
#include "muster/policy/parts/order.hpp"
#include "muster/policy/plugin.hpp"
MUSTER_PLUGIN;
namespace {
using namespace muster;
struct Widest final : Order {
  explicit Widest(const OrderOptions&) {}
  std::int64_t key(const View& view, JobId job) override {
    return -std::int64_t{view.demands[view.jobs.shape(job)].gpus};
  }
};
const Orders::Add<Widest> registered{NAME, "most GPUs first"};
}
)";

/// One GPU, and jobs that want 1, 2 and 4 of 4 at once while all are held.
const char* kTrace =
    "job,submit,gpus,duration\n"
    "first,0,4,10\n"
    "one,1,1,10\n"
    "two,1,2,10\n"
    "four,1,4,10\n";

}  // namespace

TEST_CASE("a plug-in's order is used, listed, and found again by why") {
  Place place{{{"widest.cpp", "#define NAME \"widest\"\n" + std::string{kWidest}},
               {"t.csv", kTrace},
               {"sub/e.json",
                "{\"plugins\": [\"../widest.so\"], \"policy\": \"batch:order=widest\", "
                "\"fleet\": \"1x4\", \"workload\": \"../t.csv\"}"}}};
  compile(place, "widest.cpp", "widest.so");

  const Ran without = place.muster("run --trace t.csv --fleet 1x4 --policy batch:order=widest");
  CHECK(without.status == 2);
  CHECK_THAT(without.err, Contains("widest"));

  const Ran listed = place.muster("policies batch --plugin widest.so");
  CHECK(listed.status == 0);
  CHECK_THAT(listed.out, Contains("widest: most GPUs first"));
  CHECK_THAT(place.muster("policies --schema --plugin widest.so").out, Contains("\"widest\""));

  for (const std::string how :
       {"--plugin widest.so --trace t.csv --fleet 1x4 --policy batch:order=widest", "sub/e.json"}) {
    CAPTURE(how);
    const Ran ran = place.muster("run " + how + " --out out");
    CHECK(ran.err == "");
    REQUIRE(ran.status == 0);
    // The widest goes first: four from 10 s on, then two and one together.
    const std::string jobs = place.read("out/jobs.csv");
    CHECK_THAT(jobs, Contains("\nfour,,,4,1,10,20,"));
    CHECK_THAT(jobs, Contains("\ntwo,,,2,1,20,30,"));
    CHECK_THAT(jobs, Contains("\none,,,1,1,20,30,"));
    CHECK_THAT(place.read("out/summary.json"), Contains("\"plugins\""));
    const Ran why = place.muster("why two --run out");
    CHECK(why.err == "");
    CHECK(why.status == 0);
  }

  // One file by three names is one plug-in.
  REQUIRE(place.shell("ln widest.so hard.so; ln -s widest.so soft.so").status == 0);
  const Ran thrice =
      place.muster("policies batch --plugin widest.so --plugin hard.so --plugin soft.so");
  CHECK(thrice.err == "");
  CHECK(thrice.status == 0);
}

TEST_CASE("a plug-in whose policy does what none may is named, with the job") {
  Place place{{{"greedy.cpp", R"(
#include <stdexcept>
#include "muster/policy/plugin.hpp"
#include "muster/policy/policy.hpp"
#include "muster/policy/registry.hpp"
MUSTER_PLUGIN;
namespace {
using namespace muster;
struct Greedy final : Policy {
  struct Params {
    std::int64_t times = 1;
    bool throws = false;
    std::int64_t odd = 0;
    void walk(ParamVisitor& visit) {
      visit.visit("times", times, 1, 4, "starts each job so often");
      visit.visit("throws", throws, "gives up");
      visit.visit("odd", odd, 0, 5, "says what makes no sense");
    }
  };
  explicit Greedy(const Params& given) : params(given) {}
  std::optional<Rejection> refuse(const View&, JobId) override { return {}; }
  void decide(const View& view, Plan& plan) override {
    if (params.throws) throw std::runtime_error("no more ideas");
    const JobId nobody{4000000000U};
    if (params.odd == 1) plan.preempt(nobody, nobody, PreemptMode::suspend);
    if (params.odd == 2) plan.start(JobId{0}, std::vector<Slice>{{NodeId{999999}, 1, GpuMask{1}}});
    if (params.odd == 3) plan.promise(nobody, view.now);
    if (params.odd == 4) plan.reshape(JobId{0}, {}, Duration{});
    if (params.odd == 5) throw 42;
    for (JobId j : view.joined)
      for (std::int64_t i = 0; i < params.times; ++i)
        plan.start(j, std::vector<Slice>{{NodeId{0}, 1, GpuMask{1} << i}});
  }
  Explanation explain(const View&, JobId) override { return {}; }
  Params params;
};
const RegisterPolicy<Greedy> registered{"greedy", "takes the first GPU"};
}
)"},
               {"t.csv", "job,submit,gpus,duration\nlone,0,1,10\nnext,5,1,10\n"}}};
  compile(place, "greedy.cpp", "greedy.so");
  const auto ends = [&](const std::string& policy, const std::string& said) {
    const Ran ran = place.muster(
        "run --plugin greedy.so --trace t.csv --fleet 1x4 --out out --policy " + policy);
    INFO(ran.err);
    CHECK_THAT(ran.err, Contains(said));
    CHECK_THAT(ran.err, Contains("\n    this is a bug in the plug-in greedy.so, or in muster: "
                                 "docs/writing-a-policy.md says what a policy may do\n"));
#if defined(__SANITIZE_ADDRESS__)
    if (ran.status == 134) return;  // a failed check, which ends at once for the sanitizer's stack
#endif
    CHECK(ran.status == 3);
    CHECK(place.shell("test ! -e out/summary.json && test ! -e out/jobs.csv.partial").status == 0);
  };
  ends("greedy:times=2", "the policy starts job lone: placements_.of(j).empty() != slices.empty()");
  ends("greedy", "the policy starts job next: (idle & s.gpus) == s.gpus");  // both on one GPU
  ends("greedy:throws=true", "no more ideas");
  ends("greedy:odd=1", "the policy preempts job ?: ");
  ends("greedy:odd=2", "the policy starts job lone: ");
  ends("greedy:odd=3", "the policy promises a start to job ?: ");
  ends("greedy:odd=4", "the policy reshapes job lone: ");
  ends("greedy:odd=5", "something was thrown that is no std::exception");
}

TEST_CASE("what is no plug-in of this muster is refused, and says why") {
  Place place{
      {{"t.csv", kTrace},
       {"notes.so", "not a library\n"},
       {"plain.cpp", "int plain() { return 0; }\n"},
       {"old.cpp",
        "extern \"C\" __attribute__((used)) const char muster_plugin_abi[] =\n"
        "    \"muster-plugin-abi: muster 0.0.1, headers 0123456789abcdef, C++ library 1\";\n"
        "struct Boom { Boom() { __builtin_trap(); } } boom;\n"},
       {"idle.cpp", "#include \"muster/policy/plugin.hpp\"\nMUSTER_PLUGIN;\n"},
       {"again.cpp", "#define NAME \"fifo\"\n" + std::string{kWidest}}}};
  for (const std::string name : {"plain", "old", "idle", "again"})
    compile(place, name + ".cpp", name + ".so");

  const auto refused = [&](const std::string& file, const std::string& message) {
    CAPTURE(file);
    const Ran ran = place.muster("run --trace t.csv --fleet 1x4 --policy fifo --plugin " + file);
    CHECK(ran.status == 2);
    CHECK(ran.err == message);
    CHECK(ran.out == "");
  };
  refused("nothing.so",
          "--plugin: there is no file \"nothing.so\"\n    did you mean \"notes.so\"?\n");
  refused("notes.so",
          "--plugin: \"notes.so\" is not a shared library\n"
          "    compile it with -fPIC -shared; docs/writing-a-policy.md shows how\n");
  refused("plain.so",
          "--plugin: \"plain.so\" is not a plug-in of muster\n"
          "    put MUSTER_PLUGIN; from <muster/policy/plugin.hpp> into one of its source files\n");
  refused("old.so",
          "--plugin: \"old.so\" was built against another muster\n"
          "    it was built against muster 0.0.1, headers 0123456789abcdef, C++ library 1,\n"
          "    this is           " +
              std::string{muster::plugin_abi()} +
              ";\n    compile it again with the headers of this one\n");
  refused("idle.so",
          "--plugin: \"idle.so\" registers nothing\n"
          "    a policy registers itself by `const RegisterPolicy<MyPolicy> registered{\"name\", "
          "\"summary\"};` at namespace scope\n");
  refused("again.so",
          "--plugin: \"again.so\" registers \"fifo\", and that name is taken\n"
          "    give it a name that neither muster nor another plug-in uses\n");

  REQUIRE(place.shell("mkfifo pipe.so").status == 0);
  refused("pipe.so", "--plugin: \"pipe.so\" is not a regular file\n");

  place.put("e.json", R"({"plugins": "idle.so", "policy": "fifo", "fleet": "1x4",
                         "workload": "t.csv"})");
  const Ran ran = place.muster("check e.json");
  CHECK(ran.status == 2);
  CHECK(ran.err == "e.json: /plugins: expected a list of shared libraries, got \"idle.so\"\n");
  CHECK(place.files().size() == 12);  // nothing was written
}
