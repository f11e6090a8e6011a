#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/cluster/demand.hpp"
#include "muster/engine/outages.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster::test {

/// What the referee must know of a policy to judge its schedule.
struct Rules {
  std::map<std::string, std::int64_t> caps;  // GPUs by queue
  Span span = Span::whole_nodes;
  Level required = Level::fleet;  // for jobs that do not say
  bool powers_of_two = false;     // a bare number of GPUs is rounded up to one, if the fleet has it
  bool gangs_whole = true;        // nobody holds a part of what it needs
  bool cancel_running = false;
  bool lower_priority_victims = true;
  /// When nodes are not there; null: always. `plans_ahead`: nothing starts that would cross what is
  /// announced by then (by its estimate, where it has one).
  std::shared_ptr<const OutagePlan> outages;
  bool plans_ahead = false;
  Duration restart_cost{};  // of jobs that do not say
  Duration mig_reconfigure{};
  Duration reshape_cost{};  // at most, of jobs that do not say
  double serial = -1;       // share of work that does not scale (Amdahl); < 0: all of it scales
  double interference = 0;  // of shares of one GPU
  bool network = false;     // jobs of several nodes slow each other down on the links between these
  bool slow = false;        // GPUs are slow for a while, so that any job may be slower than alone
  bool by_event = false;  // passes = event: of the events of one instant each has a pass of its own
  // Of policies that place worker by worker (gangs_whole = false):
  std::int64_t worker_gpus = 0;  // of a bare request; 0 = a whole node
  Duration timeout = kUnknown;   // nobody holds a part for longer
  Duration interval{};           // but passes may come at multiples of this only
};

/// Whether the GPUs that a job computes on are what it asked for, worked out from the job's row alone.
class PlacementJudge {
 public:
  PlacementJudge(const Fleet& fleet, const Workload& w, const Rules& rules)
      : fleet_(fleet), w_(w), rules_(rules) {}

  /// Says blame(what) for each thing that is wrong.
  template <class Blame>
  void judge(JobId j, const std::vector<Slice>& where, Blame blame) const {
    Shape s = shape(j);
    if (rules_.powers_of_two) s.gpus = rounded(j);
    const Nodes gpus = by_node(where, blame);
    if (gpus.empty()) return blame("holds nothing");
    std::uint32_t sum = 0;
    for (const auto& [node, n] : gpus) {
      sum += n;
      if ((fleet_.pools[fleet_.nodes[NodeId{node}].pool].mig != nullptr) != (s.mig != 0))
        blame("is on a GPU that is, or is not, in MIG mode");
      if (!allowed(j, fleet_.pools[fleet_.nodes[NodeId{node}].pool].gpu_type))
        blame("is on GPUs of a type it does not take");
    }
    if (elastic(j)) {
      const auto [least, most] = range(j);
      if (sum < least || sum > most)
        blame("holds fewer GPUs than its least, or more than its most");
      s.gpus = sum;
    }
    if (s.mig != 0) {
      judge_instance(s, where, blame);
    } else if (s.milli < 1000) {
      if (sum != 1) blame("wants a part of one GPU and holds several");
    } else if (s.tasks != NameId{} && !one_piece(s)) {
      if (!divides(gpus, tasks_of(s))) blame("holds GPUs that its tasks do not divide into");
    } else if (s.nodes > 0) {
      check_nodes(s, gpus, blame);
    } else {
      if (!elastic(j) && sum != most(j)) blame("holds another number of GPUs than it wants");
      if (!rules_.gangs_whole && !divides(gpus, pieces_of(j)))
        blame("holds GPUs that its workers do not divide into");
      if (rules_.gangs_whole && rules_.span != Span::any) check_cut(s, gpus, blame);
    }
    if (rules_.gangs_whole) check_level(s, gpus, blame);
  }

