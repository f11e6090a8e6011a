#include "muster/policy/parts/waiting_queue.hpp"

#include <algorithm>

namespace muster {

void WaitingQueue::add(ShapeId shape, const Waiting& w) {
  entries_.open(w.job) = w;
  if (key_by_shape_)
    all_is_stale_ = true;
  else
    all_.insert(w);
  lines_.insert(shape, w);
}

void WaitingQueue::remove(ShapeId shape, JobId job) {
  // Mostly the first one, which has just been looked at; its own entry has not been for long.
  const Waiting& front = line(shape).jobs.front();
  const Waiting w = front.job == job ? front : entries_[job];
  entries_.close(job);
  if (key_by_shape_)
    all_is_stale_ = true;
  else
    all_.erase(w);
  lines_.erase(shape, w);
}

const Waiting& WaitingQueue::first() const {
  if (!key_by_shape_) return all_.front();
  const Waiting* best = nullptr;
  for (const ShapeId s : shapes())
    if (const Waiting& w = line(s).jobs.front(); !best || w < *best) best = &w;
  return *best;
}

void WaitingQueue::collect_all() const {
  std::vector<Waiting> waiting;
  for (const ShapeId s : shapes())
    line(s).jobs.each([&](const Waiting& w) {
      waiting.push_back(w);
      return true;
    });
  std::sort(waiting.begin(), waiting.end());
  all_.clear();
  for (const Waiting& w : waiting) all_.insert(w);
  all_is_stale_ = false;
}

/// Lines whose key has changed; their order stays what it is.
void WaitingQueue::rebuild_lines(const View& view, Order& order) {
  std::vector<Waiting> waiting;
  for (const ShapeId s : shapes()) {
    WaitingList& jobs = line(s).jobs;
    const std::int64_t key = order.key(view, jobs.front().job);
    if (key == jobs.front().key) continue;
    all_is_stale_ = true;
    waiting.clear();
    jobs.each([&](const Waiting& w) {
      waiting.push_back(w);
      return true;
    });
    jobs.clear();
    for (Waiting& w : waiting) {
      w.key = key;
      entries_[w.job].key = key;
      jobs.insert(w);
    }
  }
}

void WaitingQueue::rebuild(const View& view, Order& order) {
  if (key_by_shape_) return rebuild_lines(view, order);
  std::vector<Waiting> waiting;
  waiting.reserve(all_.size());
  all_.each([&](const Waiting& w) {
    waiting.push_back(w);
    return true;
  });
  for (Waiting& w : waiting) w.key = order.key(view, w.job);
  std::sort(waiting.begin(), waiting.end());
  all_.clear();
  for (const ShapeId s : shapes()) line(s).jobs.clear();
  for (const Waiting& w : waiting) {
    entries_[w.job] = w;
    all_.insert(w);
    line(view.jobs.shape(w.job)).jobs.insert(w);
  }
}

const Waiting* WaitingQueue::first_within(const WaitingList& jobs, Duration longest,
                                          const Waiting* from) {
  for (const WaitingList::Block& b : jobs.blocks()) {
    if (b.summary().least > longest || (from && b.items().back() < *from)) continue;
    for (const Waiting& w : b.items())
      if (w.planned <= longest && !(from && w < *from)) return &w;
  }
  return nullptr;
}

const Waiting* WaitingQueue::shortest(const WaitingList& jobs) {
  const Waiting* best = nullptr;
  for (const WaitingList::Block& b : jobs.blocks()) {
    if (best && b.summary().least >= best->planned) continue;
    for (const Waiting& w : b.items())
      if (!best || w.planned < best->planned) best = &w;
  }
  return best;
}

}  // namespace muster
