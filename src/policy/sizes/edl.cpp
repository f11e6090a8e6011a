#include <queue>
#include <vector>

#include "muster/policy/parts/size_rule.hpp"

namespace muster {
namespace {

/// How far `c` has come from its least size (0) to its most (1): the autoscaler of PaddlePaddle's Elastic
/// Deep Learning calls it fulfilment. Compared without division.
bool less_fulfilled(const Claim& a, const Claim& b) {
  const std::int64_t x = std::int64_t{a.size - a.sizes.least} * (b.sizes.most - b.sizes.least);
  const std::int64_t y = std::int64_t{b.size - b.sizes.least} * (a.sizes.most - a.sizes.least);
  return x < y;
}

/// Shrink to admit, grow when idle (CONVENTIONS C13): a job that waits is let in at its least size, and
/// for that takes GPUs from jobs above theirs, one by one from the most fulfilled; whatever is free
/// then goes to the least fulfilled, one by one. GPUs above the least size are never taken from
/// anybody for anything else, so that jobs do not rob each other. After the autoscaler of PaddlePaddle
/// EDL (github.com/PaddlePaddle/edl) and the example policies of Wu et al., TPDS 2022.
class Edl final : public SizeRule {
 public:
  explicit Edl(const SizeOptions& options) : options_(options) {}

  bool in_order() const override { return !options_.skip; }
  bool keeps_rigid() const override { return true; }

  void deal(const View&, std::span<Claim> claims, Room& room, Plan&) override {
    keep_sizes(claims, room);
    above_.clear();
    for (Claim& c : claims)
      if (c.size > c.sizes.least) above_.push_back(&c);
    for (Claim& c : claims) {
      if (!c.waits()) continue;
      const bool in = !c.blocked && (room.take(c, c.sizes.least) || reclaim(c, room));
      if (!in && !options_.skip) break;
    }
    grow(claims, room);
  }

 private:
  /// Makes room for `c` at its least size, if that can be done.
  bool reclaim(Claim& c, Room& room) {
    std::vector<Claim*> victims;
    bool in = false;
    while (!in) {
      Claim* victim = nullptr;
      for (Claim* v : above_)
        if (v->size > v->sizes.least && (v->pools & c.pools) != 0 &&
            (!victim || !less_fulfilled(*v, *victim)))
          victim = v;
      if (!victim) break;
      room.give_back(*victim, 1);
      victims.push_back(victim);
      in = room.take(c, c.sizes.least);
    }
    // Who turns out not to be needed keeps what it has; that is everybody if it was not enough.
    while (!victims.empty()) {
      Claim* const v = victims.back();
      victims.pop_back();
      if (!room.take(*v, 1)) v->taken_by = c.job;
    }
    return in;
  }

  /// The least fulfilled first, of equals the one that stands first. Whoever can have no more can't later.
  static void grow(std::span<Claim> claims, Room& room) {
    const auto after = [](const Claim* a, const Claim* b) {
      return less_fulfilled(*b, *a) || (!less_fulfilled(*a, *b) && b < a);
    };
    std::priority_queue<Claim*, std::vector<Claim*>, decltype(after)> open(after);
    for (Claim& c : claims)
      if (c.size > 0 && c.size < c.sizes.most) open.push(&c);
    while (!open.empty()) {
      Claim* const c = open.top();
      open.pop();
      if (room.take(*c, 1) && c->size < c->sizes.most) open.push(c);
    }
  }

  std::vector<Claim*> above_;  // running jobs above their least size
  SizeOptions options_;
};

const SizeRules::Add<Edl> registered{
    "edl", "shrink others to let a job in at its least size, grow into what is free"};

}  // namespace
}  // namespace muster
