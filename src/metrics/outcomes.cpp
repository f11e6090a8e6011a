#include "muster/metrics/outcomes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortestRun = 10s;  // tau of the bounded slowdown, CONVENTIONS C10

struct SizeClass {
  std::int64_t most_milli;
  std::string_view name;
};
constexpr std::array<SizeClass, 9> kSizes{{{999, "<1"},
                                           {1000, "1"},
                                           {4000, "2-4"},
                                           {8000, "5-8"},
                                           {16000, "9-16"},
                                           {32000, "17-32"},
                                           {64000, "33-64"},
                                           {128000, "65-128"},
                                           {INT64_MAX, ">128"}}};

std::uint8_t size_class(std::int64_t milli) {
  std::uint8_t c = 0;
  while (milli > kSizes[c].most_milli) ++c;
  return c;
}

/// 0 for one GPU or a part of one, 1 for two, 2 for up to four, 3 for up to eight, ...
std::size_t power_class(std::int64_t milli) {
  const auto gpus = static_cast<std::uint64_t>((milli + 999) / 1000);
  return gpus <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(gpus - 1));
}

template <class T>
[[gnu::noinline]] void grow(std::vector<T>& items, std::size_t size) {
  items.resize(size);
}
template <class T>
inline T& at_grown(std::vector<T>& items, std::size_t i) {
  if (items.size() <= i) grow(items, i + 1);
  return items[i];
}

}  // namespace

std::int64_t bounded_slowdown(Duration turnaround, Duration run) {
  const Duration least = std::max(run, kShortestRun);
  if (turnaround <= least) return 1'000'000'000;
  // At most 100 years over 10 s: 3.2e8, so the billionths fit.
  const double ratio = static_cast<double>(turnaround.count()) / static_cast<double>(least.count());
  return static_cast<std::int64_t>(std::floor(ratio * 1e9 + 0.5));
}

Outcomes::Outcomes(const Workload& workload) : workload_(workload) {
  job_.reserve(workload.size());
  size_.reserve(workload.size());
  for (std::vector<std::int64_t>* column : {&wait_, &jct_, &slowdown_})
    column->reserve(workload.size());
}

void Outcomes::Sums::add(const Sums& other) {
  jobs += other.jobs;
  completed += other.completed;
  preemptions += other.preemptions;
  gpu_time += other.gpu_time;
}

void Outcomes::take(const JobLine& line) {
  ++states_[static_cast<std::size_t>(line.state)];
  if (line.state == JobState::never_submitted) return;
  preemptions_ += line.preemptions;
  interruptions_ += line.interruptions;
  restarts_ += line.restarts;
  if (line.state == JobState::completed && line.started()) {
    productive_ += Int128{line.kept.count()} * line.gpus_milli;
    elapsed_ += Int128{(line.end - line.first_start).count()} * line.gpus_milli;
  }
  reshapes_ += line.reshapes;

  const std::uint8_t size = size_class(line.gpus_milli);
  const Sums sums{1, line.state == JobState::completed ? 1U : 0U, line.preemptions,
                  line.gpu_time.held()};
  at_grown(sizes_, size).add(sums);
  if (workload_.names.size() > 1) {  // else nobody has a queue or a user
    at_grown(queues_, workload_.queue[line.job].value).add(sums);
    at_grown(users_, workload_.user[line.job].value).add(sums);
  }

  if (!line.started()) return;
  Reliability& alike = at_grown(reliability_, power_class(line.gpus_milli));
  ++alike.jobs;
  alike.run += line.run().count();
  alike.interruptions += line.interruptions;
  job_.push_back(line.job);
  size_.push_back(size);
  wait_.push_back(line.wait().count());
  jct_.push_back(line.finished() ? line.turnaround().count() : -1);
  slowdown_.push_back(line.finished() ? bounded_slowdown(line.turnaround(), line.run()) : -1);
}

std::optional<double> Reliability::mttf_s() const {
  if (interruptions == 0) return std::nullopt;
  return static_cast<double>(run) * 1e-9 / static_cast<double>(interruptions);
}

std::vector<Reliability> Outcomes::reliability() const {
  std::vector<Reliability> classes;
  for (std::size_t c = 0; c < reliability_.size(); ++c) {
    if (reliability_[c].jobs == 0) continue;
    classes.push_back(reliability_[c]);
    const std::uint64_t most = std::uint64_t{1} << c;
    classes.back().gpus =
        c < 2 ? std::to_string(most) : std::to_string(most / 2 + 1) + "-" + std::to_string(most);
  }
  return classes;
}

double Outcomes::ettr() const {
  return elapsed_ == 0 ? 1 : static_cast<double>(productive_) / static_cast<double>(elapsed_);
}

