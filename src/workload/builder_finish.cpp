// The second half of WorkloadBuilder: rows in trace order become jobs in order of submit time.

#include <algorithm>
#include <numeric>
#include <string>

#include "muster/core/check.hpp"
#include "muster/core/error.hpp"
#include "muster/workload/builder.hpp"

namespace muster {
namespace {

template <class T>
void gather(IdVector<JobId, T>& column, const std::vector<std::uint32_t>& order) {
  if (column.empty()) return;
  std::vector<T> moved;
  moved.reserve(order.size());
  for (const std::uint32_t row : order) moved.push_back(column.items()[row]);
  column.items().swap(moved);
}

template <class... Columns>
void gather_all(const std::vector<std::uint32_t>& order, Columns&... columns) {
  (gather(columns, order), ...);
}

}  // namespace

Workload WorkloadBuilder::finish(bool keep_origin) {
  const Duration origin = keep_origin ? Duration{} : first_submit();
  shift_by(origin);
  report_.origin = origin;
  if (clock_unix_ns_ != INT64_MIN) w_.origin_unix_ns = clock_unix_ns_ + origin.count();
  resolve_dependencies();
  if (!sorted_) reorder(sorted_order());
  if (!w_.depends_on.empty()) check_dependencies_end();
  size_ = 0;
  return std::move(w_);
}

void WorkloadBuilder::throughput(std::string_view model, std::string_view type, std::uint32_t gpus,
                                 double steps_per_s, std::uint32_t nodes) {
  w_.throughputs.set({w_.names.intern(model), w_.names.intern(type), gpus, nodes}, steps_per_s);
}

bool WorkloadBuilder::reference_type(std::string_view type) {
  w_.throughputs.reference = w_.throughputs.type_called(type, w_.names);
  return w_.throughputs.reference != NameId{};
}

void WorkloadBuilder::shift_by(Duration origin) {
  const Duration last = last_submit_ == Duration::min() ? origin : last_submit_;
  if (last - origin > kLongest || -(first_submit() - origin) > kLongest)
    throw InputError(report_.source, "the submit times span more than 100 years",
                     "are they all in the same unit, and count from the same instant?");
  if (origin == Duration{}) return;
  for (SimTime& t : w_.submit) t -= origin;
  for (SimTime& t : w_.truth.recorded_start)
    if (t != kNever) t -= origin;
  for (SimTime& t : w_.truth.recorded_end)
    if (t != kNever) t -= origin;
}

std::vector<std::uint32_t> WorkloadBuilder::sorted_order() const {
  std::vector<std::uint32_t> order(size_);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return w_.submit.items()[a] < w_.submit.items()[b];
  });
  return order;
}

void WorkloadBuilder::reorder(const std::vector<std::uint32_t>& order) {
  gather_all(order, w_.submit, w_.estimate, w_.shape, w_.user, w_.queue, w_.priority, w_.limit,
             w_.cancel, w_.group, w_.project, w_.model, w_.kind, w_.qos, w_.deadline,
             w_.checkpoint_interval, w_.checkpoint_cost, w_.restart_cost, w_.grace, w_.min_gpus,
             w_.max_gpus, w_.cpus, w_.memory_gb, w_.row, w_.truth.duration, w_.truth.outcome,
             w_.truth.recorded_start, w_.truth.recorded_end);
  TextColumn moved;
  moved.reserve(order.size(), w_.job_name.bytes());
  for (const std::uint32_t row : order) moved.push_back(w_.job_name[row]);
  w_.job_name = std::move(moved);

  if (w_.depends_on.empty() && w_.size_requests.empty() && w_.truth.failed_attempts.empty()) return;
  std::vector<std::uint32_t> place(order.size());  // row -> job
  for (std::uint32_t job = 0; job < order.size(); ++job) place[order[job]] = job;
  const auto renumber = [&](auto& lists) {
    std::remove_reference_t<decltype(lists)> by_job;
    for (auto& [row, list] : lists) by_job[JobId{place[row.value]}] = std::move(list);
    lists.swap(by_job);
  };
  renumber(w_.size_requests);
  renumber(w_.truth.failed_attempts);
  std::map<JobId, std::vector<JobId>> renumbered;
  for (const auto& [row, needs] : w_.depends_on) {
    std::vector<JobId>& list = renumbered[JobId{place[row.value]}];
    for (const JobId need : needs) list.push_back(JobId{place[need.value]});
    std::sort(list.begin(), list.end());
  }
  w_.depends_on.swap(renumbered);
}

void WorkloadBuilder::resolve_dependencies() {
  const bool all_here = report_.skipped.empty() && report_.rejected.empty();
  for (const auto& [row, needs] : depends_) {
    std::vector<JobId> found;
    for (const std::string& need : needs) {
      const std::uint32_t other = index_.find(w_.job_name, need);
      if (other == TextIndex::kAbsent && all_here) unknown_dependency(row, need);
      if (other == TextIndex::kAbsent)
        report_.note(report_.warnings, "dependency_left_out",
                     "depends on a job that is not replayed: that dependency counts as fulfilled",
                     line_[row], w_.job_name[row], need);
      else
        found.push_back(JobId{other});
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (!found.empty()) w_.depends_on[JobId{row}] = std::move(found);
  }
}

void WorkloadBuilder::unknown_dependency(std::uint32_t row, const std::string& text) const {
  throw InputError(report_.source + ":" + std::to_string(line_[row]),
                   "depends_on: expected ids of jobs of this trace, got \"" + text + "\" (job " +
                       std::string{w_.job_name[row]} + ")",
                   "several ids are separated by ; or |");
}

// Every job with dependencies must be reachable in an order; what is left over waits for itself.
void WorkloadBuilder::check_dependencies_end() const {
  std::map<JobId, std::size_t> open;
  std::map<JobId, std::vector<JobId>> waiters;
  for (const auto& [job, needs] : w_.depends_on) {
    open[job] = needs.size();
    for (const JobId need : needs) waiters[need].push_back(job);
  }
  std::vector<JobId> free;
  for (const auto& [need, unused] : waiters)
    if (!open.contains(need)) free.push_back(need);
  while (!free.empty()) {
    const JobId done = free.back();
    free.pop_back();
    open.erase(done);
    const auto found = waiters.find(done);
    if (found == waiters.end()) continue;
    for (const JobId waiter : found->second)
      if (--open.at(waiter) == 0) free.push_back(waiter);
  }
  if (open.empty()) return;
  const JobId stuck = open.begin()->first;
  throw InputError(report_.source, "depends_on: job \"" + std::string{w_.id_text(stuck)} +
                                       "\" waits for itself, directly or through others (" +
                                       std::to_string(open.size()) + " jobs in all)");
}

}  // namespace muster