  /// Work per time on so many GPUs that lie there, as a fraction; 1 on those that it asks for, of the type
  /// on which its duration holds.
  std::pair<std::int64_t, std::int64_t> speed(JobId j, std::int64_t gpus,
                                              const std::vector<Slice>& where) const {
    const auto [num, den] = speed_by_size(j, gpus);
    const double reference = steps(j, w_.names[w_.throughputs.reference]);
    if (!(reference > 0) && (rules_.interference > 0 || rules_.network || rules_.slow))
      return {std::llround(static_cast<double>(num) * 1e6 / static_cast<double>(den)), 1'000'000};
    if (!(reference > 0)) return {num, den};
    double slowest = 1e300;
    for (const Slice& s : where)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
        const double here = steps(j, fleet_.pools[fleet_.nodes[NodeId{n}].pool].gpu_type);
        slowest = std::min(slowest, here < 0 ? 1 : here / reference);
      }
    return {std::llround(static_cast<double>(num) * slowest / static_cast<double>(den) * 1e6),
            1'000'000};
  }

  std::pair<std::int64_t, std::int64_t> speed_by_size(JobId j, std::int64_t gpus) const {
    if (!elastic(j)) return {1, 1};
    const std::int64_t asked = shape(j).gpus;
    if (rules_.serial < 0) return {gpus, asked};
    const auto time = [&](std::int64_t n) {
      return rules_.serial + (1 - rules_.serial) / static_cast<double>(n);
    };
    return {std::llround(time(asked) / time(gpus) * 1e6), 1'000'000};
  }

  /// The most GPUs that a job may hold, complete or not.
  std::uint32_t most(JobId j) const {
    const Shape& s = shape(j);
    if (s.mig != 0) return kMig[s.mig - 1].slots;
    if (s.milli < 1000) return 1;
    if (s.tasks == NameId{})
      return s.nodes == 0 ? rounded(j) : s.nodes * (s.gpus_per_node ? s.gpus_per_node : widest(j));
    std::uint32_t sum = 0;
    for (const std::uint32_t task : tasks_of(s)) sum += task;
    return sum;
  }

  /// A profile as a person would write it down: slots, and where it may begin. (By MigId; the table of
  /// the library is not used.)
  struct Mig {
    std::uint32_t slots;
    std::vector<std::uint32_t> starts;
  };
  const Mig& mig(JobId j) const { return kMig[shape(j).mig - 1]; }

 private:
  inline static const std::vector<Mig> kMig{{1, {0, 1, 2, 3, 4, 5, 6}},
                                            {2, {0, 2, 4, 6}},
                                            {2, {0, 2, 4}},
                                            {4, {0, 4}},
                                            {4, {0}},
                                            {8, {0}}};

  /// Slots side by side on one GPU that is in MIG mode, from a first slot that is legal.
  template <class Blame>
  void judge_instance(const Shape& s, const std::vector<Slice>& where, Blame blame) const {
    const Mig& profile = kMig[s.mig - 1];
    if (where.size() != 1 || where[0].count != 1) return blame("wants one MIG instance");
    const Fleet::Pool& pool = fleet_.pools[fleet_.nodes[where[0].first].pool];
    if (!pool.mig) return blame("has an instance on a GPU that is not in MIG mode");
    std::vector<std::uint32_t> bits;
    for (std::uint32_t b = 0; b < 64; ++b)
      if ((where[0].gpus >> b) & 1) bits.push_back(b);
    if (bits.size() != profile.slots || bits.back() - bits.front() + 1 != profile.slots)
      return blame("has another number of slots, or not side by side");
    if (bits.front() / 8 != bits.back() / 8) return blame("has slots of two GPUs");
    const std::uint32_t start = bits.front() % 8;
    if (std::find(profile.starts.begin(), profile.starts.end(), start) == profile.starts.end())
      blame("begins at a slot where its profile may not");
    const auto& fixed = pool.mig->fixed();
    if (!fixed.empty() && std::none_of(fixed.begin(), fixed.end(), [&](const auto& x) {
          return x.profile == s.mig && x.start == start;
        }))
      blame("is on an instance that its GPU does not have");
  }

  using Nodes = std::map<std::uint32_t, std::uint32_t>;  // GPUs by node

  const Shape& shape(JobId j) const { return w_.shapes[w_.shape[j]]; }

  /// What the table says of its model on a type, for its GPUs or the next fewer; below 0: nothing.
  double steps(JobId j, std::string_view type) const {
    if (w_.model.empty() || type.empty()) return -1;
    std::uint32_t measured = 0;
    double found = -1;
    const std::uint32_t asked = shape(j).gpus == 0 ? UINT32_MAX : shape(j).gpus;
    for (const auto& [key, value] : w_.throughputs.rows())
      if (key.model == w_.model[j] && w_.names[key.type] == type && key.gpus <= asked &&
          key.gpus > measured) {
        measured = key.gpus;
        found = value;
      }
    return found;
  }

  /// The GPUs that it gets for a bare number of them.
  std::uint32_t rounded(JobId j) const {
    const Shape& s = shape(j);
    if (!rules_.powers_of_two || s.nodes > 0 || s.tasks != NameId{} || s.milli < 1000)
      return s.gpus;
    std::uint32_t power = 1, there = 0;
    while (power < s.gpus) power *= 2;
    for (const Fleet::Pool& pool : fleet_.pools)
      if (pool.mig == nullptr && allowed(j, pool.gpu_type)) there += pool.gpus;
    return power <= there ? power : s.gpus;
  }

  /// A bare number of GPUs, with a range around it.
  std::pair<std::uint32_t, std::uint32_t> range(JobId j) const {
    const std::uint32_t least = w_.min_gpus.empty() ? 0 : w_.min_gpus[j];
    const std::uint32_t most = w_.max_gpus.empty() ? 0 : w_.max_gpus[j];
    return {least ? least : shape(j).gpus, most ? most : shape(j).gpus};
  }
  bool elastic(JobId j) const {
    const Shape& s = shape(j);
    const auto [least, most] = range(j);
    return s.nodes == 0 && s.milli == 1000 && s.tasks == NameId{} && least != most;
  }

  template <class Blame>
  Nodes by_node(const std::vector<Slice>& where, Blame blame) const {
    Nodes gpus;
    for (const Slice& s : where)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count && n < fleet_.nodes.size();
           ++n) {
        // Two workers may share a node; the node of a whole gang is named once.
        if (gpus.contains(n) && rules_.gangs_whole) blame("names a node twice");
        gpus[n] += count(s.gpus);
      }
    return gpus;
  }

  template <class Blame>
  void check_nodes(const Shape& s, const Nodes& gpus, Blame blame) const {
    const auto wide = [&](std::uint32_t node) {
      return s.gpus_per_node ? s.gpus_per_node : fleet_.nodes[NodeId{node}].gpus;
    };
    std::uint32_t workers = 0;
    for (const auto& [node, n] : gpus) {
      if (rules_.gangs_whole ? n != wide(node) : n % wide(node) != 0)
        blame("holds another number of GPUs on a node than it wants");
      workers += n / wide(node);
    }
    if (rules_.gangs_whole ? gpus.size() != s.nodes : workers != s.nodes)
      blame("is on another number of nodes than it wants");
  }

  /// As few nodes as possible, and whole ones but for the last. Said of fleets whose nodes are alike.
  template <class Blame>
  void check_cut(const Shape& s, const Nodes& gpus, Blame blame) const {
    for (const Fleet::Node& node : fleet_.nodes)
      if (node.gpus != fleet_.widest) return;
    if (gpus.size() != (s.gpus + fleet_.widest - 1) / fleet_.widest)
      return blame("is spread over more nodes than it needs");
    std::uint32_t partly = 0;
    for (const auto& [node, n] : gpus) partly += n < fleet_.widest;
    if (partly > 1) blame("is on several nodes in part");
  }

  template <class Blame>
  void check_level(const Shape& s, const Nodes& gpus, Blame blame) const {
    Level level = s.required == Level::fleet ? rules_.required : s.required;
    if (gpus.size() < 2) return;
    if (level == Level::node) return blame("must be on one node");
    if (level == Level::fleet) level = Level::fabric;
    const auto& domains = fleet_.domains[static_cast<std::size_t>(level)];
    const auto domain = std::find_if(domains.begin(), domains.end(), [&](const NodeRange& d) {
      return d.first <= gpus.begin()->first && gpus.begin()->first < d.last;
    });
    if (domain != domains.end() && gpus.rbegin()->first >= domain->last)
      blame("is spread over several domains");
  }

  std::vector<std::uint32_t> tasks_of(const Shape& s) const {
    std::vector<std::uint32_t> tasks(1, 0);
    for (const char c : w_.names[s.tasks]) {
      if (c == '+')
        tasks.push_back(0);
      else
        tasks.back() = tasks.back() * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return tasks;
  }

  /// The workers of a bare request.
  std::vector<std::uint32_t> pieces_of(JobId j) const {
    std::uint32_t worker = widest(j);
    if (rules_.worker_gpus > 0)
      worker = std::min(worker, static_cast<std::uint32_t>(rules_.worker_gpus));
    const std::uint32_t gpus = most(j);
    std::vector<std::uint32_t> pieces(gpus / worker, worker);
    if (gpus % worker) pieces.push_back(gpus % worker);
    return pieces;
  }

  /// Tasks that must be on one node are as good as their sum, and a policy that knows no levels (worker
  /// by worker) is left with a bare request.
  bool one_piece(const Shape& s) const { return !rules_.gangs_whole && s.required == Level::node; }

  static bool divides(const Nodes& gpus, std::vector<std::uint32_t> pieces) {
    std::vector<std::uint32_t> room;
    for (const auto& [node, n] : gpus) room.push_back(n);
    std::sort(pieces.rbegin(), pieces.rend());
    return fill(pieces, 0, room);
  }
  static bool fill(const std::vector<std::uint32_t>& pieces, std::size_t i,
                   std::vector<std::uint32_t>& room) {
    if (i == pieces.size())
      return std::all_of(room.begin(), room.end(), [](std::uint32_t n) { return n == 0; });
    for (std::uint32_t& n : room) {
      if (n < pieces[i]) continue;
      n -= pieces[i];
      if (fill(pieces, i + 1, room)) return true;
      n += pieces[i];
    }
    return false;
  }

  /// GPUs of the widest node that the job may use.
  std::uint32_t widest(JobId j) const {
    std::uint32_t most = 0;
    for (const Fleet::Node& node : fleet_.nodes)
      if (!fleet_.pools[node.pool].mig && allowed(j, fleet_.pools[node.pool].gpu_type))
        most = std::max<std::uint32_t>(most, node.gpus);
    return most;
  }

  bool allowed(JobId j, std::string type) const {
    const std::string_view types = w_.names[shape(j).types];
    if (types.empty()) return true;
    std::string word;
    const auto lower = [](std::string text) {
      for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      return text;
    };
    type = lower(type);
    for (std::size_t i = 0; i <= types.size(); ++i) {
      if (i < types.size() && types[i] != '|') {
        word += types[i];
      } else {
        if (lower(word) == type) return true;
        word.clear();
      }
    }
    return false;
  }

  const Fleet& fleet_;
  const Workload& w_;
  const Rules& rules_;
};

}  // namespace muster::test
