#include "muster/policy/parts/waiting_queue.hpp"

#include <algorithm>

namespace muster {

void WaitingQueue::add(ShapeId shape, const Waiting& w) {
  entries_.open(w.job) = w;
  all_.insert(w);
  lines_.insert(shape, w);
}

void WaitingQueue::remove(ShapeId shape, JobId job) {
  const Waiting w = entries_[job];
  entries_.close(job);
  all_.erase(w);
  lines_.erase(shape, w);
}

void WaitingQueue::rebuild(const View& view, Order& order) {
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
