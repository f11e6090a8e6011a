#include "muster/workload/builder.hpp"

#include <algorithm>

#include "muster/core/check.hpp"
#include "muster/core/int128.hpp"

namespace muster {
namespace {

/// One bound alone is completed by what the job asks for, and nobody is denied what its user will want.
Sizes range_of(const JobRow& row) {
  Sizes sizes{row.min_gpus, row.max_gpus};
  const std::uint32_t asked = row.shape.gpus;
  if (sizes.least == 0 && sizes.most == 0 && row.size_requests.empty()) return sizes;
  if (sizes.least == 0) sizes.least = sizes.most == 0 ? asked : std::min(asked, sizes.most);
  if (sizes.most == 0) sizes.most = std::max(asked, sizes.least);
  for (const SizeRequest& wish : row.size_requests) {
    sizes.least = std::min(sizes.least, wish.gpus);
    sizes.most = std::max(sizes.most, wish.gpus);
  }
  return sizes;
}

std::string seconds_text(Duration d) { return to_decimal(d.count(), 9) + " s"; }

/// Kept out of the way: most traces have none of the rare columns.
template <class T>
[[gnu::noinline]] void push_rare(IdVector<JobId, T>& column, std::size_t rows, T value,
                                 T otherwise) {
  if (column.size() < rows) column.resize(rows, otherwise);
  column.push_back(value);
}

}  // namespace

std::size_t WorkloadBuilder::ShapeHash::operator()(const Shape& s) const {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  const auto mix = [&h](std::uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ULL, h ^= h >> 29; };
  mix(std::uint64_t{s.gpus} << 32 | s.nodes);
  mix(std::uint64_t{s.gpus_per_node} << 32 | s.milli);
  mix(std::uint64_t{s.types.value} << 32 | s.tasks.value);
  mix(std::uint64_t{s.reservation.value} << 24 | std::uint64_t{s.mig} << 16 |
      static_cast<std::uint64_t>(s.required) << 8 | static_cast<std::uint64_t>(s.preferred));
  return h;
}

ShapeId WorkloadBuilder::intern(const Shape& shape) {
  // Neighbours in a trace often ask for the same.
  if (!w_.shapes.empty() && w_.shapes[last_shape_] == shape) return last_shape_;
  const auto [at, added] =
      shape_ids_.try_emplace(shape, ShapeId{static_cast<std::uint32_t>(w_.shapes.size())});
  if (added) w_.shapes.push_back(shape);
  return last_shape_ = at->second;
}

NameId WorkloadBuilder::intern(std::string_view text, NameId& last) {
  if (text.empty()) return NameId{};
  if (w_.names[last] != text) last = w_.names.intern(text);
  return last;
}

template <class T>
inline void WorkloadBuilder::rare(IdVector<JobId, T>& column, T value, T otherwise) {
  if (column.empty() && value == otherwise) return;
  rare_ = true;
  push_rare(column, size_, value, otherwise);
}

std::string_view WorkloadBuilder::numbered_id() {
  made_up_ = std::to_string(size_ + 1);
  while (index_.find(w_.job_name, made_up_) != TextIndex::kAbsent) made_up_ += "'";
  return made_up_;
}

std::string_view WorkloadBuilder::renamed_id(const JobRow& row, std::uint32_t first) {
  std::uint32_t& copy = copies_.try_emplace(first, 1).first->second;
  made_up_ = std::string{row.job} + "#" + std::to_string(++copy);
  while (index_.find(w_.job_name, made_up_) != TextIndex::kAbsent) made_up_ += "'";
  report_.note(report_.warnings, "duplicate_job",
               "the id of an earlier job came again: the later one got #2, #3, ... appended",
               row.line, row.job);
  return made_up_;
}

std::uint64_t WorkloadBuilder::add(const JobRow& row) {
  MUSTER_CHECK(size_ < UINT32_MAX - 1);
  MUSTER_CHECK(row.duration >= Duration{});
  const auto position = static_cast<std::uint32_t>(size_);
  std::string_view id = row.job.empty() ? numbered_id() : row.job;
  const std::uint32_t first =
      row.job.empty() ? TextIndex::kAbsent : index_.find(w_.job_name, row.job);
  if (first != TextIndex::kAbsent) {
    if (refuse_duplicates_) return line_[first];
    id = renamed_id(row, first);
  }
  warn_about(row, id);
  add_id(id, row.line);
  if (!row.depends_on.empty()) depends_.emplace_back(position, row.depends_on);
  if (!row.failed_attempts.empty()) w_.truth.failed_attempts[JobId{position}] = row.failed_attempts;
  if (!row.size_requests.empty()) w_.size_requests[JobId{position}] = row.size_requests;
  add_requested(row);
  add_truth(row);
  ++size_;
  return 0;
}

bool WorkloadBuilder::add_plain(const PlainRow& row) {
  MUSTER_CHECK(size_ < UINT32_MAX - 1 && !rare_);
  if (!index_.add(w_.job_name, row.job)) return false;
  add_place(row.line);
  note_order(row.submit, row.line, row.job);
  w_.shape.push_back(plain_shape(row.gpus));
  w_.submit.push_back(SimTime{row.submit});
  w_.estimate.push_back(kUnknown);
  w_.user.push_back(intern(row.user, last_user_));
  w_.queue.push_back(intern(row.queue, last_queue_));
  w_.truth.duration.push_back(row.duration);
  ++size_;
  return true;
}

ShapeId WorkloadBuilder::plain_shape(std::uint32_t gpus) {
  constexpr ShapeId kNotYet{UINT32_MAX};
  constexpr std::uint32_t kListed = 4096;
  Shape shape;
  shape.gpus = gpus;
  if (gpus >= kListed) return intern(shape);
  if (gpus >= plain_shapes_.size()) plain_shapes_.resize(gpus + 1, kNotYet);
  ShapeId& id = plain_shapes_[gpus];
  if (id == kNotYet) id = intern(shape);
  return id;
}

void WorkloadBuilder::add_id(std::string_view id, std::uint64_t line) {
  w_.job_name.push_back(id);
  index_.add_last(w_.job_name);
  add_place(line);
}

void WorkloadBuilder::add_place(std::uint64_t line) {
  w_.row.push_back(static_cast<std::uint32_t>(size_));
  line_.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(line, UINT32_MAX)));
}

