// GPUs, nodes and links become slow and well again.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine.hpp"
#include "muster/core/detmath.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

using Of = Disturbances::Of;
using Law = Disturbances::Law;

constexpr double kThousandDays = 1000.0 * 86400 * 1e9;  // ns

Duration whole(double ns) {
  const double most = static_cast<double>(kLongest.count());
  return Duration{static_cast<std::int64_t>(std::fmin(std::fmax(ns, 1.0), most))};
}

Duration drawn_length(const Disturbances::Length& length, Stream& stream) {
  if (length.lasts == kUnlimited) return kUnlimited;
  const auto typical = static_cast<double>(length.lasts.count());
  switch (length.law) {
    case Law::fixed:
      return length.lasts;
    case Law::exponential:
      return whole(stream.exponential(typical));
    case Law::lognormal:
      break;
  }
  return whole(stream.lognormal(detmath::log(typical), length.sigma));
}

}  // namespace

void Engine::push_disturbance(SimTime at, Disturbed::What what, std::size_t number) {
  if (at == kNever) return;
  const auto n = static_cast<std::uint32_t>(number);
  queue_.push({at, what << 28 | n, n, what, EventKind::disturb});
  ++disturbed_->pending;
}

void Engine::open_disturbances() {
  if (!options_.disturbances || options_.disturbances->empty()) return;
  const Disturbances& plan = *options_.disturbances;
  disturbed_ = std::make_unique<Disturbed>(plan);
  disturbed_->stragglers = static_cast<Stragglers*>(contention_.get());
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    push_disturbance(plan.links[i].from, Disturbed::links_begin, i);
    push_disturbance(plan.links[i].to, Disturbed::links_end, i);
  }
  for (std::uint32_t p = 0; p < plan.link_processes.size(); ++p) draw_next_link(p);
  for (std::uint32_t c = 0; c < plan.causes.size(); ++c) {
    const Disturbances::Cause& cause = plan.causes[c];
    if (cause.of == Of::neighbours) continue;
    std::vector<std::uint64_t>& ends = disturbed_->drawn[c].ends;
    for (const NodeId n : cause.nodes)
      ends.push_back((ends.empty() ? 0 : ends.back()) +
                     (cause.of == Of::node ? 1 : fleet_.gpus_of(n)));
    if (cause.rate > 0)
      draw_next(c);
    else
      push_disturbance(cause.share > 0 ? kStart : cause.from, Disturbed::given, c);
  }
  if (plan.detection.every > Duration{})
    push_disturbance(kStart + plan.detection.every, Disturbed::look, 0);
}

/// Whether the policy has to look at what comes of it.
bool Engine::disturb(const Event& e) {
  --disturbed_->pending;
  const auto what = static_cast<Disturbed::What>(e.epoch);
  switch (what) {
    case Disturbed::links_begin:
    case Disturbed::links_end:
      change_links(e.job, what == Disturbed::links_begin);
      return false;
    case Disturbed::next:
      if (nothing_goes_on()) return false;
      hit(e.job);
      draw_next(e.job);
      return false;
    case Disturbed::given:
      hit_share(e.job);
      return false;
    case Disturbed::over:
      disturbed_->stragglers->end(disturbed_->episodes[e.job].node, e.job);
      return false;
    case Disturbed::look:
      if (nothing_goes_on()) return false;
      push_disturbance(now_ + disturbed_->plan.detection.every, Disturbed::look, 0);
      return look_for_slow();
    case Disturbed::link_next:
      if (nothing_goes_on()) return false;
      hit_link(e.job);
      draw_next_link(e.job);
      return false;
    case Disturbed::link_is_well:
      link_is_well(e.job);
      return false;
    case Disturbed::returns:
      break;
  }
  const Disturbed::Exclusion& x = disturbed_->exclusions[e.job];
  come_back(Window::Kind::maintenance, {x.node}, x.window);
  return true;
}

/// No job runs, and nothing but disturbances is to come: who waits now waits for good.
bool Engine::nothing_goes_on() const {
  return running_.empty() && next_arrival() == kNever && queue_.size() == disturbed_->pending;
}

void Engine::change_links(std::uint32_t event, bool begins) {
  const std::vector<Disturbances::LinkEvent>& all = disturbed_->plan.links;
  disturbed_->link_events[event] = begins;
  tell_links(all[event].links);
  if (begins && all[event].capacity == 0 && all[event].to == kNever)
    warn_of_dead_links(count_text(all[event].links.size(), "link"));
}

void Engine::warn_of_dead_links(const std::string& which) {
  summary_.warnings.push_back("links_never_back: from " + at_text(now_) + " on " + which +
                              " of /links carry nothing for the rest of the run: whoever can't go "
                              "around them gets on at a millionth of its speed");
}

/// Of several events of one link the worst counts.
void Engine::tell_links(std::span<const std::uint32_t> links) {
  std::map<double, std::vector<std::uint32_t>> by_health;
  for (const std::uint32_t link : links) {
    double health = 1;
    for (std::size_t i = 0; i < disturbed_->plan.links.size(); ++i)
      if (const Disturbances::LinkEvent& event = disturbed_->plan.links[i];
          disturbed_->link_events[i] &&
          std::binary_search(event.links.begin(), event.links.end(), link))
        health = std::min(health, event.capacity);
    if (const auto worn = disturbed_->worn_now.find(link); worn != disturbed_->worn_now.end())
      health = std::min(health, *worn->second.begin());
    by_health[health].push_back(link);
  }
  for (const auto& [health, alike] : by_health) contention_->links(alike, health);
}

