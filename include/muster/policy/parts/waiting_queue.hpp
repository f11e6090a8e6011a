#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "muster/cluster/block_list.hpp"
#include "muster/cluster/fit.hpp"
#include "muster/core/job_slots.hpp"
#include "muster/policy/parts/order.hpp"
#include "muster/policy/parts/shape_lines.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// A waiting job in its place: by key, then by submit time and trace order (which is the id's).
struct Waiting {
  std::int64_t key = 0;
  JobId job = kNoJob;
  Duration planned{};
  friend bool operator<(const Waiting& a, const Waiting& b) {
    return a.key != b.key ? a.key < b.key : a.job < b.job;
  }
};

/// The shortest job of a block of waiting ones.
struct ShortestPlanned {
  Duration least = Duration::max();
  void add(const Waiting& w) { least = w.planned < least ? w.planned : least; }
  bool remove(const Waiting& w) const { return w.planned != least; }
};
using WaitingList = BlockList<Waiting, ShortestPlanned>;

/// The waiting jobs in queue order, in all and by shape. What is true of a shape (it does not fit,
/// it would delay the head) is found out once; the first job of a shape that is short enough is
/// found by skipping blocks. So a pass costs O(shapes), whatever the depth of the queue.
///
/// Where jobs of a shape always have the same key, it is kept once, with the shape's line, and the line's jobs stand in
/// it by age alone: a new key touches no job.
class WaitingQueue {
 public:
  /// One shape's waiting jobs, and what the current pass knows of the shape.
  struct Line : ShapeLine<WaitingList> {
    std::int64_t key = 0;         // what is added to the keys of `jobs`
    std::uint64_t judged_at = 0;  // stamp of the last judgement of `spare`
    bool spare = false;           // starting one would not move the head's promise
    std::uint64_t fit_at = 0;     // stamp of `fit`
    Fit fit = Fit::yes;           // whether one could start, and if not, what is in the way
    bool possible = false;        // it was found that one could run on the empty fleet
    std::uint64_t longest_at = 0, longest_in = 0;  // stamp and pass of `longest`
    Duration longest{};         // how long one that starts now could run, see Rooms::longest
    std::uint64_t hope_at = 0;  // version of the calendar + 1, of `hopeless`
    bool hopeless = false;      // see Rooms::hopeless

    /// `w` of `jobs` as it stands among all.
    Waiting among_all(Waiting w) const {
      w.key += key;
      return w;
    }
    /// The first job; there must be one.
    Waiting first() const { return among_all(jobs.front()); }
    /// The first job planned for at most `most`, of those from `from` on if it is given.
    std::optional<Waiting> first_within(Duration most, const Waiting* from = nullptr) const;
    /// The shortest job, of equals the first; nothing if there is none.
    std::optional<Waiting> shortest() const;
  };

  /// `key_by_shape`: jobs of a shape always have the same key.
  void begin(std::size_t jobs, std::size_t shapes, bool key_by_shape = false) {
    entries_ = JobSlots<Entry>(jobs);
    lines_.begin(shapes);
    key_by_shape_ = key_by_shape;
  }
  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return all().size(); }
  const WaitingList& all() const {
    if (all_is_stale_) collect_all();
    return all_;
  }
  /// The first of all; there must be one.
  Waiting first() const;
  const std::vector<ShapeId>& shapes() const { return lines_.shapes(); }
  Line& line(ShapeId s) { return lines_.line(s); }
  const Line& line(ShapeId s) const { return lines_.line(s); }
  Waiting entry(JobId j) const {
    const Entry& e = entries_[j];
    return key_by_shape_ ? line(e.shape).among_all(e.waiting) : e.waiting;
  }

  void add(ShapeId shape, const Waiting& w);
  void remove(ShapeId shape, JobId job);
  /// All keys anew.
  void rebuild(const View& view, Order& order);

 private:
  struct Entry {
    Waiting waiting;  // as in its line
    ShapeId shape{};
  };

  void collect_all() const;
  void rekey_lines(const View& view, Order& order);

  // With one key for each line the list of all is made when somebody asks for it.
  bool key_by_shape_ = false;
  mutable bool all_is_stale_ = false;
  mutable WaitingList all_;
  ShapeLines<Line> lines_;
  JobSlots<Entry> entries_;
};

}  // namespace muster
