// EASY's promise and quotas, drawn: with estimates that nobody overruns, nobody starts after the time that it was promised
// first, whatever its queue and the others may use.

#include "catch.hpp"
#include "support/random_runs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;

namespace {

std::string list(const char* name, const std::string& entries) {
  return entries.empty() ? "" : std::string{","} + name + "={" + entries + "}";
}

/// Caps alone, or guarantees with what is lent and borrowed beside them.
std::string draw_quotas(Stream& r, const Fleet& fleet, bool tree) {
  std::string caps, guarantees, lending, parents;
  const auto add = [&](std::string& to, const std::string& name, std::uint64_t gpus) {
    to += (to.empty() ? "\"" : ", \"") + name + "\": " + std::to_string(gpus);
  };
  for (const char* name : {"q0", "q1", "q2"}) {
    if (r.chance(tree ? 0.3 : 0.7)) add(caps, name, 1 + r.below(fleet.gpus));
    if (!tree) continue;
    add(guarantees, name, r.below(fleet.gpus));
    if (r.chance(0.4)) add(lending, name, r.below(fleet.gpus));
    if (r.chance(0.3)) parents += std::string{parents.empty() ? "\"" : ", \""} + name + "\": \"c\"";
  }
  return list("caps", caps) + list("guarantees", guarantees) + list("lending", lending) +
         list("parents", parents);
}

/// The seeds, of the first so many, at which a promise is broken.
std::string broken(const char* stream, bool tree, bool shapes, std::uint64_t seeds) {
  std::string at;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Stream r(seed, stream);
    const Fleet fleet = shapes ? parse_fleet(draw_fleet(r), "drawn")
                               : Fleet::uniform(4 + static_cast<std::uint32_t>(r.below(12)), 1);
    Spice spice;
    spice.dependencies = spice.preemption_terms = spice.limits = spice.wrong_estimates = false;
    spice.shapes = shapes;
    const Workload w = workload(draw_jobs(r, fleet, 20 + r.below(40), spice));
    const std::string spec =
        "batch:backfill=easy,candidates=" + std::string{one_of(r, {"order", "shortest"})} +
        draw_quotas(r, fleet, tree);
    EngineOptions options;
    options.passes = r.chance(0.5) ? Passes::event : Passes::instant;
    options.cancel_running = true;
    const auto p = policy(spec);
    Observer nobody;
    const RunSummary run = simulate(fleet, prepared(w, *p), *p, options, nobody);
    if (run.broken_promises > 0)
      at += std::to_string(seed) + " (" + spec + "): " + std::to_string(run.broken_promises) + "\n";
  }
  return at;
}

}  // namespace

TEST_CASE("no promise of EASY is broken by caps of queues") {
  CHECK(broken("promises and caps", false, false, 400) == "");
  CHECK(broken("promises, caps, shapes", false, true, 400) == "");
}

TEST_CASE("no promise of EASY is broken by guarantees, lending and borrowing") {
  CHECK(broken("promises and quotas", true, false, 400) == "");
  CHECK(broken("promises, quotas, shapes", true, true, 400) == "");
}