void WorkloadBuilder::note_order(Duration submit, std::uint64_t line, std::string_view id) {
  if (submit < last_submit_) {
    sorted_ = false;
    report_.note(report_.warnings, "out_of_order_submit",
                 "submitted before a job further up: jobs are replayed in order of submit time",
                 line, id);
  }
  last_submit_ = std::max(last_submit_, submit);
  first_submit_ = std::min(first_submit_, submit);
}

void WorkloadBuilder::warn_about(const JobRow& row, std::string_view id) {
  note_order(row.submit, row.line, id);
  if (row.estimate != kUnknown && row.estimate <= Duration{})
    report_.note(report_.warnings, "estimate_not_positive",
                 "an estimate of zero or less: the policy's default_estimate is used", row.line,
                 id);
  if (row.recorded_start != kUnknown && row.recorded_start < row.submit)
    report_.note(
        report_.warnings, "recorded_start_before_submit",
        "recorded to have started before it was submitted: kept for comparison, never used",
        row.line, id, seconds_text(row.recorded_start - row.submit));
}

void WorkloadBuilder::add_requested(const JobRow& row) {
  Shape shape = row.shape;
  if (!row.types.empty()) shape.types = intern(row.types, last_types_);
  if (!row.tasks.empty()) shape.tasks = intern(row.tasks, last_tasks_);
  if (!row.reservation.empty()) shape.reservation = intern(row.reservation, last_reservation_);
  w_.shape.push_back(intern(shape));
  w_.submit.push_back(SimTime{row.submit});
  w_.estimate.push_back(row.estimate > Duration{} ? row.estimate : kUnknown);
  w_.user.push_back(intern(row.user, last_user_));
  w_.queue.push_back(intern(row.queue, last_queue_));
  rare(w_.priority, row.priority, std::int32_t{0});
  rare(w_.limit, row.limit, kUnknown);
  rare(w_.cancel, row.cancel, kUnknown);
  rare(w_.group, intern(row.group, last_group_), NameId{});
  rare(w_.project, intern(row.project, last_project_), NameId{});
  rare(w_.model, intern(row.model, last_model_), NameId{});
  rare(w_.kind, intern(row.kind, last_kind_), NameId{});
  rare(w_.qos, row.qos, Qos::normal);
  rare(w_.deadline, row.deadline, kUnknown);
  rare(w_.checkpoint_interval, row.checkpoint_interval, kUnknown);
  rare(w_.checkpoint_cost, row.checkpoint_cost, kUnknown);
  rare(w_.restart_cost, row.restart_cost, kUnknown);
  rare(w_.grace, row.grace, Duration{});
  const Sizes sizes = range_of(row);
  rare(w_.min_gpus, sizes.least, std::uint32_t{0});
  rare(w_.max_gpus, sizes.most, std::uint32_t{0});
  rare(w_.cpus, row.cpus, 0.0F);
  rare(w_.memory_gb, row.memory_gb, 0.0F);
}

void WorkloadBuilder::add_truth(const JobRow& row) {
  const auto instant = [](Duration t) { return t == kUnknown ? kNever : SimTime{t}; };
  w_.truth.duration.push_back(row.duration);
  rare(w_.truth.outcome, row.outcome, Outcome::completed);
  rare(w_.truth.recorded_start, instant(row.recorded_start), kNever);
  rare(w_.truth.recorded_end, instant(row.recorded_end), kNever);
}

void WorkloadBuilder::reserve(std::size_t jobs) {
  w_.job_name.reserve(jobs, jobs * 8);
  w_.submit.reserve(jobs);
  w_.estimate.reserve(jobs);
  w_.shape.reserve(jobs);
  w_.user.reserve(jobs);
  w_.queue.reserve(jobs);
  w_.row.reserve(jobs);
  w_.truth.duration.reserve(jobs);
  line_.reserve(jobs);
}

void WorkloadBuilder::replace_outcomes(Outcome outcome) {
  w_.truth.outcome.assign(outcome == Outcome::completed ? 0 : size_, outcome);
}

}  // namespace muster
