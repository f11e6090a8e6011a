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
  ShapeId shape{};
  Duration planned{};
  friend bool operator<(const Waiting& a, const Waiting& b) {
    return a.key != b.key ? a.key < b.key : a.job < b.job;
  }
};

/// The list of all is not asked for more than its order.
struct NoSummary {
  void add(const Waiting&) {}
  bool remove(const Waiting&) const { return true; }
};
/// The shortest job of a block of waiting ones.
struct ShortestPlanned {
  Duration least = Duration::max();
  void add(const Waiting& w) { least = w.planned < least ? w.planned : least; }
  bool remove(const Waiting& w) const { return w.planned != least; }
};
using WaitingList = BlockList<Waiting, ShortestPlanned>;
using AllWaiting = BlockList<Waiting, NoSummary>;

/// The waiting jobs in queue order, in all and by shape. What is true of a shape (it does not fit,
/// it would delay the head) is found out once; the first job of a shape that is short enough is
/// found by skipping blocks. So a pass costs O(shapes), whatever the depth of the queue.
///
/// Jobs are listed by shape from when somebody first asks for a line: strict FIFO, which looks at the first
/// of all and knows the shapes that wait, never does.
///
/// Where jobs of a shape always have the same key, it is kept once, with the shape's line, and the line's jobs stand in
/// it by age alone: a new key touches no job.
class WaitingQueue {
 public:
  /// What the current pass knows of a shape.
  struct Notes : ShapeNotes {
    std::uint64_t judged_at = 0;  // number of the judgement by which `spare` holds
    bool spare = false;           // starting one would not move the head's promise
    Fit fit = Fit::yes;           // whether one could start, and if not, what is in the way
    bool possible = false;        // it was found that one could run on the empty fleet
    bool hopeless = false;        // see Rooms::hopeless
    std::uint64_t fit_at = 0;     // stamp of `fit`
    std::uint64_t longest_at = 0, longest_in = 0;  // stamp and pass of `longest`
    Duration longest{};         // how long one that starts now could run, see Rooms::longest
    std::uint64_t hope_at = 0;  // version of the calendar + 1, of `hopeless`
  };
  /// That, and the shape's waiting jobs.
  struct Line : Notes {
    std::int64_t key = 0;  // what is added to the keys of `jobs`
    WaitingList jobs;

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
    jobs_ = jobs;
    lines_.begin(shapes);
    key_by_shape_ = key_by_shape;
    if (key_by_shape) list_by_shape();
  }
  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return all().size(); }
  const AllWaiting& all() const {
    if (all_is_stale_) collect_all();
    return all_;
  }
  /// The first of all; there must be one.
  Waiting first() const { return key_by_shape_ ? first_by_key() : all_.front(); }
  const std::vector<ShapeId>& shapes() const { return lines_.shapes(); }
  Notes& notes(ShapeId s) { return lines_.line(s); }
  Line& line(ShapeId s) {
    if (!listed_) list_by_shape();
    return lines_.line(s);
  }
  const Line& line(ShapeId s) const {
    if (!listed_) list_by_shape();
    return lines_.line(s);
  }
  Waiting entry(JobId j) const {
    if (!listed_) list_by_shape();
    const Waiting& w = entries_[j];
    return key_by_shape_ ? line(w.shape).among_all(w) : w;
  }

  void add(Waiting w);
  void remove(ShapeId shape, JobId job);
  /// All keys anew.
  void rebuild(const View& view, Order& order);

 private:
  void list_by_shape() const;
  void collect_all() const;
  Waiting first_by_key() const;
  void rekey_lines(const View& view, Order& order);

  std::size_t jobs_ = 0;  // of the workload
  // With one key for each line the list of all is made when somebody asks for it.
  bool key_by_shape_ = false;
  mutable bool all_is_stale_ = false;
  mutable AllWaiting all_;
  mutable bool listed_ = false;  // by shape, and as entries
  mutable ShapeLines<Line> lines_;
  mutable JobSlots<Waiting> entries_;  // as in their lines
};

}  // namespace muster