void Engine::draw_next_link(std::uint32_t p) {
  if (disturbed_->hittable[p] == 0) return;
  const Disturbances::LinkProcess& process = disturbed_->plan.link_processes[p];
  const double mean = kThousandDays / (process.rate * static_cast<double>(process.links.size()));
  push_disturbance(later(now_, whole(disturbed_->link_streams[p].exponential(mean))),
                   Disturbed::link_next, p);
}

void Engine::hit_link(std::uint32_t p) {
  const Disturbances::LinkProcess& process = disturbed_->plan.link_processes[p];
  Stream& stream = disturbed_->link_streams[p];
  const std::uint32_t link = process.links[stream.below(process.links.size())];
  const Duration lasts = drawn_length(process.length, stream);
  const auto out = disturbed_->worn_out.find(link);
  if (out != disturbed_->worn_out.end() && out->second <= process.capacity) return;
  const auto episode = static_cast<std::uint32_t>(disturbed_->worn.size());
  const SimTime well = later(now_, lasts);
  push_disturbance(well, Disturbed::link_is_well, episode);
  disturbed_->worn.push_back({link, process.capacity});
  disturbed_->worn_now[link].insert(process.capacity);
  ++summary_.stragglers.worn_links;
  if (well == kNever) wear_out(link, p);
  tell_links({&link, 1});
}

/// It stays worn: those processes that do it no more harm than that have one link less to hit.
void Engine::wear_out(std::uint32_t link, std::uint32_t p) {
  const std::vector<Disturbances::LinkProcess>& all = disturbed_->plan.link_processes;
  const double now = all[p].capacity;
  const auto [out, first] = disturbed_->worn_out.try_emplace(link, now);
  const double before = first ? 1 : std::exchange(out->second, now);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (now <= all[i].capacity && (first || all[i].capacity < before) &&
        std::binary_search(all[i].links.begin(), all[i].links.end(), link))
      --disturbed_->hittable[i];
  if (now == 0 && !std::exchange(disturbed_->warned, true))
    warn_of_dead_links("some links that are drawn");
}

void Engine::link_is_well(std::uint32_t episode) {
  const auto [link, capacity] = disturbed_->worn[episode];
  std::multiset<double>& worn = disturbed_->worn_now[link];
  worn.erase(worn.find(capacity));
  if (worn.empty()) disturbed_->worn_now.erase(link);
  tell_links({&link, 1});
}

void Engine::draw_next(std::uint32_t c) {
  const Disturbances::Cause& cause = disturbed_->plan.causes[c];
  Disturbed::Drawn& drawn = disturbed_->drawn[c];
  const double mean = kThousandDays / (cause.rate * static_cast<double>(drawn.ends.back()));
  push_disturbance(later(now_, whole(drawn.stream.exponential(mean))), Disturbed::next, c);
}

/// A GPU of a node as placements have it: one bit, or in MIG mode its slots.
GpuMask Engine::bits_of(NodeId node, std::uint32_t gpu) const {
  const std::uint32_t bits = fleet_.pools[fleet_.nodes[node].pool].bits_per_gpu();
  return first_gpus(bits) << (gpu * bits);
}

/// One GPU or node, each as likely as any other.
void Engine::hit(std::uint32_t c) {
  const Disturbances::Cause& cause = disturbed_->plan.causes[c];
  Disturbed::Drawn& drawn = disturbed_->drawn[c];
  const std::uint64_t ticket = drawn.stream.below(drawn.ends.back());
  const auto at = std::upper_bound(drawn.ends.begin(), drawn.ends.end(), ticket);
  const NodeId node = cause.nodes[static_cast<std::size_t>(at - drawn.ends.begin())];
  const GpuMask gpus = cause.of == Of::node
                           ? ~GpuMask{0}
                           : bits_of(node, static_cast<std::uint32_t>(*at - ticket - 1));
  begin_slow(c, node, gpus, later(now_, drawn_length(cause.length, drawn.stream)));
}

/// Those that were named, or a share of them.
void Engine::hit_share(std::uint32_t c) {
  const Disturbances::Cause& cause = disturbed_->plan.causes[c];
  Disturbed::Drawn& drawn = disturbed_->drawn[c];
  const std::uint64_t all = drawn.ends.back();
  if (cause.share <= 0) {
    const SimTime to = later(now_, drawn_length(cause.length, drawn.stream));
    for (const NodeId n : cause.nodes) begin_slow(c, n, ~GpuMask{0}, to);
    return;
  }
  auto wanted = static_cast<std::uint64_t>(std::llround(cause.share * static_cast<double>(all)));
  std::uint64_t left = all, number = 0;
  for (std::size_t i = 0; i < cause.nodes.size(); ++i)
    for (std::uint32_t k = 0; number < drawn.ends[i]; ++k, ++number, --left) {
      if (drawn.stream.below(left) >= wanted) continue;
      --wanted;
      const GpuMask gpus = cause.of == Of::node ? ~GpuMask{0} : bits_of(cause.nodes[i], k);
      begin_slow(c, cause.nodes[i], gpus, kNever);
    }
}

void Engine::begin_slow(std::uint32_t c, NodeId node, GpuMask gpus, SimTime to) {
  const Disturbances::Cause& cause = disturbed_->plan.causes[c];
  const auto episode = static_cast<std::uint32_t>(disturbed_->episodes.size());
  disturbed_->episodes.push_back({node});
  disturbed_->stragglers->begin({episode, node, gpus, cause.slowdown, &cause});
  ++summary_.stragglers.episodes;
  push_disturbance(to, Disturbed::over, episode);
}

}  // namespace muster
