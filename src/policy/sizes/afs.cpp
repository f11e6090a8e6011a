#include <algorithm>
#include <bit>
#include <limits>

#include "muster/policy/parts/size_rule.hpp"

namespace muster {
namespace {

/// AFS-L (Hwang et al., NSDI'21, section 4, algorithm 1): GPUs are dealt out one by one to the job of top
/// priority. Of two jobs without any it is the shorter one. Else, of the one that would end earlier with
/// what it has (a) and the other one (b), b gets the GPU if
///   (p_b' - p_b) / p_b'  >  (p_a' - p_a) / p_a
/// with p a job's throughput and p' that with one GPU more; else a. A job whose least size is more than
/// one GPU gets that at a time. Jobs may end up with nothing, those that run too: they write a checkpoint
/// and wait. Each GPU takes a look at all jobs that have some and may have more: O(jobs log jobs + GPUs x
/// such jobs) for a pass, jobs being those that are shown: of waiting ones that are alike the shortest.
class Afs final : public SizeRule {
 public:
  explicit Afs(const SizeOptions&) {}

  void deal(const View& view, std::span<Claim> claims, Room& room, Plan&) override {
    none_.clear();
    some_.clear();
    for (Claim& c : claims) {
      if (c.blocked) continue;
      if (c.fixed)
        room.take(c, c.held);
      else
        none_.push_back({value_of(view, c, c.sizes.least), &c});
    }
    // The shortest last; of equals the one that stands first.
    std::sort(none_.begin(), none_.end(), [](const Idle& a, const Idle& b) {
      if (a.next.length != b.next.length) return a.next.length > b.next.length;
      return a.claim > b.claim;
    });
    while (!none_.empty() || !some_.empty()) serve(view, room);
  }

  /// The shorter first. (Of doubles above 0 the larger one is larger as a number of their bits, too.)
  std::optional<std::int64_t> turn(const View& view, const Claim& waits) const override {
    return std::bit_cast<std::int64_t>(value_of(view, waits, waits.sizes.least).length);
  }
  bool serves_by_turn() const override { return true; }

 private:
  struct Value {
    double throughput, length;  // length: infinite without GPUs
  };
  struct Idle {
    Value next;
    Claim* claim;
  };
  struct Open {
    Claim* claim;
    Value now, next;
  };

  static Value value_of(const View& view, const Claim& c, std::uint32_t gpus) {
    const Speed s = view.jobs.speed(c.job, gpus);
    const double throughput = static_cast<double>(s.num) / s.den;
    return {throughput, seconds(c.left) / throughput};
  }

  /// A GPU for the job of top priority, or its least size if it has none. Of those without any only the
  /// shortest can be that.
  void serve(const View& view, Room& room) {
    std::size_t top = 0;
    for (std::size_t i = 1; i < some_.size(); ++i)
      if (goes_before(some_[i], some_[top])) top = i;
    if (some_.empty() || (!none_.empty() && goes_before(opened(none_.back()), some_[top]))) {
      Open o = opened(none_.back());
      none_.pop_back();
      if (room.take(*o.claim, o.claim->sizes.least) && advance(view, o)) some_.push_back(o);
    } else if (!room.take(*some_[top].claim, 1) || !advance(view, some_[top])) {
      some_.erase(some_.begin() + static_cast<std::ptrdiff_t>(top));
    }
  }

  static Open opened(const Idle& idle) {
    return {idle.claim, {0, std::numeric_limits<double>::infinity()}, idle.next};
  }

  /// Whether it can have one more.
  static bool advance(const View& view, Open& o) {
    o.now = o.next;
    if (o.claim->size >= o.claim->sizes.most) return false;
    o.next = value_of(view, *o.claim, o.claim->size + 1);
    return true;
  }

  /// Of equals the one that stands first.
  static bool goes_before(const Open& other, const Open& first) {
    const bool shorter = other.now.length < first.now.length;
    const Open& a = shorter ? other : first;
    const Open& b = shorter ? first : other;
    const double gain_b = (b.next.throughput - b.now.throughput) / b.next.throughput;
    const double gain_a = (a.next.throughput - a.now.throughput) / a.now.throughput;
    return (gain_b > gain_a) != shorter;
  }

  std::vector<Idle> none_;  // without GPUs
  std::vector<Open> some_;  // with
};

const SizeRules::Add<Afs> registered{
    "afs", "AFS-L: GPUs to jobs that end soon, unless others make much better use of them"};

}  // namespace
}  // namespace muster
