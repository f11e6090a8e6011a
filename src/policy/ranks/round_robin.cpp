#include "muster/core/error.hpp"
#include "muster/policy/parts/rank.hpp"

namespace muster {
namespace {

/// Time slicing: who has waited longest goes first, and a job whose quantum is over goes to the end
/// of the line; if nobody in front of it takes its GPUs, it has another quantum. Of several jobs whose
/// quanta are over at one time the one that has run longest makes room first. Gandiva's suspend-resume
/// (Xiao et al., OSDI'18, section 4.1) over the whole fleet.
class RoundRobin final : public Rank {
 public:
  explicit RoundRobin(const RankOptions& o) : quantum_(o.quantum) {
    if (o.quantum <= Duration{})
      throw InputError("/policy/quantum", "rank=round_robin needs a time above 0",
                       "Gandiva's is a minute: quantum=60s");
  }
  RankKey key(const Standing& s, SimTime now) override {
    RankKey k;
    SimTime in_line_since = s.since;
    if (s.running) {
      in_line_since = now - (now - s.since) % quantum_;
      k.tie = -s.since.time_since_epoch().count();
      k.until = later(in_line_since, quantum_);
    }
    k.value = in_line_since.time_since_epoch().count();
    return k;
  }
  bool by_estimates() const override { return false; }
  std::string words(const Standing& s, SimTime now) const override {
    return "has waited for its turn for " + to_decimal((now - s.since).count(), 9) + " s";
  }

 private:
  Duration quantum_;
};

const Ranks::Add<RoundRobin> registered{"round_robin", "by turns of a quantum each"};

}  // namespace
}  // namespace muster
