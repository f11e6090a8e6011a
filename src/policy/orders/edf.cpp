#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "muster/policy/parts/capacity.hpp"
#include "muster/policy/parts/order.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

struct EdfParams final : OrderParams {
  enum class Admission : std::uint8_t { none, reject, demote };
  Admission admission = Admission::none;
  void walk(ParamVisitor& visit) override {
    static constexpr std::array<std::string_view, 3> kAdmission{"none", "reject", "demote"};
    visit.choice(
        "admission", admission, kAdmission,
        "edf: a job that can't end by its deadline, or would make an admitted one late, is "
        "let in all the same, rejected at submit, or demoted to those without a deadline");
  }
  std::string_view set() const override { return admission == Admission::none ? "" : "admission"; }
};

/// Earliest deadline first (Liu & Layland, JACM 20(1), 1973, section 7), jobs without a deadline last.
///
/// Admission control by a plan, as in Stankovic, Spuri, Ramamritham & Buttazzo, "Deadline Scheduling
/// for Real-Time Systems", 1998, chapter 3 (planning-based): at its submission a job is planned, with
/// what runs by predicted end, among the admitted jobs in order of deadline, each at the earliest slot
/// that moves none before it, by number of GPUs. It is admitted if it ends in time there and no other
/// job that would have ended in time comes too late because of it. That is what replanning conservative backfill
/// does with right estimates where GPUs are alike; elsewhere an admitted job may still be late. A job
/// held by dependencies is planned as if it could start at once.
///
/// O(waiting jobs with a deadline) slots per submission of a job with a deadline; the order itself
/// costs nothing, its keys are fixed.
class EdfOrder final : public Order {
 public:
  explicit EdfOrder(const OrderOptions& o) : admission_(o.of<EdfParams>("edf").admission) {}

  void begin(const View& view, std::uint64_t) override {
    if (admission_ == EdfParams::Admission::none) return;
    demoted_.assign(view.jobs.size(), 0);
    capacity_.begin(view);
  }

  bool takes(Shared) const override { return false; }
  std::int64_t key(const View& view, JobId job) override {
    const SimTime due = deadline(view, job);
    if (plans() && due != kNever) waiting_.insert({due, job});
    return due.time_since_epoch().count();
  }

  void started(const View& view, const RunningJob& r) override { left(view, r.job); }
  void left(const View& view, JobId job) override {
    if (plans()) waiting_.erase({deadline(view, job), job});
  }

  std::optional<Rejection> refuse(const View& view, JobId job) override {
    if (!plans() || view.jobs.deadline(job) == kNever) return {};
    const std::optional<SimTime> end = unwelcome(view, job);
    if (!end) return {};
    if (admission_ == EdfParams::Admission::demote) {
      demoted_[job] = 1;
      return {};
    }
    const SimTime due = view.jobs.deadline(job);
    const std::string who = "job " + std::string{view.jobs.id_text(job)};
    return Rejection{job, "exceeds_deadline",
                     *end > due ? who + " must end by " + at_text(due) +
                                      (*end == kNever ? ", and no end can be planned"
                                                      : ", and would end at " + at_text(*end) +
                                                            " after what was admitted before it")
                                : who + " would make a job late that was admitted before it"};
  }

 private:
  using Due = std::pair<SimTime, JobId>;

  bool plans() const { return admission_ != EdfParams::Admission::none; }
  SimTime deadline(const View& view, JobId job) const {
    return plans() && demoted_[job] ? kNever : view.jobs.deadline(job);
  }

  /// The admitted jobs that wait, those of this instant included.
  std::vector<Due> admitted(const View& view) const {
    std::vector<Due> all(waiting_.begin(), waiting_.end());
    for (const JobId j : view.joined)
      if (deadline(view, j) != kNever) all.emplace_back(deadline(view, j), j);
    for (const JobId j : view.left) std::erase(all, Due{deadline(view, j), j});
    std::sort(all.begin(), all.end());
    return all;
  }

  static SimTime plan(const View& view, Capacity& capacity, JobId job) {
    const Demand& d = view.demands[view.jobs.shape(job)];
    const Duration length = view.jobs.planned(job);
    const SimTime at = capacity.of(d).earliest(view.now, d.total_milli(), length);
    if (at == kNever) return kNever;
    capacity.plan(d, at, length, +1);
    return later(at, length);
  }

  /// Nothing if `job` may be let in; else when it would end, by the plan.
  std::optional<SimTime> unwelcome(const View& view, JobId job) {
    const std::vector<Due> others = admitted(view);
    const Due mine{view.jobs.deadline(job), job};
    capacity_.lay_out(view);
    const auto after = std::lower_bound(others.begin(), others.end(), mine);
    for (auto it = others.begin(); it != after; ++it) plan(view, capacity_, it->second);
    Capacity with = capacity_;
    const SimTime end = plan(view, with, job);
    if (end > mine.first) return end;  // late itself
    for (auto it = after; it != others.end(); ++it) {
      const bool was_late = plan(view, capacity_, it->second) > it->first;
      if (plan(view, with, it->second) > it->first && !was_late) return end;
    }
    return {};
  }

  EdfParams::Admission admission_;
  Capacity capacity_;
  std::set<Due> waiting_;  // admitted, with a deadline
  IdVector<JobId, std::uint8_t> demoted_;
};

const Orders::Add<EdfOrder> registered{
    "edf", "earliest deadline first, those without one last; admission control on request"};
const OrderParameters::Add<EdfParams> parameters{"edf", ""};

}  // namespace
}  // namespace muster
