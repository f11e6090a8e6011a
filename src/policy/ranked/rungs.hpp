#pragma once
#include <vector>

#include "muster/cluster/block_list.hpp"
#include "muster/policy/parts/rank.hpp"
#include "muster/policy/parts/shape_lines.hpp"

namespace muster::ranked {

/// A job in its place by rank.
struct Rung {
  Int128 value = 0;
  std::int64_t tie = 0;
  std::int64_t milli = 0;  // thousandths of GPUs
  JobId job = kNoJob;
  friend bool operator<(const Rung& a, const Rung& b) {
    if (a.value != b.value) return a.value < b.value;
    return a.tie != b.tie ? a.tie < b.tie : a.job < b.job;
  }
};

/// Whether `a` would have to make room for `b`: equals stay where they are.
inline bool outranked(const Rung& a, const Rung& b) {
  return a.value != b.value ? a.value > b.value : a.tie > b.tie;
}

/// GPUs that a block of rungs asks for.
struct RungSum {
  std::int64_t milli = 0;
  void add(const Rung& r) { milli += r.milli; }
  bool remove(const Rung& r) {
    milli -= r.milli;
    return true;
  }
};
using Rungs = BlockList<Rung, RungSum>;

/// The running jobs that may be told to go, by rank. Values grow while jobs run, some faster than
/// others; those that grow alike keep their order, so each rate has a list of its own, of values as
/// they were at time zero, and nothing moves as time goes by.
class Ladder {
 public:
  void insert(const Rung& now_at, std::int64_t growth, SimTime now);
  /// `zero`: as at_zero() says.
  void erase(const Rung& zero, std::int64_t growth);
  static Rung at_zero(Rung r, std::int64_t growth, SimTime now) {
    r.value -= Int128{growth} * now.time_since_epoch().count();
    return r;
  }

  /// Whether somebody would have to make room for `r`.
  bool any_below(const Rung& r, SimTime now) const;
  /// GPU thousandths of all who would.
  std::int64_t milli_below(const Rung& r, SimTime now) const;
  /// Whether the order of these jobs and of those that wait changes as time goes by.
  bool sinks() const { return !groups_.empty() && groups_.back().growth > 0; }

  /// Visits all who would, in no order.
  template <class Visit>
  void each_below(const Rung& r, SimTime now, Visit visit) const {
    for (const Group& g : groups_) {
      const Rung zero = at_zero(r, g.growth, now);
      const auto blocks = g.rungs.blocks();
      for (std::size_t b = blocks.size(); b-- > 0;) {
        const auto items = blocks[b].items();
        for (std::size_t i = items.size(); i-- > 0;) {
          if (!outranked(items[i], zero)) break;
          visit(items[i]);
        }
        if (!outranked(items.front(), zero)) break;
      }
    }
  }

  /// Visits rungs (values as of now) from the last in rank on, until `visit` returns false.
  template <class Visit>
  void from_last(SimTime now, Visit visit) {
    cursors_.clear();
    for (const Group& g : groups_) {
      const auto& last = g.rungs.blocks().back();
      cursors_.push_back({&g, g.rungs.blocks().size() - 1, last.items().size() - 1,
                          as_of(last.items().back(), g.growth, now)});
    }
    while (!cursors_.empty()) {
      std::size_t worst = 0;
      for (std::size_t i = 1; i < cursors_.size(); ++i)
        if (cursors_[worst].rung < cursors_[i].rung) worst = i;
      if (!visit(cursors_[worst].rung)) return;
      if (!step(cursors_[worst], now)) cursors_.erase(cursors_.begin() + static_cast<long>(worst));
    }
  }

 private:
  struct Group {
    std::int64_t growth;
    Rungs rungs;  // values at time zero; never empty
  };
  struct Cursor {
    const Group* group;
    std::size_t block, item;
    Rung rung;
  };
  static Rung as_of(Rung r, std::int64_t growth, SimTime now) {
    r.value += Int128{growth} * now.time_since_epoch().count();
    return r;
  }
  static bool step(Cursor& c, SimTime now);
  std::vector<Group>::iterator group_of(std::int64_t growth);

  std::vector<Group> groups_;  // by growth
  std::vector<Cursor> cursors_;
};

/// The waiting jobs by rank, one list per shape: whether a shape fits is found out once for all.
using WaitingRungs = ShapeLines<ShapeLine<Rungs>>;

}  // namespace muster::ranked
