#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/time.hpp"

namespace muster {

/// Free capacity over time, as a step function in thousandths of a GPU: what is left once running
/// and promised jobs are counted. Steps before the present are dropped as time goes on.
///
/// Steps stand in blocks of up to 32, each with its least and its most, so a search skips a block whole, and
/// a change that covers a block is noted once. With s steps everything costs O(32 + s / 16) at worst.
class Profile {
 public:
  explicit Profile(std::int64_t capacity = 0) : capacity_(capacity) { reset(kStart); }

  /// Everything free from `now` on.
  void reset(SimTime now);
  struct Hold {
    SimTime until;
    std::int64_t milli;
  };
  /// The same but for what is held from `now` on, given in order of ends: as adding each, in one go.
  void reset(SimTime now, std::span<const Hold> holds);
  /// Forgets what was before `now`.
  void advance(SimTime now);

  /// Adds `change` (negative: takes) over [from, to).
  void add(SimTime from, SimTime to, std::int64_t change);

  /// The earliest t >= from such that `need` are free over all of [t, t + length).
  SimTime earliest(SimTime from, std::int64_t need, Duration length) const;
  /// How long `need` are free without a break from `from` on; below 0 if they are not.
  Duration longest(SimTime from, std::int64_t need) const;
  /// Whether `need` are free over all of [from, from + length).
  bool fits(SimTime from, std::int64_t need, Duration length) const;

  std::int64_t at(SimTime t) const;
  std::size_t steps() const;

 private:
  static constexpr std::uint32_t kMost = 32;
  static constexpr std::uint32_t kFresh =
      24;  // steps of a block that is laid out: some are cut later
  struct Step {
    SimTime from;
    std::int64_t free;  // less the block's `lift`
  };
  struct Block {
    SimTime from;              // of its first step
    std::int64_t lift;         // added to each of its steps
    std::int64_t least, most;  // of its steps, with `lift`
    std::uint32_t size;
    std::uint32_t slot;  // in store_
  };
  /// A step: block and place in it. Beyond the last: {blocks_.size(), 0}.
  struct Place {
    std::size_t block;
    std::uint32_t step;
    friend bool operator==(const Place&, const Place&) = default;
  };

  Step* steps_of(const Block& b) { return store_[b.slot].data(); }
  const Step* steps_of(const Block& b) const { return store_[b.slot].data(); }
  std::int64_t free_at(Place p) const {
    return steps_of(blocks_[p.block])[p.step].free + blocks_[p.block].lift;
  }
  SimTime from_at(Place p) const { return steps_of(blocks_[p.block])[p.step].from; }
  bool is_end(Place p) const { return p.block == blocks_.size(); }

  Place find(SimTime t) const;  // the step that holds at t
  Place cut(SimTime t);         // makes a step begin at t
  void split(std::size_t block);
  void sum_up(Block& b);
  void change(Block& b, std::uint32_t first, std::uint32_t last, std::int64_t by);
  void join(Place p);
  std::uint32_t fresh_slot();
  void append(Step s);
  /// The first step from `p` on with at least `need` free, or the end.
  Place enough(Place p, std::int64_t need) const;
  /// The first step from `p` on with less than `need` free, or the end.
  Place too_little(Place p, std::int64_t need) const;

  std::int64_t capacity_;
  std::vector<Block> blocks_;  // none is empty; the last step holds for ever
  std::vector<std::array<Step, kMost>> store_;
  std::vector<std::uint32_t> unused_;  // of store_
};

}  // namespace muster
