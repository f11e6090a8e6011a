#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "muster/engine/simulate.hpp"
#include "support/referee_placement.hpp"

namespace muster::test {

/// What an outage plan demands of a run, worked out from the plan and the records alone: nodes are out
/// of service exactly when it says so, nothing runs on one that is, nothing starts that would run into
/// what is announced, and so many nodes as are reserved are kept free of everybody else.
class OutageJudge {
 public:
  OutageJudge(const Fleet& fleet, const Workload& workload, const Rules& rules)
      : fleet_(fleet),
        w_(workload),
        plan_(rules.outages),
        ahead_(rules.plans_ahead),
        by_event_(rules.by_event),
        service_(fleet.nodes.size(), Service::up) {}

  /// Jobs may wait for nodes that are never all there.
  bool may_never_be_enough() const {
    return plan_ && (!plan_->spares.empty() || !plan_->failures.processes.empty() ||
                     plan_->quarantine.after > 0);
  }

  bool takes_time_to_be_ready() const {
    return plan_ && plan_->readiness.law != OutagePlan::Readiness::Law::none;
  }

  bool in_service(NodeId n) const { return service_[n] == Service::up; }

  /// False if it is not what it is said to have been.
  bool changes(const NodeRecord& r) {
    const bool right = service_[r.node] == r.before && r.before != r.after;
    service_[r.node] = r.after;
    return right;
  }

  /// Asked before time moves on from `now`: all that happens at that instant has happened.
  template <class Jobs, class Blame>
  void judge(SimTime now, SimTime next, const Jobs& jobs, Blame blame) {
    if (!plan_) return;
    for (std::uint32_t n = 0; n < fleet_.nodes.size(); ++n) judge_node(NodeId{n}, now, blame);
    std::set<std::uint32_t> untied;
    for (std::uint32_t i = 0; i < jobs.size(); ++i) {
      const JobId j{i};
      for (const Slice& s : jobs[i].where)
        for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
          const bool waits_to_be_noticed = plan_->reaction.detection > Duration{};
          if (!in_service(NodeId{n}) && !waits_to_be_noticed && !drained(NodeId{n}, now))
            blame(j, "runs on a node that is out of service");
          if (w_.shapes[w_.shape[j]].reservation == NameId{}) untied.insert(n);
        }
    }
    untied_.push_back({now, next, untied.size()});
  }

  template <class Blame>
  void starts(const Record& r, bool first_run, Blame blame) {
    if (!plan_) return;
    Duration estimate = w_.estimate[r.job];
    const Duration limit = Workload::at_or(w_.limit, r.job, kUnknown);
    if (limit != kUnknown) estimate = std::min(estimate, limit);
    const bool tied = w_.shapes[w_.shape[r.job]].reservation != NameId{};
    if (tied) tied_runs_in_time(r, blame);
    for (const Slice& s : r.placement)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        if (!in_service(NodeId{n})) blame(r.job, "starts on a node that is out of service");
    if (!ahead_ || !first_run || estimate == kUnknown) return;
    for (const OutagePlan::Outage& o : plan_->outages) {
      // With a pass for each event, some come before an announcement at that instant.
      const bool known = by_event_ ? o.announced < r.at : o.announced <= r.at;
      const bool ahead = known && o.from > r.at && o.from < r.at + estimate;
      if (!ahead || o.announced >= o.from) continue;
      for (const Slice& s : r.placement)
        for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
          if (std::binary_search(o.nodes.begin(), o.nodes.end(), NodeId{n}))
            blame(r.job, "starts on a node that will leave before its estimate is over");
    }
  }

  template <class Blame>
  void close(const RunSummary& run, Blame blame) const {
    if (!plan_) return;
    for (const auto& [from, to, nodes] : untied_) {
      std::size_t reserved = 0;
      for (std::size_t i = 0; i < plan_->reservations.size(); ++i) {
        const OutagePlan::Reservation& r = plan_->reservations[i];
        const bool confirmed =
            std::any_of(run.reservations.begin(), run.reservations.end(),
                        [&](const ReservationOutcome& o) { return o.id == r.id && o.confirmed; });
        if (confirmed && r.from <= from && from < r.to)
          reserved += r.nodes.empty() ? r.count : r.nodes.size();
      }
      if (nodes + reserved > fleet_.nodes.size())
        return blame(std::to_string(nodes) +
                     " nodes are used by jobs that are tied to no reservation at " +
                     std::to_string(seconds(from)) + " s, and " + std::to_string(reserved) +
                     " of " + std::to_string(fleet_.nodes.size()) + " are reserved");
    }
  }

 private:
  template <class Blame>
  void judge_node(NodeId n, SimTime now, Blame blame) {
    Service should = Service::up;
    for (const OutagePlan::Outage& o : plan_->outages)
      if (o.from <= now && now < o.to && std::binary_search(o.nodes.begin(), o.nodes.end(), n))
        should =
            std::max(should, o.kind == Window::Kind::down ? Service::down : Service::maintenance);
    const bool drawn = !plan_->failures.processes.empty() || plan_->quarantine.after > 0;
    const bool spare = service_[n] == Service::spare || !plan_->spares.empty();
    if (service_[n] == should || (drawn && service_[n] == Service::down) ||
        (spare && should == Service::up && service_[n] == Service::spare))
      return;
    blame(kNoJob, fleet_.node_name(n) + " is " + std::string{name(service_[n])} +
                      ", and by the plan it is " + std::string{name(should)});
  }

  /// By the plan, and without being down besides.
  bool drained(NodeId n, SimTime now) const {
    return service_[n] == Service::maintenance &&
           std::any_of(plan_->outages.begin(), plan_->outages.end(), [&](const auto& o) {
             return o.drain && o.from <= now && now < o.to &&
                    std::binary_search(o.nodes.begin(), o.nodes.end(), n);
           });
  }

  template <class Blame>
  void tied_runs_in_time(const Record& r, Blame blame) const {
    const std::string_view id = w_.names[w_.shapes[w_.shape[r.job]].reservation];
    for (const OutagePlan::Reservation& x : plan_->reservations)
      if (x.id == id && (r.at < x.from || r.at >= x.to))
        blame(r.job, "runs outside of the reservation that it is tied to");
  }

  const Fleet& fleet_;
  const Workload& w_;
  std::shared_ptr<const OutagePlan> plan_;
  bool ahead_, by_event_;
  IdVector<NodeId, Service> service_;
  struct Untied {
    SimTime from, to;
    std::size_t nodes;
  };
  std::vector<Untied> untied_;
};

}  // namespace muster::test
