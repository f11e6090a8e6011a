#include "muster/policy/parts/waiting_queue.hpp"

#include <algorithm>

namespace muster {

void WaitingQueue::add(Waiting w) {
  lines_.came(w.shape);
  if (key_by_shape_) {
    all_is_stale_ = true;
    lines_.line(w.shape).key = w.key;
    w.key = 0;
  } else {
    all_.insert(w);
  }
  if (!listed_) return;
  entries_.open(w.job) = w;
  lines_.line(w.shape).jobs.insert(w);
}

void WaitingQueue::remove(ShapeId shape, JobId job) {
  if (!listed_) {
    if (const Waiting first = all_.front(); first.job == job) {
      lines_.went(shape);
      return all_.erase(first);
    }
    list_by_shape();
  }
  // Mostly the first one, which has just been looked at; its own entry has not been for long.
  WaitingList& jobs = lines_.line(shape).jobs;
  const Waiting w = jobs.front().job == job ? jobs.front() : entries_[job];
  entries_.close(job);
  if (key_by_shape_)
    all_is_stale_ = true;
  else
    all_.erase(w);
  jobs.erase(w);
  lines_.went(shape);
}

void WaitingQueue::list_by_shape() const {
  listed_ = true;
  entries_ = JobSlots<Waiting>(jobs_);
  all_.each([&](const Waiting& w) {
    entries_.open(w.job) = w;
    lines_.line(w.shape).jobs.insert(w);
    return true;
  });
}

Waiting WaitingQueue::first_by_key() const {
  Waiting best = line(shapes().front()).first();
  for (const ShapeId s : shapes()) best = std::min(best, line(s).first());
  return best;
}

void WaitingQueue::collect_all() const {
  std::vector<Waiting> waiting;
  for (const ShapeId s : shapes())
    line(s).jobs.each([&](const Waiting& w) {
      waiting.push_back(line(s).among_all(w));
      return true;
    });
  std::sort(waiting.begin(), waiting.end());
  all_.clear();
  for (const Waiting& w : waiting) all_.insert(w);
  all_is_stale_ = false;
}

/// Of all jobs of a line at once; their order stays what it is.
void WaitingQueue::rekey_lines(const View& view, Order& order) {
  for (const ShapeId s : shapes()) line(s).key = order.key(view, line(s).jobs.front().job);
  all_is_stale_ = true;
}

void WaitingQueue::rebuild(const View& view, Order& order) {
  if (key_by_shape_) return rekey_lines(view, order);
  std::vector<Waiting> waiting;
  waiting.reserve(all_.size());
  all_.each([&](const Waiting& w) {
    waiting.push_back(w);
    return true;
  });
  for (Waiting& w : waiting) w.key = order.key(view, w.job);
  std::sort(waiting.begin(), waiting.end());
  all_.clear();
  for (const Waiting& w : waiting) all_.insert(w);
  if (!listed_) return;
  for (const ShapeId s : shapes()) line(s).jobs.clear();
  for (const Waiting& w : waiting) {
    entries_[w.job] = w;
    line(w.shape).jobs.insert(w);
  }
}

std::optional<Waiting> WaitingQueue::Line::first_within(Duration most, const Waiting* from) const {
  Waiting least;
  if (from) {
    least = *from;
    least.key -= key;
  }
  for (const WaitingList::Block& b : jobs.blocks()) {
    if (b.summary().least > most || (from && b.items().back() < least)) continue;
    for (const Waiting& w : b.items())
      if (w.planned <= most && !(from && w < least)) return among_all(w);
  }
  return std::nullopt;
}

std::optional<Waiting> WaitingQueue::Line::shortest() const {
  const Waiting* best = nullptr;
  for (const WaitingList::Block& b : jobs.blocks()) {
    if (best && b.summary().least >= best->planned) continue;
    for (const Waiting& w : b.items())
      if (!best || w.planned < best->planned) best = &w;
  }
  if (!best) return std::nullopt;
  return among_all(*best);
}

}  // namespace muster
