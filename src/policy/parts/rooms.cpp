#include "muster/policy/parts/rooms.hpp"

#include <algorithm>
#include <set>

#include "muster/cluster/fit.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {

View with_cluster(const View& v, const Cluster& cluster) {
  return {v.now,    v.fleet, v.jobs,  cluster,    v.demands, v.running, v.placements,
          v.joined, v.left,  v.ended, v.by_event, v.revised, v.calendar};
}

/// Spares are fenced from the start; they may be everybody's later.
void Rooms::begin(const View& view) {
  up_.emplace(view.cluster);
  if (!view.calendar) return;
  for (const Window& w : view.calendar->windows())
    for (const NodeId n : w.nodes)
      if (up_->fenced(n)) up_->unfence(n);
}

void Rooms::refresh(const View& view, std::uint64_t stamp) {
  const std::uint64_t version = view.calendar->version();
  if (now_ == view.now && stamp_ == stamp && version_ == version) return;
  now_ = view.now;
  stamp_ = stamp;
  version_ = version;
  begins_ = view.calendar->begins_after(view.now);
  rooms_.assign(begins_.size() + 1, std::nullopt);
}

const Cluster& Rooms::room(const View& view, std::size_t begun) {
  std::optional<Cluster>& room = rooms_[begun];
  if (!room) {
    room.emplace(view.cluster);
    const SimTime last = begun == 0 ? view.now : begins_[begun - 1];
    view.calendar->fence(*room, view.now, last + Duration{1});
  }
  return *room;
}

const Cluster& Rooms::until(const View& view, SimTime end, std::uint64_t stamp) {
  if (!view.calendar || !view.calendar->restricts(view.now, end)) return view.cluster;
  refresh(view, stamp);
  const auto begun = std::lower_bound(begins_.begin(), begins_.end(), end) - begins_.begin();
  return room(view, static_cast<std::size_t>(begun));
}

const Cluster& Rooms::inside(const View& view, const Window& reservation, SimTime end) {
  own_ = view.cluster;
  view.calendar->fence(*own_, view.now, end, &reservation);
  auto node = reservation.nodes.begin();
  for (std::uint32_t n = 0; n < view.fleet.nodes.size(); ++n) {
    if (node != reservation.nodes.end() && node->value == n)
      ++node;
    else
      own_->fence(NodeId{n});
  }
  return *own_;
}

Duration Rooms::longest(const View& view, const Demand& d, std::uint64_t stamp) {
  if (!view.calendar || !view.calendar->timed()) return Duration::max();
  refresh(view, stamp);
  // The more windows begin before the end, the less room there is.
  if (fits(room(view, begins_.size()), d)) return Duration::max();
  if (!fits(room(view, 0), d)) return Duration{-1};
  std::size_t yes = 0, no = begins_.size();
  while (no - yes > 1) {
    const std::size_t middle = (yes + no) / 2;
    (fits(room(view, middle), d) ? yes : no) = middle;
  }
  return begins_[yes] - view.now;
}

bool Rooms::hopeless(const View& view, const Demand& d) {
  if (!view.calendar || (view.calendar->empty() && gone_.empty())) return false;
  if (up_version_ != view.calendar->version()) {
    up_version_ = view.calendar->version();
    for (const NodeId n : gone_) up_->unfence(n);
    gone_.clear();
    for (const Window& w : view.calendar->windows())
      if (w.to == kNever)
        for (const NodeId n : w.nodes)
          if (!up_->fenced(n)) {
            up_->fence(n);
            gone_.push_back(n);
          }
  }
  return !gone_.empty() && !fits(*up_, d);
}

std::optional<Cause> Rooms::cause(const View& view, const Demand& d, SimTime end,
                                  std::uint64_t stamp) {
  if (!view.calendar || view.calendar->empty()) return std::nullopt;
  if (!fits(view.cluster, d)) {
    own_ = view.cluster;
    for (const Window& w : view.calendar->windows())
      if (w.kind != Window::Kind::spare)
        for (const NodeId n : w.nodes) own_->unfence(n);
    return fits(*own_, d) || hopeless(view, d) ? std::optional{Cause::outage} : std::nullopt;
  }
  if (fits(until(view, end, stamp), d)) return std::nullopt;
  own_ = view.cluster;
  for (const Window& w : view.calendar->windows())
    if (w.kind != Window::Kind::reservation && w.overlaps(view.now, end))
      for (const NodeId n : w.nodes) own_->fence(n);
  return fits(*own_, d) ? Cause::reservation : Cause::outage;
}

