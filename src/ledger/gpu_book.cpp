#include "muster/ledger/gpu_book.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "ledger/class_index.hpp"
#include "muster/core/check.hpp"

namespace muster {
namespace {

std::size_t idle_index(Cause cause) { return index(idle_class(cause)) - kFirstIdle; }

/// The order in which groups are charged to one pool and class.
template <class Group>
bool narrower(const Group& a, const Group& b) {
  const int m = std::popcount(a.pools), n = std::popcount(b.pools);
  return m != n ? m < n : a.pools < b.pools;
}

}  // namespace

GpuBook::GpuBook(const Fleet& fleet, const Workload& workload, std::span<const ShapeDemand> demands)
    : shape_of_(workload.shape), nodes_(fleet.nodes.size()) {
  MUSTER_CHECK(demands.size() == workload.shapes.size());
  MUSTER_CHECK(!fleet.pools.empty() && fleet.pools.size() <= 64);
  for (const Fleet::Pool& pool : fleet.pools) free_.push_back(std::int64_t{pool.gpus} * 1000);
  for (const std::int64_t milli : free_) installed_ += milli;

  if (fleet.pools.size() > 1) {
    const std::size_t nodes = fleet.nodes.size();
    pool_of_.resize(nodes);
    pool_ends_.resize(nodes);
    for (std::size_t n = nodes; n-- > 0;) {
      pool_of_[n] = fleet.nodes.items()[n].pool;
      const bool ends = n + 1 == nodes || pool_of_[n + 1] != pool_of_[n];
      pool_ends_[n] = ends ? static_cast<std::uint32_t>(n + 1) : pool_ends_[n + 1];
    }
  }

  // A mask is only what it says about pools that exist. Those who may use few pools are charged first,
  // so that a pool is not called idle while somebody else's choice of pools could have been met.
  const PoolMask all =
      fleet.pools.size() == 64 ? ~PoolMask{0} : (PoolMask{1} << fleet.pools.size()) - 1;
  for (const ShapeDemand& demand : demands) groups_.push_back({demand.pools & all, {}});
  std::sort(groups_.begin(), groups_.end(), narrower<Group>);
  const auto same = [](const Group& a, const Group& b) { return a.pools == b.pools; };
  groups_.erase(std::unique(groups_.begin(), groups_.end(), same), groups_.end());

  shapes_.resize(demands.size());
  for (std::size_t s = 0; s < demands.size(); ++s) {
    const Group key{demands[s].pools & all, {}};
    const auto group = std::lower_bound(groups_.begin(), groups_.end(), key, narrower<Group>);
    const std::uint32_t share = workload.shapes.items()[s].milli;
    shapes_[s].milli = demands[s].milli;
    shapes_[s].unused = demands[s].unused;
    shapes_[s].share = share == 0 ? 1000 : share;
    shapes_[s].group = static_cast<std::uint32_t>(group - groups_.begin());
  }
}

void GpuBook::on(const Record& record, Job& job) {
  advance(record.at);
  switch (record.what) {
    case Record::What::submit:
      if (!opened_) {
        opened_ = true;
        from_ = now_ = record.at;
      }
      if (record.state == JobState::pending) join(record.job, job);
      break;
    case Record::What::release:
      join(record.job, job);
      break;
    case Record::What::acquire:
      acquire(record, job);
      break;
    case Record::What::start:
      start(record, job);
      break;
    case Record::What::reshape:
      reshape(record, job);
      break;
    case Record::What::reprice:
      reprice(record, job);
      break;
    case Record::What::drop:
    case Record::What::stop:
    case Record::What::reject:
    case Record::What::end:
      finish(record, job);
      break;
  }
}

void GpuBook::decided(const Decision& decision) {
  advance(decision.at);
  if (decision.pools.size() != free_.size()) {
    blame(decision.at, "the decision tells of " + std::to_string(decision.pools.size()) + " pools");
  } else {
    for (std::size_t p = 0; p < free_.size(); ++p) {
      const std::int64_t said = decision.pools[p].free_milli;
      if (said == free_[p]) continue;
      blame(decision.at, "pool " + std::to_string(p) + ": the decision leaves " +
                             std::to_string(said) + " thousandths of a GPU free, the records " +
                             std::to_string(free_[p]));
      free_[p] = said;
      stale_ = true;
    }
  }

  for (const Decision::ShapeCause& change : decision.causes) {
    Shape& shape = shapes_[change.shape.value];
    want(shape, shape.cause, -shape.settled);
    shape.cause = change.cause;
    want(shape, shape.cause, shape.settled);
  }
  for (const std::uint32_t s : fresh_) {
    Shape& shape = shapes_[s];
    want(shape, Cause::interval, -shape.fresh);
    want(shape, shape.cause, shape.fresh);
    shape.settled += shape.fresh;
    shape.fresh = 0;
  }
  fresh_.clear();
  ++passes_;
}

void GpuBook::advance(SimTime t) {
  if (!opened_ || t == now_) return;
  if (t < now_) {
    blame(t, "time runs backwards");
    return;
  }
  const Levels& now = levels();
  const std::int64_t ns = (t - now_).count();
  const auto enter = [&](std::size_t at, std::int64_t milli) {
    if (milli != 0) times_[at] += Int128{milli} * ns;
  };
  for (std::size_t c = 0; c < kIdleClasses; ++c) enter(kFirstIdle + c, now.idle_milli[c]);
  enter(index(GpuClass::down), now.down_milli);
  enter(index(GpuClass::maintenance), now.maintenance_milli);
  now_ = t;
}

const GpuBook::Levels& GpuBook::levels() {
  if (stale_) charge();
  return levels_;
}

/// Free GPUs go to the causes of the jobs that wait for them, in the order of the classes, to each as
/// many as its jobs want; nobody's are what is left. A job that may use several pools is charged in
/// the order of the pools, and once; whoever may use fewer pools comes first.
void GpuBook::charge() {
  stale_ = false;
  levels_.idle_milli = {};
  levels_.idle_milli[index(GpuClass::idle_reserved) - kFirstIdle] = levels_.spare_milli;
  if (levels_.wanted_milli == 0) {
    levels_.idle_milli[kIdleClasses - 1] += std::accumulate(free_.begin(), free_.end(), 0LL);
    return;
  }
  const bool several = free_.size() > 1;  // what one pool leaves open the next ones are asked for
  if (several) left_ = groups_;
  std::vector<Group>& groups = several ? left_ : groups_;
  for (std::size_t p = 0; p < free_.size(); ++p) {
    std::int64_t rest = free_[p];
    for (std::size_t c = 0; c + 1 < kIdleClasses && rest != 0; ++c) {
      for (Group& group : groups) {
        if ((group.pools >> p & 1) == 0) continue;
        const std::int64_t taken = std::min(rest, group.wanted[c]);
        if (several) group.wanted[c] -= taken;
        rest -= taken;
        levels_.idle_milli[c] += taken;
      }
    }
    levels_.idle_milli[kIdleClasses - 1] += rest;
  }
}

void GpuBook::want(const Shape& shape, Cause cause, std::int64_t milli) {
  groups_[shape.group].wanted[idle_index(cause)] += milli;
  stale_ = true;
}

void GpuBook::join(JobId id, Job& job) {
  const std::uint32_t s = shape_of_[id].value;
  Shape& shape = shapes_[s];
  if (shape.fresh == 0) fresh_.push_back(s);
  job.where_ = Where::waiting;
  job.pass_ = passes_;
  change_wants(shape, job, wants(shape, job));
  ++levels_.waiting;
}

/// What the job adds to the demand now.
std::int64_t GpuBook::wants(const Shape& shape, const Job& job) {
  if (job.where_ == Where::waiting) return shape.milli;
  return job.where_ == Where::hoarding ? std::max<std::int64_t>(0, shape.milli - job.milli_) : 0;
}

void GpuBook::change_wants(Shape& shape, const Job& job, std::int64_t change) {
  const bool fresh = job.pass_ == passes_;
  (fresh ? shape.fresh : shape.settled) += change;
  want(shape, fresh ? Cause::interval : shape.cause, change);
  levels_.wanted_milli += change;
}

void GpuBook::leave(JobId id, Job& job) {
  Shape& shape = shapes_[shape_of_[id].value];
  change_wants(shape, job, -wants(shape, job));
  --levels_.waiting;
  job.where_ = Where::nowhere;
}

/// Takes the GPUs of `placement` from the free ones of their pools (sign -1), or gives them back.
/// Returns how many there are, in thousandths.
std::int64_t GpuBook::move(std::span<const Slice> placement, std::int64_t each, int sign) {
  std::int64_t sum = 0;
  stale_ = true;
  for (const Slice& slice : placement) {
    const std::int64_t per_node = count(slice.gpus) * each;
    sum += per_node * slice.count;
    if (pool_of_.empty() && service_.empty()) continue;
    const std::uint32_t last = slice.first.value + slice.count;
    if (!service_.empty()) {
      for (std::uint32_t n = slice.first.value; n < last; ++n) move_on(n, sign * per_node);
      continue;
    }
    for (std::uint32_t n = slice.first.value; n < last;) {
      const std::uint32_t next = std::min(last, pool_ends_[n]);
      free_[pool_of_[n]] += sign * per_node * (next - n);
      n = next;
    }
  }
  if (pool_of_.empty() && service_.empty()) free_[0] += sign * sum;
  return sum;
}

const std::string& GpuBook::fault() {
  const Int128 capacity = Int128{installed_} * (now_ - from_).count();
  const Int128 classes = total(times_);
  if (classes != capacity)
    blame(now_, "the classes add up to " + to_decimal(classes, kGpuTimeDigits) +
                    " GPU-s, the fleet has " + to_decimal(capacity, kGpuTimeDigits));
  return fault_;
}

void GpuBook::prove() {
  if (!fault().empty())
    fail_check(("the GPU ledger does not balance: " + fault_).c_str(), __FILE__, __LINE__);
}

void GpuBook::blame(SimTime at, const std::string& what) {
  if (fault_.empty()) fault_ = "at " + to_decimal(at.time_since_epoch().count(), 9) + " s, " + what;
}

}  // namespace muster