/// One group per entry of `sums`, in that order.
std::vector<Group> Outcomes::grouped(const Keys& keys, const std::vector<Sums>& sums) const {
  // Counting sort: where each group begins in `order`, then the jobs of each group side by side. One
  // group has them all, in their own order.
  const bool sort = sums.size() > 1;
  std::vector<std::size_t> begins(sums.size() + 1);
  std::vector<std::uint32_t> order;
  if (sort) {
    for (const std::uint32_t k : keys) ++begins[k + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    order.resize(keys.size());
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t i = 0; i < keys.size(); ++i)
      order[next[keys[i]]++] = static_cast<std::uint32_t>(i);
  }

  std::vector<std::int64_t> values;
  values.reserve(job_.size());
  const auto of = [&](const std::vector<std::int64_t>& column, std::size_t group) {
    values.clear();
    const auto add = [&](std::int64_t value) {
      if (value >= 0) values.push_back(value);
    };
    if (!sort)
      for (const std::int64_t value : column) add(value);
    else
      for (std::size_t i = begins[group]; i < begins[group + 1]; ++i) add(column[order[i]]);
    return statistics(values);
  };
  std::vector<Group> groups(sums.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].jobs = sums[g].jobs;
    groups[g].completed = sums[g].completed;
    groups[g].preemptions = sums[g].preemptions;
    groups[g].gpu_time = sums[g].gpu_time;
    groups[g].wait = of(wait_, g);
    groups[g].jct = of(jct_, g);
    groups[g].bounded_slowdown = of(slowdown_, g);
  }
  return groups;
}

Group Outcomes::all() const {
  Sums sum;
  for (const Sums& s : sizes_) sum.add(s);
  Group group = grouped({}, {sum}).front();
  group.name = "all";
  return group;
}

std::vector<Group> Outcomes::by_size() const {
  std::vector<Group> groups = grouped(Keys(size_.begin(), size_.end()), sizes_);
  for (std::size_t s = 0; s < groups.size(); ++s) groups[s].name = kSizes[s].name;
  std::erase_if(groups, [](const Group& g) { return g.jobs == 0; });
  return groups;
}

std::vector<Group> Outcomes::by_queue(std::size_t top) const {
  return by_name(workload_.queue, queues_, top);
}
std::vector<Group> Outcomes::by_user(std::size_t top) const {
  return by_name(workload_.user, users_, top);
}

double Outcomes::fairness() const {
  const auto named = [&](const IdVector<JobId, NameId>& column) {
    return std::any_of(job_.begin(), job_.end(), [&](JobId j) { return column[j] != NameId{}; });
  };
  const IdVector<JobId, NameId>* names = named(workload_.user)    ? &workload_.user
                                         : named(workload_.queue) ? &workload_.queue
                                                                  : nullptr;
  double n = 0, sum = 0, squares = 0;
  const auto add = [&](double x) {
    n += 1;
    sum += x;
    squares += x * x;
  };
  struct Mean {
    Int128 sum = 0;
    std::int64_t count = 0;
  };
  std::vector<Mean> means;
  for (std::size_t i = 0; i < job_.size(); ++i) {
    if (slowdown_[i] < 0) continue;
    if (names == nullptr) {
      add(static_cast<double>(slowdown_[i]) * 1e-9);
      continue;
    }
    Mean& mean = at_grown(means, (*names)[job_[i]].value);
    mean.sum += slowdown_[i];
    ++mean.count;
  }
  for (const Mean& mean : means)
    if (mean.count > 0) add(static_cast<double>(mean.sum) * 1e-9 / static_cast<double>(mean.count));
  return n > 0 ? sum * sum / (n * squares) : 1;
}

std::vector<Group> Outcomes::by_name(const IdVector<JobId, NameId>& column,
                                     const std::vector<Sums>& sums, std::size_t top) const {
  std::vector<std::uint32_t> ranking;  // names in use, by GPU time; equal ones by first appearance
  for (std::uint32_t n = 0; n < sums.size(); ++n)
    if (sums[n].jobs != 0) ranking.push_back(n);
  if (ranking.empty() || (ranking.size() == 1 && ranking.front() == 0)) return {};
  std::stable_sort(ranking.begin(), ranking.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sums[a].gpu_time > sums[b].gpu_time;
  });

  const std::size_t listed = std::min(top, ranking.size());
  std::vector<Sums> group_sums(listed + (ranking.size() > listed ? 1 : 0));
  std::vector<std::uint32_t> group_of(sums.size());
  for (std::size_t r = 0; r < ranking.size(); ++r) {
    const std::size_t g = std::min(r, listed);
    group_of[ranking[r]] = static_cast<std::uint32_t>(g);
    group_sums[g].add(sums[ranking[r]]);
  }
  Keys keys(job_.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = group_of[column[job_[i]].value];

  std::vector<Group> groups = grouped(keys, group_sums);
  for (std::size_t g = 0; g < listed; ++g)
    groups[g].name = ranking[g] == 0 ? "(unknown)" : workload_.names[NameId{ranking[g]}];
  if (ranking.size() > listed) {
    groups.back().name = "(others)";
    groups.back().members = ranking.size() - listed;
  }
  return groups;
}

}  // namespace muster
