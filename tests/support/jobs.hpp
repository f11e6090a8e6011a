#pragma once
#include <string>
#include <vector>

#include "muster/workload/builder.hpp"

namespace muster::test {

/// A job of a test, said in one line:  job(3s, 8, 60s).estimate(90s).priority(2)
class TestJob {
 public:
  TestJob(Duration submit, std::uint32_t gpus, Duration duration) {
    row_.submit = submit;
    row_.duration = row_.estimate = duration;  // the user knows, unless told otherwise
    row_.shape.gpus = gpus;
  }
  TestJob& estimate(Duration d) { return row_.estimate = d, *this; }
  TestJob& no_estimate() { return estimate(kUnknown); }
  TestJob& limit(Duration d) { return row_.limit = d, *this; }
  TestJob& cancel(Duration after_submit) { return row_.cancel = after_submit, *this; }
  TestJob& priority(std::int32_t p) { return row_.priority = p, *this; }
  TestJob& checkpoints(Duration every, Duration restart = kUnknown) {
    row_.checkpoint_interval = every;
    row_.restart_cost = restart;
    return *this;
  }
  TestJob& elastic(std::uint32_t least, std::uint32_t most) {
    row_.min_gpus = least;
    row_.max_gpus = most;
    return *this;
  }
  /// So long after its submit its user wants it to have so many GPUs.
  TestJob& wants(Duration after, std::uint32_t gpus) {
    return row_.size_requests.push_back({after, gpus}), *this;
  }
  TestJob& grace(Duration d) { return row_.grace = d, *this; }
  TestJob& after(const std::string& job) { return row_.depends_on.push_back(job), *this; }
  TestJob& user(const std::string& name) { return user_ = name, *this; }
  TestJob& queue(const std::string& name) { return queue_ = name, *this; }
  TestJob& group(const std::string& name) { return group_ = name, *this; }
  TestJob& model(const std::string& name) { return model_ = name, *this; }
  TestJob& deadline(Duration after_submit) { return row_.deadline = after_submit, *this; }
  TestJob& qos(Qos q) { return row_.qos = q, *this; }
  TestJob& types(const std::string& names) { return types_ = names, *this; }
  TestJob& reserved(const std::string& id) { return reservation_ = id, *this; }
  TestJob& tasks(const std::string& gpus) { return tasks_ = gpus, *this; }
  TestJob& named(const std::string& name) { return name_ = name, *this; }
  TestJob& inside(Level level) { return row_.shape.required = level, *this; }
  /// Its attempts before the last one, each of which fails by itself after so long.
  TestJob& fails_after(std::vector<Duration> attempts) {
    return row_.failed_attempts = std::move(attempts), *this;
  }
  TestJob& outcome(Outcome o) { return row_.outcome = o, *this; }
  TestJob& share(std::uint32_t milli) {
    row_.shape.gpus = 1;
    row_.shape.milli = milli;
    return *this;
  }
  /// A MIG instance: "3g".
  TestJob& mig(const std::string& profile) {
    row_.shape.mig = mig_id(profile);
    row_.shape.gpus = mig_profile(row_.shape.mig).slots;
    row_.shape.milli = kMigSlotMilli;
    return *this;
  }
  /// `n` nodes with `gpus_per_node` each, or whole.
  TestJob& nodes(std::uint32_t n, std::uint32_t gpus_per_node = 0) {
    row_.shape.nodes = n;
    row_.shape.gpus_per_node = gpus_per_node;
    row_.shape.gpus = n * gpus_per_node;
    return *this;
  }

  void add_to(WorkloadBuilder& builder, const std::string& otherwise) const {
    JobRow row = row_;
    const std::string& name = name_.empty() ? otherwise : name_;
    row.job = name;
    row.user = user_;
    row.queue = queue_;
    row.group = group_;
    row.model = model_;
    row.types = types_;
    row.tasks = tasks_;
    row.reservation = reservation_;
    builder.add(row);
  }

 private:
  JobRow row_;
  std::string name_, user_, queue_, group_, model_, types_, tasks_, reservation_;
};

inline TestJob job(Duration submit, std::uint32_t gpus, Duration duration) {
  return {submit, gpus, duration};
}

/// Jobs called a, b, c, ... in this order (the 27th is j26), unless they have a name.
inline Workload workload(const std::vector<TestJob>& jobs) {
  TraceReport report;
  WorkloadBuilder builder(report);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jobs[i].add_to(builder,
                   i < 26 ? std::string(1, static_cast<char>('a' + i)) : "j" + std::to_string(i));
  return builder.finish(/*keep_origin=*/true);
}

}  // namespace muster::test
