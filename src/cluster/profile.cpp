#include "muster/cluster/profile.hpp"

#include <algorithm>

#include "muster/core/check.hpp"

namespace muster {

std::uint32_t Profile::fresh_slot() {
  if (unused_.empty()) {
    store_.emplace_back();
    return static_cast<std::uint32_t>(store_.size() - 1);
  }
  const std::uint32_t slot = unused_.back();
  unused_.pop_back();
  return slot;
}

void Profile::reset(SimTime now) {
  for (const Block& b : blocks_) unused_.push_back(b.slot);
  blocks_.clear();
  const std::uint32_t slot = fresh_slot();
  store_[slot][0] = {now, capacity_};
  blocks_.push_back({now, 0, capacity_, capacity_, 1, slot});
}

/// Behind all others. Blocks are not summed up.
void Profile::append(Step s) {
  if (blocks_.back().size >= kFresh) {
    const std::uint32_t slot = fresh_slot();
    blocks_.push_back({s.from, 0, 0, 0, 0, slot});
  }
  Block& b = blocks_.back();
  steps_of(b)[b.size++] = s;
}

void Profile::reset(SimTime now, std::span<const Hold> holds) {
  reset(now);
  std::int64_t free = capacity_;
  for (const Hold& h : holds)
    if (h.until > now) free -= h.milli;
  steps_of(blocks_.front())->free = free;
  SimTime last = now;
  for (const Hold& h : holds) {
    if (h.until <= now || h.milli == 0) continue;
    if (h.until == kNever) break;
    MUSTER_CHECK(h.until >= last);
    free += h.milli;
    if (h.until == last)
      steps_of(blocks_.back())[blocks_.back().size - 1].free = free;
    else
      append({h.until, free});
    last = h.until;
  }
  for (Block& b : blocks_) sum_up(b);
}

Profile::Place Profile::find(SimTime t) const {
  const auto block = std::upper_bound(blocks_.begin(), blocks_.end(), t,
                                      [](SimTime x, const Block& b) { return x < b.from; });
  if (block == blocks_.begin()) return {0, 0};
  const Block& b = *(block - 1);
  const Step* first = steps_of(b);
  const Step* step = std::upper_bound(first, first + b.size, t,
                                      [](SimTime x, const Step& s) { return x < s.from; });
  return {static_cast<std::size_t>(block - 1 - blocks_.begin()),
          static_cast<std::uint32_t>(step - first - 1)};
}

void Profile::sum_up(Block& b) {
  const Step* s = steps_of(b);
  b.from = s->from;
  b.least = b.most = s->free;
  for (std::uint32_t i = 1; i < b.size; ++i) {
    b.least = std::min(b.least, s[i].free);
    b.most = std::max(b.most, s[i].free);
  }
  b.least += b.lift;
  b.most += b.lift;
}

void Profile::advance(SimTime now) {
  const Place p = find(now);
  for (std::size_t b = 0; b < p.block; ++b) unused_.push_back(blocks_[b].slot);
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(p.block));
  Block& first = blocks_.front();
  Step* steps = steps_of(first);
  std::copy(steps + p.step, steps + first.size, steps);
  first.size -= p.step;
  steps[0].from = now;
  sum_up(first);
}

/// Its second half becomes a block of its own, behind it.
void Profile::split(std::size_t block) {
  const std::uint32_t slot = fresh_slot();  // may move the store
  Block& b = blocks_[block];
  const std::uint32_t kept = b.size / 2;
  Block behind{{}, b.lift, 0, 0, b.size - kept, slot};
  std::copy(steps_of(b) + kept, steps_of(b) + b.size, store_[slot].data());
  b.size = kept;
  sum_up(b);
  sum_up(behind);
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1, behind);
}

