#pragma once
#include <string>
#include <vector>

#include "muster/core/random.hpp"
#include "muster/engine/simulate.hpp"
#include "muster/io/fleet.hpp"
#include "support/jobs.hpp"
#include "support/random_policies.hpp"

namespace muster::test {

/// What a drawn workload may contain.
struct Spice {
  bool limits = true;  // other than the estimate: a job may outlive what it is planned with
  bool wrong_estimates = true;  // too short, too long, missing
  bool dependencies = true;
  bool cancels = true;
  bool shares = true;
  bool preemption_terms = true;  // priorities, checkpoints, restarts, grace
  bool shapes = true;            // nodes, tasks, types, levels
  bool mig = false;              // MIG instances (of fleets by draw_mig_fleet)
  bool elastic = false;
};

/// Small fleets of all kinds: one node to twenty, one or two types, leaves, two fabrics.
inline std::string draw_fleet(Stream& r) {
  static constexpr int kWidths[] = {1, 2, 4, 8, 8};
  const auto group = [&](const char* type, const char* prefix) {
    std::string text = "{\"count\": " + std::to_string(1 + r.below(10)) +
                       ", \"gpus\": " + std::to_string(kWidths[r.below(5)]) + ", \"prefix\": \"" +
                       prefix + "\"";
    if (*type) text += std::string{", \"gpu_type\": \""} + type + "\"";
    if (r.chance(0.4)) text += ", \"nodes_per_leaf\": " + std::to_string(1 + r.below(4));
    return text;
  };
  if (r.chance(0.5)) return "{\"groups\": [" + group("", "n") + "}]}";
  const bool apart = r.chance(0.25);
  const char* other = r.chance(0.7) ? "B" : "A";
  return "{\"groups\": [" + group("A", "a") + (apart ? ", \"fabric\": \"F1\"" : "") + "}, " +
         group(other, "b") + (apart ? ", \"fabric\": \"F2\"" : "") + "}]}";
}

/// A group of nodes in MIG mode, divided as needed or for good, alone or beside one of whole GPUs.
inline std::string draw_mig_fleet(Stream& r) {
  static constexpr const char* kModes[] = {"true", "true", R"(["3g@0", "3g@4"])",
                                           R"(["3g@4", "2g@0", "1g@2", "1g@3"])"};
  std::string text = "{\"groups\": [";
  for (const char* type : {"A", "B"}) {
    const bool second = type[0] == 'B';
    if (second && r.chance(0.4)) break;
    text += std::string{second ? ", " : ""} + "{\"count\": " + std::to_string(1 + r.below(3)) +
            ", \"gpus\": " + std::to_string(1 + r.below(8)) + ", \"gpu_type\": \"" +
            (r.chance(0.7) ? type : "A") + "\", \"prefix\": \"" + type + "\"";
    if (!second || r.chance(0.4)) text += std::string{", \"mig\": "} + kModes[r.below(4)];
    text += "}";
  }
  return text + "]}";
}

inline TestJob draw_job(Stream& r, const Fleet& fleet, Duration& clock, const Spice& spice,
                        std::size_t index) {
  using std::chrono::seconds;
  // Bursts, and many things at one instant: all times are multiples of 5 s.
  if (r.chance(0.6)) clock += seconds{5 * static_cast<std::int64_t>(r.below(8))};
  const auto most = std::uint64_t{fleet.gpus} + fleet.gpus / 8;
  std::uint32_t gpus =
      1 + static_cast<std::uint32_t>(r.chance(0.6) ? r.below(std::min<std::uint64_t>(most, 4))
                                                   : r.below(most));
  const Duration duration =
      seconds{r.chance(0.05) ? 0 : 5 * static_cast<std::int64_t>(1 + r.below(40))};
  TestJob j(clock, gpus, duration);
  j.estimate(duration == Duration{} ? Duration{seconds{5}} : duration);
  if (spice.wrong_estimates) {
    const double kind = r.uniform();
    if (kind < 0.15)
      j.no_estimate();
    else if (kind < 0.3)
      j.estimate(std::max<Duration>(duration / 2, seconds{5}));
    else if (kind < 0.6)
      j.estimate(duration * 2 + seconds{5});
    if (r.chance(0.1) && spice.limits) j.limit(r.chance(0.5) ? kUnlimited : duration + seconds{5});
  }
  if (spice.mig && r.chance(0.8)) {
    j.mig(std::string{kMigProfiles[r.below(kMigProfiles.size())].name});
    if (r.chance(0.2)) j.types(r.chance(0.5) ? "A" : r.chance(0.5) ? "b" : "A|B");
  } else if (spice.shapes) {
    const double kind = r.uniform();
    if (kind < 0.15) {
      j.nodes(1 + static_cast<std::uint32_t>(r.below(3)),
              static_cast<std::uint32_t>(r.below(fleet.widest + 1u)));
    } else if (kind < 0.25) {
      std::string tasks;
      const std::uint64_t n = 1 + r.below(4);
      for (std::uint64_t i = 0; i < n; ++i)
        tasks += (i ? "+" : "") + std::to_string(1 + r.below(fleet.widest));
      j.tasks(tasks);
    } else if (kind < 0.35 && spice.shares) {
      j.share(100 * static_cast<std::uint32_t>(1 + r.below(9)));
    }
    if (r.chance(0.2)) j.types(r.chance(0.5) ? "A" : r.chance(0.5) ? "b" : "A|B");
    if (r.chance(0.2))
      j.inside(r.chance(0.5) ? Level::leaf : r.chance(0.3) ? Level::node : Level::pod);
  }
  if (spice.elastic && r.chance(0.7)) {
    const auto least = 1 + static_cast<std::uint32_t>(r.below(gpus));
    j.elastic(least, gpus + static_cast<std::uint32_t>(r.below(8)));
  }
  if (spice.cancels && r.chance(0.15))
    j.cancel(seconds{5 * static_cast<std::int64_t>(r.below(30))});
  if (spice.dependencies && index > 0 && r.chance(0.15))
    j.after("j" + std::to_string(r.below(index)));
  if (spice.preemption_terms) {
    j.priority(static_cast<std::int32_t>(r.below(4)));
    if (r.chance(0.4))
      j.checkpoints(seconds{5 * static_cast<std::int64_t>(1 + r.below(5))},
                    r.chance(0.5) ? Duration{seconds{5}} : kUnknown);
    if (r.chance(0.15)) j.grace(seconds{5 * static_cast<std::int64_t>(1 + r.below(3))});
  }
  j.user("u" + std::to_string(r.below(4)))
      .queue("q" + std::to_string(r.below(3)))
      .named("j" + std::to_string(index));
  if (r.chance(0.05)) j.outcome(r.chance(0.5) ? Outcome::failed : Outcome::cancelled);
  return j;
}

inline std::vector<TestJob> draw_jobs(Stream& r, const Fleet& fleet, std::size_t n,
                                      const Spice& spice) {
  std::vector<TestJob> jobs;
  Duration clock{};
  for (std::size_t i = 0; i < n; ++i) jobs.push_back(draw_job(r, fleet, clock, spice, i));
  return jobs;
}

/// Models for the jobs, faster on some types of the fleet than on others, and some that do not run
/// everywhere.
inline void draw_models(Stream& r, const Fleet& fleet, Workload& w) {
  std::vector<NameId> models, types;
  for (const Fleet::Pool& pool : fleet.pools)
    if (!pool.gpu_type.empty()) types.push_back(w.names.intern(pool.gpu_type));
  if (types.empty()) return;
  for (const char* name : {"M0", "M1", "M2", "not in the table"})
    models.push_back(w.names.intern(name));
  w.model.assign(w.size(), NameId{});
  for (NameId& model : w.model) model = models[r.below(models.size())];
  w.throughputs.reference = types[0];
  for (std::size_t m = 0; m + 1 < models.size(); ++m)
    for (const NameId type : types)
      for (const std::uint32_t gpus : {1U, 4U}) {
        const bool never = type != types[0] && r.chance(0.15);
        w.throughputs.set({models[m], type, gpus},
                          never ? 0 : 0.25 * static_cast<double>(1 + r.below(12)));
      }
  keep_to_types_that_run(w, fleet);
}

inline EngineOptions draw_options(Stream& r) {
  EngineOptions o;
  if (r.chance(0.4)) o.passes = Passes::event;
  if (r.chance(0.2)) o.scheduling_interval = std::chrono::seconds{15};
  o.cancel_running = r.chance(0.5);
  if (r.chance(0.15)) {
    o.horizon = std::chrono::seconds{5 * static_cast<std::int64_t>(1 + r.below(200))};
    o.on_livelock = OnLivelock::go_on;  // without a horizon that may be for ever
  }
  return o;
}

}  // namespace muster::test
