#include <map>

#include "muster/policy/parts/size_rule.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

/// Jobs have the size that their users ask for, all of it or none: a job that asks for more keeps what it
/// has until there is all it wants (Kueue's elastic jobs, "workload slices", without the gap between the
/// old reservation and the new one). A wish above the queue's cap is refused, and said.
class User final : public SizeRule {
 public:
  explicit User(const SizeOptions& options) : options_(options) {}

  std::uint32_t least(const View& view, JobId j) const override {
    return view.jobs.size_wanted(j, view.now);
  }

  bool in_order() const override { return !options_.skip; }
  bool keeps_rigid() const override { return true; }
  /// Whose wish was refused may have taken it back.
  bool minds_fixed() const override { return true; }

  void deal(const View& view, std::span<Claim> claims, Room& room, Plan& plan) override {
    keep_sizes(claims, room);
    for (Claim& c : claims) {  // who gives some back, first
      const std::uint32_t wanted = wish(view, c);
      if (!c.waits() && wanted < c.size) room.give_back(c, c.size - wanted);
    }
    for (Claim& c : claims) {
      const std::uint32_t wanted = wish(view, c);
      if (wanted <= c.size) {
        refused_.erase(c.job);
        continue;
      }
      if (!c.waits() && wanted > room.cap(c.queue)) {
        refuse(view, c, wanted, room.cap(c.queue), plan);
        continue;
      }
      const bool in = !c.blocked && room.take(c, wanted - c.size);
      if (!in && c.waits() && !options_.skip) break;
    }
  }

 private:
  static std::uint32_t wish(const View& view, const Claim& c) {
    return c.sizes.elastic() ? view.jobs.size_wanted(c.job, view.now) : c.sizes.least;
  }

  /// Once for each wish.
  void refuse(const View& view, const Claim& c, std::uint32_t wanted, std::int64_t cap,
              Plan& plan) {
    std::uint32_t& last = refused_[c.job];
    if (last == wanted) return;
    last = wanted;
    plan.warn("resize_exceeds_queue_cap: at " + at_text(view.now) + " job " +
              std::string{view.jobs.id_text(c.job)} + " asks for " + count_text(wanted, "GPU") +
              ", queue " + std::string{view.jobs.names()[c.queue]} + " may use " +
              std::to_string(cap) + ": it keeps its " + std::to_string(c.held));
  }

  SizeOptions options_;
  std::map<JobId, std::uint32_t> refused_;
};

const SizeRules::Add<User> registered{
    "user", "what their users ask for, all of it or none, and another size when they say so"};

}  // namespace
}  // namespace muster