Profile::Place Profile::cut(SimTime t) {
  Place p = find(t);
  if (from_at(p) == t) return p;
  MUSTER_CHECK(from_at(p) < t);
  if (blocks_[p.block].size == kMost) {
    split(p.block);
    p = find(t);
  }
  Block& b = blocks_[p.block];
  Step* steps = steps_of(b);
  std::copy_backward(steps + p.step + 1, steps + b.size, steps + b.size + 1);
  ++b.size;
  steps[p.step + 1] = {t, steps[p.step].free};
  return {p.block, p.step + 1};
}

/// Of its steps [first, last).
void Profile::change(Block& b, std::uint32_t first, std::uint32_t last, std::int64_t by) {
  if (first == 0 && last == b.size) {
    b.lift += by;
    b.least += by;
    b.most += by;
    return;
  }
  Step* steps = steps_of(b);
  for (std::uint32_t i = first; i < last; ++i) steps[i].free += by;
  sum_up(b);
}

/// Drops a step that is as high as the one before it: the profile stays as short as the plan allows.
void Profile::join(Place p) {
  if (is_end(p) || p == Place{0, 0}) return;
  const Place before =
      p.step > 0 ? Place{p.block, p.step - 1} : Place{p.block - 1, blocks_[p.block - 1].size - 1};
  if (free_at(before) != free_at(p)) return;
  Block& b = blocks_[p.block];
  if (b.size == 1) {
    unused_.push_back(b.slot);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(p.block));
    return;
  }
  Step* steps = steps_of(b);
  std::copy(steps + p.step + 1, steps + b.size, steps + p.step);
  --b.size;
  if (p.step == 0) sum_up(b);
}

void Profile::add(SimTime from, SimTime to, std::int64_t by) {
  from = std::max(from, blocks_.front().from);
  if (from >= to || by == 0) return;
  if (to != kNever) cut(to);
  const Place first = cut(from);
  Place last = first;
  while (!is_end(last) && from_at(last) < to) {
    Block& b = blocks_[last.block];
    Step* steps = steps_of(b);
    std::uint32_t end = b.size;
    if (steps[end - 1].from >= to)
      for (end = last.step; steps[end].from < to;) ++end;
    change(b, last.step, end, by);
    last = end < b.size ? Place{last.block, end} : Place{last.block + 1, 0};
  }
  join(last);
  join(first);
}

Profile::Place Profile::enough(Place p, std::int64_t need) const {
  for (; !is_end(p); p = {p.block + 1, 0}) {
    const Block& b = blocks_[p.block];
    if (b.most < need) continue;
    const Step* steps = steps_of(b);
    for (std::uint32_t i = p.step; i < b.size; ++i)
      if (steps[i].free + b.lift >= need) return {p.block, i};
  }
  return p;
}

Profile::Place Profile::too_little(Place p, std::int64_t need) const {
  for (; !is_end(p); p = {p.block + 1, 0}) {
    const Block& b = blocks_[p.block];
    if (b.least >= need) continue;
    const Step* steps = steps_of(b);
    for (std::uint32_t i = p.step; i < b.size; ++i)
      if (steps[i].free + b.lift < need) return {p.block, i};
  }
  return p;
}

SimTime Profile::earliest(SimTime from, std::int64_t need, Duration length) const {
  if (need > capacity_) return kNever;
  from = std::max(from, blocks_.front().from);
  for (Place p = enough(find(from), need); !is_end(p);) {
    const SimTime t = std::max(from, from_at(p));
    p = too_little(p, need);
    if (is_end(p) || from_at(p) >= later(t, length)) return t;
    p = enough(p, need);
  }
  return kNever;
}

Duration Profile::longest(SimTime from, std::int64_t need) const {
  const Place p = find(from);
  if (free_at(p) < need) return Duration{-1};
  const Place end = too_little(p, need);
  return is_end(end) ? Duration::max() : from_at(end) - from;
}

bool Profile::fits(SimTime from, std::int64_t need, Duration length) const {
  return longest(from, need) >= length;
}

std::int64_t Profile::at(SimTime t) const { return free_at(find(t)); }

std::size_t Profile::steps() const {
  std::size_t all = 0;
  for (const Block& b : blocks_) all += b.size;
  return all;
}

}  // namespace muster
