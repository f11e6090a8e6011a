// The fingerprints of fixed runs, pinned: the same with every compiler, at every optimisation level,
// under the sanitizers and on every machine. MUSTER_UPDATE_GOLDEN=1 writes them anew; what changed
// then shows in the diff, and belongs in the message of the commit that changed it.

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "muster/io/fleet.hpp"
#include "muster/policy/parts/objective.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;

namespace {

const std::string kFile = MUSTER_SOURCE_DIR "/tests/golden/hashes.txt";

/// Jobs of all kinds. Durations come from the logarithm of detmath: the fixed bits of
/// floating-point are tested with the rest.
Workload jobs(int count) {
  Stream r(1, "golden");
  std::vector<TestJob> list;
  Duration clock{};
  for (int i = 0; i < count; ++i) {
    clock += Duration{static_cast<std::int64_t>(r.exponential(40) * 1e9)};
    const Duration duration{static_cast<std::int64_t>(r.lognormal(6, 1.2) * 1e9)};
    const std::uint64_t kind = r.below(10);
    const auto gpus = static_cast<std::uint32_t>(kind < 6 ? 1 + r.below(8) : 8 * (1 + r.below(6)));
    TestJob j(clock, gpus, duration);
    j.named("j" + std::to_string(i)).estimate(duration * static_cast<std::int64_t>(1 + r.below(4)));
    j.priority(static_cast<std::int32_t>(r.below(3))).user("u" + std::to_string(r.below(7)));
    j.queue("q" + std::to_string(r.below(3)));
    if (kind == 5) j.share(250);
    if (kind == 9) j.inside(Level::leaf);
    if (r.chance(0.3)) j.checkpoints(std::chrono::minutes{5}, std::chrono::seconds{30});
    if (r.chance(0.05)) j.cancel(std::chrono::minutes{20});
    list.push_back(j);
  }
  return workload(list);
}

/// The same on GPUs of two types: four models, between equally fast and five times as slow on the second.
Workload with_models(Workload w) {
  const NameId fast = w.names.intern("h100"), slow = w.names.intern("t4");
  w.throughputs.reference = fast;
  w.model.assign(w.size(), NameId{});
  for (std::uint32_t m = 0; m < 4; ++m) {
    const NameId model = w.names.intern("m" + std::to_string(m));
    w.throughputs.set({model, fast, 1}, 10);
    w.throughputs.set({model, slow, 1}, 10 / (1 + 1.3 * m));
    for (std::uint32_t j = m; j < w.size(); j += 4) w.model[JobId{j}] = model;
  }
  return w;
}

std::string hash_of(const Workload& w, const Fleet& fleet, const std::string& spec,
                    const EngineOptions& options) {
  const auto p = policy(spec);
  Observer nobody;
  const RunSummary run = simulate(fleet, prepared(w, *p), *p, options, nobody);
  std::ostringstream text;
  text << std::hex << run.fingerprint;
  return text.str();
}

std::map<std::string, std::string> read_file() {
  std::map<std::string, std::string> hashes;
  std::ifstream in(kFile);
  std::string hash, name;
  while (in >> hash && std::getline(in >> std::ws, name)) hashes[name] = hash;
  return hashes;
}

}  // namespace

TEST_CASE("the fingerprints of fixed runs are those of tests/golden/hashes.txt") {
  const Workload w = jobs(3000);
  const Fleet fleet = load_fleet("16x8:h100/8/2");
  std::map<std::string, std::string> now;
  for (const char* parameters :
       {"", "skip=true", "order=sjf,skip=true,placer=spread", "backfill=easy",
        "backfill=easy,candidates=shortest,placer=first", "backfill=easy,reservations=3",
        "backfill=easy,promise=pinned", "backfill=conservative,conservative=compress",
        "backfill=conservative,placer=random", "order=priority,backfill=easy,preemption=suspend",
        "order=priority,backfill=easy,preemption=requeue,victims=least_lost",
        "order=fair_share,backfill=easy,prefer=leaf", "backfill=easy,caps={\"q1\": 40}"}) {
    const std::string spec = *parameters ? std::string{"batch:"} + parameters : "batch";
    now[spec] = hash_of(w, fleet, spec, {});
  }
  EngineOptions options;
  options.passes = Passes::event;
  now["batch:backfill=easy (passes=event)"] = hash_of(w, fleet, "batch:backfill=easy", options);
  // What a linear program says may not depend on the compiler either.
  const Workload typed = with_models(jobs(300));
  for (const std::string& objective : Objectives::names()) {
    const std::string spec = "rounds:restart_cost=30s,objective=" + objective;
    now[spec] = hash_of(typed, load_fleet("5x8:h100/8/2+5x8:t4/8/2"), spec, {});
  }

  if (std::getenv("MUSTER_UPDATE_GOLDEN")) {
    std::ofstream out(kFile);
    for (const auto& [name, hash] : now) out << hash << " " << name << "\n";
  }
  const auto pinned = read_file();
  for (const auto& [name, hash] : now) {
    INFO(name);
    CHECK(pinned.count(name) == 1);
    if (pinned.count(name) == 1) CHECK(hash == pinned.at(name));
  }
  CHECK(pinned.size() == now.size());
}
