#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/core/registry.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// A job in the system, as a rule that deals out GPUs sees it.
struct Claim {
  JobId job = kNoJob;
  /// What it may be given. Both are one number for a rigid job, and for one that must be left alone.
  Sizes sizes;
  std::uint32_t held = 0;  // 0: it waits
  std::int64_t milli = 0;  // thousandths of a GPU in each of these
  PoolMask pools = 0;      // where it may have them; of one that runs, where it is
  /// Types each of which could hold its least size alone. A rule that sets `pools` to one of them moves it.
  PoolMask anywhere = 0;
  NameId queue{};
  Duration left{};              // of its work, by what is planned
  Duration age{};               // since it was submitted
  Duration overhead{};          // what a change costs it
  std::uint32_t changes = 0;    // of its size or place, so far
  std::uint32_t most_held = 0;  // GPUs at once, so far
  bool fixed = false;           // it runs, and must be left alone for now
  bool blocked = false;         // it waits, and there is no place for it whatever the numbers say

  std::uint32_t size = 0;   // what it is given
  JobId taken_by = kNoJob;  // who got what it is given less, if that was why
  bool waits() const { return held == 0; }
};

/// What there is to be dealt out: the GPUs of the pools that each may use, and of its queue's cap. By
/// number; where they lie is looked at afterwards.
class Room {
 public:
  /// What jobs hold in all that need not stand among the claims of a pass.
  struct Held {
    std::int64_t milli = 0;
    std::vector<std::int64_t> of_queue;  // by name; as far as anybody was ever added

    /// `more`: thousandths of a GPU, below 0 for less.
    void add(NameId queue, std::int64_t more) {
      milli += more;
      if (queue.value >= of_queue.size()) of_queue.resize(queue.value + 1);
      of_queue[queue.value] += more;
    }
  };

  void begin(const View& view, const std::map<std::string, std::int64_t>& caps);
  /// All GPUs but those that `leaving` still hold. `jobs`: in the system, whether a rule is shown them or not.
  void reset(const View& view, std::span<const JobId> leaving, std::size_t jobs);
  std::size_t jobs() const { return jobs_; }
  /// On a fleet of one pool: that much is taken already.
  void keep(const Held& held);
  /// Whether queues may not use all there is.
  bool has_caps() const { return !cap_.empty(); }

  /// Gives `gpus` more to `c`, if there are so many.
  bool take(Claim& c, std::uint32_t gpus);
  void give_back(Claim& c, std::uint32_t gpus);
  /// Whether its queue's cap alone forbids that.
  bool capped(const Claim& c, std::uint32_t gpus) const;
  /// GPUs that its queue may use; unlimited if there is no cap.
  std::int64_t cap(NameId queue) const;
  /// GPUs of one pool that nobody was given who can run there only.
  double left_in(std::size_t pool) const {
    return static_cast<double>(parts_[pool].milli - parts_[pool].used) / 1000;
  }
  /// GPUs of the fleet that nobody was given.
  std::int64_t left() const;

  static constexpr std::int64_t kUnlimited = INT64_MAX;

 private:
  struct Part {  // of the fleet: jobs that may use nothing else share it
    PoolMask pools;
    std::int64_t milli = 0, used = 0;
  };
  void add(const Claim& c, std::int64_t milli);
  void keep_what_is_held(const View& view);

  std::size_t jobs_ = 0;
  std::vector<Part> parts_;
  std::vector<std::int64_t> cap_,
      queue_used_;  // thousandths of a GPU, by queue; empty without caps
};

/// What rules that deal out GPUs can be told.
struct SizeOptions {
  bool skip = false;
  double power = -1;
  void walk(ParamVisitor& visit);
};

/// Says how many GPUs each job in the system shall have. What a rule says is a wish by number; whoever
/// asks it sees to it that it can be placed, and asks again without those for whom there is no place.
class SizeRule {
 public:
  virtual ~SizeRule() = default;
  /// `claims` stand in queue order, with sizes at 0. A job that has GPUs and is given none is stopped.
  virtual void deal(const View& view, std::span<Claim> claims, Room& room, Plan& plan) = 0;
  /// Whether nobody is let in behind a waiting job that can't be: then waiting jobs that could not all run
  /// on the whole fleet need not stand in `claims`.
  virtual bool in_order() const { return false; }
  /// Whether running jobs of one size keep what they have whatever else is decided, and nobody asks about them.
  virtual bool keeps_rigid() const { return false; }
  /// Whether it must be shown those that may not be changed for now, too.
  virtual bool minds_fixed() const { return false; }
  /// Whether it serves jobs of one size in order of turn(), and while they run as if their turn were that of what
  /// is left of them; each gets its GPUs if there are as many left, else nothing.
  virtual bool serves_by_turn() const { return false; }
  /// Of waiting jobs that are alike (in shape, model, queue, range of sizes and the most GPUs that they had) a
  /// rule with turns serves those with the smallest number first, and takes no GPU back from them: then it
  /// is only shown as many of these as could run on the whole fleet.
  virtual std::optional<std::int64_t> turn(const View& view, const Claim& waits) const {
    static_cast<void>(view);
    static_cast<void>(waits);
    return std::nullopt;
  }
  /// The size of which the fleet must have room, or the job is rejected (CONVENTIONS C8).
  virtual std::uint32_t least(const View& view, JobId j) const { return view.jobs.sizes(j).least; }
};

using SizeRules = Registry<SizeRule, const SizeOptions&>;

/// Those that run keep what they have, as far as the room goes, in queue order.
void keep_sizes(std::span<Claim> claims, Room& room);

}  // namespace muster
