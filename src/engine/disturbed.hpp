#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "muster/core/random.hpp"
#include "muster/engine/disturbances.hpp"
#include "muster/engine/simulate.hpp"
#include "stragglers.hpp"

namespace muster {

/// What a run knows of what is slow by now. The engine's own notes; no policy sees them.
struct Disturbed {
  /// What an event is about, by its `epoch`; its `job` is the number of it.
  enum What : std::uint32_t {
    look,         // somebody looks for nodes that were slow until now
    links_begin,  // an event of links
    links_end,
    next,          // a cause strikes, and when it does next is drawn
    given,         // a cause strikes as was said
    over,          // an episode is over
    returns,       // an exclusion is over
    link_next,     // a process of links strikes, and when it does next is drawn
    link_is_well,  // what it struck is over
  };
  struct Episode {
    NodeId node{};
  };
  struct Worn {
    std::uint32_t link = 0;
    double capacity = 0;
  };
  struct Exclusion {
    NodeId node{};
    std::uint32_t window = 0;
  };
  /// Of a cause that is drawn.
  struct Drawn {
    Stream stream;
    std::vector<std::uint64_t> ends;  // running sums of what can be hit on its nodes
  };

  explicit Disturbed(const Disturbances& p)
      : plan(p), link_events(p.links.size()), looks(p.seed, "straggler looks") {
    for (const Disturbances::Cause& cause : p.causes)
      drawn.push_back({Stream(p.seed, "stragglers " + cause.name), {}});
    for (std::size_t i = 0; i < p.link_processes.size(); ++i) {
      link_streams.emplace_back(p.seed, "links " + std::to_string(i));
      hittable.push_back(p.link_processes[i].links.size());
    }
  }

  const Disturbances& plan;
  Stragglers* stragglers = nullptr;
  std::vector<bool> link_events;     // in force
  std::vector<Stream> link_streams;  // by process
  std::vector<Worn> worn;            // by episode
  /// By link: what it carries in each of its episodes.
  std::map<std::uint32_t, std::multiset<double>> worn_now;
  std::map<std::uint32_t, double> worn_out;  // by link: what it carries at most from now on
  std::vector<std::size_t> hittable;         // by process: how many of its links can get worse
  bool warned = false;                       // of links that are drawn and never come back
  std::vector<Drawn> drawn;                  // by cause
  std::vector<Episode> episodes;
  std::vector<Exclusion> exclusions;
  Stream looks;
  std::size_t pending = 0;  // events of all these in the queue
};

/// Whether nodes may be taken out of service because they are found slow.
inline bool excludes_nodes(const EngineOptions& options) {
  return options.disturbances && options.disturbances->detection.every > Duration{} &&
         options.disturbances->detection.reaction == Disturbances::Detection::Reaction::exclude;
}

}  // namespace muster