namespace {

/// "n3", "n3, n4", "n3, n4 and 5 more".
std::string nodes_text(const Fleet& fleet, const std::vector<NodeId>& nodes) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(nodes.size(), 3); ++i)
    text += (i ? ", " : "") + fleet.node_name(nodes[i]);
  if (nodes.size() > 3) text += " and " + std::to_string(nodes.size() - 3) + " more";
  return text;
}

/// Those that are in the job's way, in the words of the first of them.
std::string window_text(const Fleet& fleet, const Window& w) {
  switch (w.kind) {
    case Window::Kind::down:
      break;
    case Window::Kind::maintenance:
      if (w.to == kNever)
        return nodes_text(fleet, w.nodes) + (w.nodes.size() == 1 ? " is" : " are") +
               " drained for the rest of the run";
      return nodes_text(fleet, w.nodes) + (w.nodes.size() == 1 ? " is" : " are") +
             " in maintenance from " + at_text(w.from) + " to " + at_text(w.to);
    case Window::Kind::spare:
      return nodes_text(fleet, w.nodes) + (w.nodes.size() == 1 ? " is a spare" : " are spares");
    case Window::Kind::reservation:
      return nodes_text(fleet, w.nodes) + (w.nodes.size() == 1 ? " is" : " are") +
             " kept for reservation " + w.name + " from " + at_text(w.from) + " to " +
             at_text(w.to);
  }
  return nodes_text(fleet, w.nodes) + (w.nodes.size() == 1 ? " is" : " are") + " down" +
         (w.to == kNever ? " with no announced return" : " until " + at_text(w.to));
}

/// Of those in force the longest first: of several of one node that one tells when it is back.
std::vector<Window> shown_first(std::span<const Window> windows, bool in_force) {
  std::vector<Window> all(windows.begin(), windows.end());
  if (in_force)
    std::stable_sort(all.begin(), all.end(),
                     [](const Window& a, const Window& b) { return a.to > b.to; });
  return all;
}

/// Of a job that waits for nodes nobody knows the return of: how many are there now, and which are not.
std::string gone_text(const View& view) {
  std::set<NodeId> out, failed, drained;
  for (const Window& w : view.calendar->windows()) {
    if (w.kind != Window::Kind::down && w.kind != Window::Kind::maintenance) continue;
    if (w.from <= view.now) out.insert(w.nodes.begin(), w.nodes.end());
    if (w.to == kNever)
      (w.kind == Window::Kind::down ? failed : drained).insert(w.nodes.begin(), w.nodes.end());
  }
  std::erase_if(drained, [&](NodeId n) { return failed.contains(n); });
  const std::size_t up = view.fleet.nodes.size() - out.size();
  std::string text = std::to_string(up) + " of " + count_text(view.fleet.nodes.size(), "node") +
                     (up == 1 ? " is" : " are") + " up";
  if (!failed.empty())
    text += ", " + nodes_text(view.fleet, {failed.begin(), failed.end()}) +
            " down with no announced return";
  if (!drained.empty())
    text += ", " + nodes_text(view.fleet, {drained.begin(), drained.end()}) +
            " drained for the rest of the run";
  return text;
}

}  // namespace

std::string Rooms::text(const View& view, const Demand& d, SimTime end) {
  if (hopeless(view, d)) return "needs " + describe(d) + ", " + gone_text(view);
  std::string text = "needs " + describe(d);
  const bool now = !fits(view.cluster, d);
  text += now ? ", and that would be free"
              : ", and that is free, but by its estimate it would run until " +
                    (end == kNever ? std::string{"no known time"} : at_text(end));
  std::size_t said = 0;
  std::set<NodeId> named;
  for (const Window& w : shown_first(view.calendar->windows(), now)) {
    const bool in_the_way =
        now ? w.from <= view.now && w.kind != Window::Kind::reservation : w.overlaps(view.now, end);
    if (w.kind == Window::Kind::spare || !in_the_way) continue;
    const std::size_t before = named.size();
    named.insert(w.nodes.begin(), w.nodes.end());
    // What is out for two reasons is back when the last one is over, and is named once.
    if ((now && named.size() == before) || ++said > 3) continue;
    text += (said == 1 ? (now ? ", but " : ", and ") : "; ") + window_text(view.fleet, w);
  }
  if (said > 3) text += "; and " + std::to_string(said - 3) + " more such times";
  return text;
}

}  // namespace muster
