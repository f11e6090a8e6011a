#include "muster/policy/parts/rank.hpp"

namespace muster {
namespace {

std::string to_go(const Standing& s) {
  return to_decimal(s.remaining.count(), 9) + " s to go by its estimate";
}

/// Shortest remaining time first (Schrage, Operations Research 16(3), 1968): what a job is planned to
/// hold its GPUs yet.
class Srtf final : public Rank {
 public:
  explicit Srtf(const RankOptions&) {}
  RankKey key(const Standing& s, SimTime) override {
    return {s.remaining.count(), s.running ? -1 : 0};
  }
  std::string words(const Standing& s, SimTime) const override { return to_go(s); }
};

/// Shortest remaining service first: remaining time x GPUs (Gu et al., NSDI'19, section 2.2).
class Srsf final : public Rank {
 public:
  explicit Srsf(const RankOptions&) {}
  RankKey key(const Standing& s, SimTime) override {
    return {Int128{s.remaining.count()} * s.milli, s.running ? -s.milli : 0};
  }
  std::string words(const Standing& s, SimTime) const override {
    return to_go(s) + " x " + to_decimal(s.milli, 3) + " GPUs";
  }
};

/// By submit time, then trace order.
class Fifo final : public Rank {
 public:
  explicit Fifo(const RankOptions&) {}
  RankKey key(const Standing& s, SimTime) override { return {s.job.value}; }
  bool by_estimates() const override { return false; }
  std::string words(const Standing&, SimTime) const override { return "by submit time"; }
};

const Ranks::Add<Srtf> srtf{"srtf", "shortest remaining time first, by what is planned"};
const Ranks::Add<Srsf> srsf{"srsf", "shortest remaining service (time x GPUs) first"};
const Ranks::Add<Fifo> fifo{"fifo", "by submit time"};

}  // namespace
}  // namespace muster
