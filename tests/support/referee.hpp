#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "muster/core/int128.hpp"
#include "muster/engine/simulate.hpp"
#include "support/referee_outages.hpp"
#include "support/referee_placement.hpp"
#include "support/referee_storage.hpp"

namespace muster::test {

/// Listens to a run and works out from its records alone who holds what. It shares no code with the
/// engine, the cluster or the placers, so it does not share their mistakes either.
class Referee final : public Observer {
 public:
  Referee(const Fleet& fleet, const Workload& workload, Rules rules = {})
      : fleet_(fleet),
        w_(workload),
        rules_(std::move(rules)),
        judge_(fleet, workload, rules_),
        outages_(fleet, workload, rules_),
        storage_(workload, rules_.outages),
        jobs_(workload.size()) {
    for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n) {
      first_.push_back(used_.size());
      used_.resize(used_.size() + fleet.nodes[NodeId{n}].gpus, 0);
    }
    free_.resize(fleet.pools.size());
    for (const Fleet::Node& node : fleet.nodes)
      free_[node.pool] += std::int64_t{node.gpus} * whole(node);
  }

  void on(const Record& r) override {
    if (r.at < now_) blame(r.job, "time runs back");
    advance(r.at);
    if (r.job.value >= jobs_.size()) return blame(r.job, "is no job of this workload");
    switch (r.what) {
      case Record::What::submit:
        return submit(r);
      case Record::What::release:
        return release(r);
      case Record::What::reject:
        return reject(r);
      case Record::What::acquire:
        return acquire(r);
      case Record::What::drop:
        return drop(r);
      case Record::What::start:
        return start(r);
      case Record::What::reshape:
        return reshape(r);
      case Record::What::reprice:
        return reprice(r);
      case Record::What::stop:
        return stop(r);
      case Record::What::end:
        return end(r);
    }
  }

  void node(const NodeRecord& r) override {
    if (r.at < now_) blame(kNoJob, "time runs back");
    advance(r.at);
    std::int64_t unheld = 0;
    const Fleet::Node& node = fleet_.nodes[r.node];
    for (std::uint32_t g = 0; g < node.gpus; ++g)
      unheld += whole(node) - used_[first_[r.node.value] + g];
    if (!outages_.changes(r)) blame(kNoJob, "a node changes from a state that it was not in");
    if (r.before == Service::up) free_[node.pool] -= unheld;
    if (r.after == Service::up) free_[node.pool] += unheld;
    if ((r.before == Service::up || r.after == Service::up) && r.milli != unheld)
      blame(kNoJob, "a node leaves or comes back with other GPUs than nobody holds");
  }

  void decided(const Decision& d) override {
    if (d.at < now_) blame(kNoJob, "a decision runs back in time");
    advance(d.at);
    if (d.pools.size() != free_.size()) return blame(kNoJob, "a decision about other pools");
    for (std::size_t p = 0; p < free_.size(); ++p)
      if (d.pools[p].free_milli != free_[p])
        blame(kNoJob, "a decision says " + std::to_string(d.pools[p].free_milli) +
                          " thousandths are free, " + std::to_string(free_[p]) + " are");
    if (d.running != running_)
      blame(kNoJob, "a decision says " + std::to_string(d.running) + " jobs run, " +
                        std::to_string(running_) + " do");
    if (d.waiting != waiting_)
      blame(kNoJob, "a decision says " + std::to_string(d.waiting) + " jobs wait, " +
                        std::to_string(waiting_) + " do");
  }

  /// After the run.
  void close(const RunSummary& run) {
    advance(run.end);
    outages_.close(run, [&](const std::string& what) { blame(kNoJob, what); });
    bool stuck = false;
    for (const Finding& f : run.findings)
      if (f.kind == Finding::Kind::deadlock) stuck = deadlocked(f);
    if (run.stopped_early || stuck) return;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
      const bool never = cancelled_at_submit(JobId{i});
      const bool waits_in_vain =
          running_ == 0 && !jobs_[i].running && outages_.may_never_be_enough();
      if (!never && !jobs_[i].ended && !waits_in_vain) blame(JobId{i}, "never ended");
      if (never && jobs_[i].known)
        blame(JobId{i}, "was cancelled before it was submitted, but is known");
    }
  }

  /// GPU time in thousandth-GPU nanoseconds: of jobs that hold all they need, and of those that hold
  /// a part of it.
  Int128 computed() const { return computed_; }
  Int128 hoarded() const { return hoarded_; }

  const std::vector<std::string>& faults() const { return faults_; }
  /// All faults in one text; empty if there are none.
  std::string verdict() const {
    std::string text;
    for (const std::string& fault : faults_) text += fault + "\n";
    return text;
  }

 private:
  struct Job {
    bool known = false, held = false, waiting = false, running = false, ended = false,
         rejected = false;
    bool ran = false;
    SimTime start{};     // of this run, or of its last reshape
    Duration may_pay{};  // before it works
    Int128 work = 0;     // kept, in units of its speed
    std::int64_t last_speed = 1, unit = 1;
    std::vector<std::pair<SimTime, std::int64_t>> repriced;  // of this run: since when, how fast
    SimTime gathers = kNever;                                // holds a part of what it needs since
    Duration kept{};
    std::size_t failed = 0;  // attempts, by itself
    Duration setup{};        // of this run
    std::int64_t share = 0;  // of each GPU, where another job has the rest
    std::vector<Slice> where;
  };
  struct Instance {
    std::uint32_t first, last;  // bits of the node's mask
    MigId profile;
    friend bool operator==(const Instance&, const Instance&) = default;
  };

  void submit(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (job.known) blame(r.job, "is submitted twice");
    if (r.at != w_.submit[r.job])
      blame(r.job, "is submitted at another time than the workload says");
    if (cancelled_at_submit(r.job)) blame(r.job, "is submitted, though it was cancelled by then");
    job.known = true;
    job.held = !dependencies_ended(r.job);
    if (r.state != (job.held ? JobState::held : JobState::pending))
      blame(r.job, "is held or pending, and should not be");
    if (!job.held) wait(job);
  }

  void release(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (!job.held || !dependencies_ended(r.job))
      blame(r.job, "is released, but still waits for another job");
    job.held = false;
    wait(job);
  }

  void reject(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (!job.known || job.ran || job.running) blame(r.job, "is rejected, though it ran");
    if (job.waiting) unwait(job);
    job.ended = job.rejected = true;
  }

  void acquire(const Record& r) {
    if (rules_.gangs_whole) blame(r.job, "takes a part of what it needs");
    Job& job = jobs_[r.job.value];
    if (!job.waiting) blame(r.job, "takes GPUs, and is not waiting");
    const std::vector<Slice> now(r.placement.begin(), r.placement.end());
    const std::int64_t before = put(r.job, job.where, -1), after = put(r.job, now, +1);
    held_in_part_ += before + after;
    // Each record of an instant lists what the job holds at its end, so the second may add nothing.
    if (now.size() < job.where.size() ||
        !std::equal(job.where.begin(), job.where.end(), now.begin()))
      blame(r.job, "takes more GPUs, and gives up some that it had");
    if (after > std::int64_t{judge_.most(r.job)} * shape(r.job).milli)
      blame(r.job, "takes more GPUs than it needs");
    if (job.gathers == kNever) job.gathers = r.at;
    job.where = now;
  }

  void drop(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (rules_.gangs_whole) blame(r.job, "gives back a part of what it needs");
    if (job.gathers == kNever) blame(r.job, "gives back GPUs, and holds none");
    scatter(r, job);
  }

  /// An incomplete gang holds nothing any more.
  void scatter(const Record& r, Job& job) {
    if (!std::equal(r.placement.begin(), r.placement.end(), job.where.begin(), job.where.end()) &&
        r.what == Record::What::drop)
      blame(r.job, "gives back other GPUs than it took");
    held_in_part_ += put(r.job, job.where, -1);
    job.where.clear();
    job.gathers = kNever;
  }

  void start(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (!job.known || job.ended || job.held) blame(r.job, "starts, and is not waiting");
    if (job.running) blame(r.job, "starts while it runs");
    if (r.at < w_.submit[r.job]) blame(r.job, "starts before it is submitted");
    const Duration cancel = Workload::at_or(w_.cancel, r.job, kUnknown);
    const SimTime last = cancel == kUnknown ? kNever : w_.submit[r.job] + cancel;
    const bool bound = !job.ran || rules_.cancel_running;
    if (bound && (r.at > last || (r.at == last && !rules_.by_event)))
      blame(r.job, "starts after it was cancelled");
    if (job.waiting) unwait(job);
    const std::vector<Slice> now(r.placement.begin(), r.placement.end());
    if (job.gathers != kNever) {
      if (now != job.where) blame(r.job, "starts on other GPUs than it took");
      scatter(r, job);
    } else if (!rules_.gangs_whole) {
      blame(r.job, "starts without having taken its GPUs");
    }
    job.where = now;
    job.share = r.share;
    held_whole_ += put(r.job, job.where, +1);
    judge_.judge(r.job, job.where, [&](const std::string& what) { blame(r.job, what); });
    job.setup = make_instance(r.job, job.where);
    outages_.starts(r, !job.ran, [&](JobId j, const std::string& what) { blame(j, what); });
    job.running = job.ran = true;
    job.start = r.at;
    const Duration said = Workload::at_or(w_.restart_cost, r.job, kUnknown);
    job.may_pay = said == kUnknown ? rules_.restart_cost : said;
    ++running_;
    charge_queue(r.job, job);
  }

  void charge_queue(JobId j, const Job& job) {
    const std::string queue{w_.names[w_.queue[j]]};
    const auto cap = rules_.caps.find(queue);
    queue_milli_[queue] += milli_of(j, job.where);
    if (cap != rules_.caps.end() && queue_milli_[queue] > cap->second * 1000)
      blame(j, "takes queue " + queue + " above its cap");
  }

  /// As if it stopped without losing anything, and started again at once.
  void reshape(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (!job.running) return blame(r.job, "is reshaped, and does not run");
    if (r.state != JobState::running) blame(r.job, "is reshaped, and then does not run");
    if ((r.lost != Duration{} && !r.interrupted) || r.lost_earlier != Duration{})
      blame(r.job, "loses work by being reshaped");
    settle(r, job, r.before);
    job.where.assign(r.placement.begin(), r.placement.end());
    job.share = r.share;
    held_whole_ += put(r.job, job.where, +1);
    judge_.judge(r.job, job.where, [&](const std::string& what) { blame(r.job, what); });
    job.start = r.at;
    job.setup = {};
    const Duration said = Workload::at_or(w_.restart_cost, r.job, kUnknown);
    job.may_pay = std::max(rules_.reshape_cost, said == kUnknown ? rules_.restart_cost : said);
    if (r.interrupted && rules_.outages) job.may_pay += rules_.outages->reaction.activation;
    charge_queue(r.job, job);
  }

  /// Only where shares of a GPU disturb each other: as fast as its neighbours by now let it be. Or on the
  /// network, where nobody is faster than alone; how fast is for the tests of contention.
  void reprice(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (!job.running) return blame(r.job, "gets on at another speed, and does not run");
    if (rules_.slow || (rules_.network && nodes_in(job.where) > 1)) {
      const std::int64_t gpus = milli_of(r.job, job.where) / shape(r.job).milli;
      const auto [alone, unit] = judge_.speed(r.job, gpus, job.where);
      if (r.speed.den != unit || r.speed.num > alone)
        blame(r.job, "is faster than alone, because of others");
      job.repriced.emplace_back(r.at, r.speed.num);
      return;
    }
    const bool shares = shape(r.job).milli < 1000 || (job.share > 0 && job.share < 1000);
    if (rules_.interference == 0 || !shares || shape(r.job).mig != 0)
      return blame(r.job, "gets on at another speed, and nobody disturbs it");
    std::int64_t here = 0;
    for (const Job& other : jobs_) here += other.running && other.where == job.where;
    const std::int64_t gpus = milli_of(r.job, job.where) / shape(r.job).milli;
    const auto [alone, unit] = judge_.speed(r.job, gpus, job.where);
    const double factor = 1 / (1 + rules_.interference * static_cast<double>(here - 1));
    const double speed = static_cast<double>(alone) * std::round(factor * 1e6) / 1e6;
    if (r.speed.num != std::llround(speed) || r.speed.den != unit)
      blame(r.job, "gets on at " + std::to_string(r.speed.num) + " of a million beside " +
                       std::to_string(here - 1) + " others");
    job.repriced.emplace_back(r.at, r.speed.num);
  }

  static std::uint32_t nodes_in(const std::vector<Slice>& where) {
    std::uint32_t nodes = 0;
    for (const Slice& slice : where) nodes += slice.count;
    return nodes;
  }

  void leave(const Record& r, Job& job) {
    settle(r, job, r.placement);
    job.running = false;
    --running_;
  }

  /// What it did where it was until now, and it holds nothing there any more.
  void settle(const Record& r, Job& job, std::span<const Slice> held) {
    if (!std::equal(held.begin(), held.end(), job.where.begin(), job.where.end()))
      blame(r.job, "gives back other GPUs than it was given");
    if (r.kept + r.lost + r.overhead + r.checkpoint != r.at - job.start)
      blame(r.job, "has run for a time that does not add up");
    if (std::min({r.kept, r.lost, r.overhead, r.checkpoint}) < Duration{})
      blame(r.job, "has run for less than nothing");
    storage_.settle(r, [&](const std::string& what) { blame(r.job, what); });
    if (r.overhead > job.may_pay + job.setup && !outages_.takes_time_to_be_ready() &&
        !storage_.reads_slowly())
      blame(r.job, "pays more for its restart, or its MIG instance, than it costs");
    if (r.kept > Duration{} && r.overhead < job.setup)
      blame(r.job, "works before its MIG instance is made");
    const std::int64_t gpus = milli_of(r.job, job.where) / shape(r.job).milli;
    const auto [done, unit] = judge_.speed(r.job, gpus, job.where);
    queue_milli_[std::string{w_.names[w_.queue[r.job]]}] -= milli_of(r.job, job.where);
    held_whole_ += put(r.job, job.where, -1);
    job.where.clear();
    job.kept += r.kept;
    job.last_speed = done;
    job.unit = unit;
    Duration from{};  // of the time that it worked
    const Duration until = r.kept + (r.failed ? r.lost : Duration{});
    for (const auto& [since, speed] : job.repriced) {
      const Duration to = std::clamp(worked(r.job, since - (job.start + r.overhead)), from, until);
      job.work += Int128{(to - from).count()} * job.last_speed;
      from = to;
      job.last_speed = speed;
    }
    job.work += Int128{(until - from).count()} * job.last_speed;
    job.repriced.clear();
  }

  /// How much of so much time of a run is work: after each interval it stops to write a checkpoint.
  Duration worked(JobId j, Duration time) const {
    const Duration interval = Workload::at_or(w_.checkpoint_interval, j, kUnknown);
    const Duration stop = std::max(Workload::at_or(w_.checkpoint_cost, j, kUnknown), Duration{});
    if (interval <= Duration{} || time <= Duration{}) return time;
    return time / (interval + stop) * interval + std::min(time % (interval + stop), interval);
  }

  void stop(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (!job.running) return blame(r.job, "stops, and does not run");
    leave(r, job);
    if (r.lost_earlier > job.kept) blame(r.job, "loses more than it had");
    job.kept -= r.lost_earlier;
    if (r.failed) fail(r, job);
    wait(job);
    if (r.by == kNoJob || !rules_.lower_priority_victims) return;
    if (Workload::at_or(w_.priority, r.job, 0) >= Workload::at_or(w_.priority, r.by, 0))
      blame(r.job, "is evicted for a job that is not more urgent");
  }

  /// An attempt has come to its end, and not a nanosecond later. What the run did and lost is a part of it.
  void fail(const Record& r, Job& job) {
    if (r.interrupted || r.slow || r.by != kNoJob)
      blame(r.job, "fails by itself because of others");
    if (job.failed >= w_.failed_attempts(r.job))
      return blame(r.job, "fails more often than it should");
    ran_all(r, job, job.work, w_.attempt(r.job, job.failed++),
            "fails before or after the end of an attempt");
    job.work = 0;
  }

  /// That much work is all there was, and the last nanosecond was needed for it.
  void ran_all(const Record& r, const Job& job, Int128 work, Duration all, const char* otherwise) {
    const Int128 units = Int128{all.count()} * job.unit;
    if (work < units || work >= units + job.last_speed) blame(r.job, otherwise);
  }

  void end(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (!job.known) blame(r.job, "ends before it is submitted");
    if (job.ended) return blame(r.job, "ends twice");
    if (job.running) {
      leave(r, job);
      if (r.state == JobState::cancelled_pending)
        blame(r.job, "was running when it was cancelled, not pending");
    } else {
      if (job.waiting) unwait(job);
      if (r.state != JobState::cancelled_pending) blame(r.job, "ends without running");
      if (job.gathers != kNever) blame(r.job, "ends with GPUs that it did not give back");
    }
    job.held = false;
    job.ended = true;
    if (r.state == JobState::completed) {
      ran_all(r, job, job.work, w_.truth.duration[r.job],
              "completes with more or less work than it has");
      if (job.failed != w_.failed_attempts(r.job)) blame(r.job, "completes too early an attempt");
    }
    if (r.state != JobState::completed && r.lost_earlier != job.kept)
      blame(r.job, "did not complete, and keeps some work");
  }

  void wait(Job& job) {
    job.waiting = true;
    ++waiting_;
  }
  void unwait(Job& job) {
    job.waiting = false;
    --waiting_;
  }

  bool cancelled_at_submit(JobId j) const {
    const Duration cancel = Workload::at_or(w_.cancel, j, kUnknown);
    return cancel != kUnknown && cancel <= Duration{};
  }
  bool dependencies_ended(JobId j) const {
    const auto found = w_.depends_on.find(j);
    if (found == w_.depends_on.end()) return true;
    return std::all_of(found->second.begin(), found->second.end(), [&](JobId before) {
      if (jobs_[before.value].ended) return true;
      return cancelled_at_submit(before) && w_.submit[before] <= now_;
    });
  }

  const Shape& shape(JobId j) const { return w_.shapes[w_.shape[j]]; }

  std::int64_t milli_of(JobId j, const std::vector<Slice>& where) const {
    std::int64_t gpus = 0;
    for (const Slice& s : where) gpus += std::int64_t{s.count} * count(s.gpus);
    return gpus * shape(j).milli;
  }

  /// Thousandths of a GPU that a bit of a mask stands for: a GPU, or a slot of one.
  std::int64_t whole(const Fleet::Node& node) const {
    return fleet_.pools[node.pool].mig ? 125 : 1000;
  }

  /// Instances stand where they were made. What the job pays to have its own made, if it must be.
  Duration make_instance(JobId j, const std::vector<Slice>& where) {
    if (shape(j).mig == 0 || where.size() != 1 || where[0].gpus == 0) return {};
    if (!fleet_.pools[fleet_.nodes[where[0].first].pool].mig->fixed().empty()) return {};
    std::uint32_t first = 0;
    while (!((where[0].gpus >> first) & 1)) ++first;
    const std::uint32_t last = first + judge_.mig(j).slots;
    auto& here = instances_[where[0].first.value];
    const Instance own{first, last, shape(j).mig};
    if (std::find(here.begin(), here.end(), own) != here.end()) return {};
    std::erase_if(here, [&](const Instance& x) { return x.first < last && first < x.last; });
    here.push_back(own);
    return rules_.mig_reconfigure;
  }

  /// Takes (+1) or gives back (-1) each GPU, one by one; returns thousandths of GPUs, with that sign.
  std::int64_t put(JobId j, const std::vector<Slice>& where, int sign) {
    const std::int64_t share = jobs_[j.value].share;
    const std::int64_t milli = share != 0 ? share : shape(j).milli;
    std::int64_t sum = 0;
    for (const Slice& s : where)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
        if (n >= first_.size()) return blame(j, "holds a node that does not exist"), sum;
        const Fleet::Node& node = fleet_.nodes[NodeId{n}];
        for (std::uint32_t g = 0; g < 64; ++g) {
          if (!((s.gpus >> g) & 1)) continue;
          if (g >= node.gpus) return blame(j, "holds a GPU that does not exist"), sum;
          std::int64_t& used = used_[first_[n] + g];
          used += sign * milli;
          if (outages_.in_service(NodeId{n})) free_[node.pool] -= sign * milli;
          sum += sign * milli;
          if (used > whole(node))
            blame(j, "holds a GPU that another job holds (n" + std::to_string(n) + ")");
          if (used < 0) blame(j, "gives back a GPU that nobody holds");
        }
      }
    return sum;
  }

  void advance(SimTime t) {
    if (t <= now_) return;
    outages_.judge(now_, t, jobs_, [&](JobId j, const std::string& what) { blame(j, what); });
    computed_ += Int128{held_whole_} * (t - now_).count();
    hoarded_ += Int128{held_in_part_} * (t - now_).count();
    now_ = t;
    if (rules_.timeout == kUnknown) return;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (jobs_[i].gathers != kNever && t > gives_up(jobs_[i].gathers))
        blame(JobId{i}, "holds a part of what it needs for longer than the time-out");
  }

  /// When a gang that holds a part since `since` has to give it back.
  SimTime gives_up(SimTime since) const {
    const SimTime due = since + rules_.timeout;
    if (rules_.interval == Duration{}) return due;
    const Duration over = due.time_since_epoch() % rules_.interval;
    return over == Duration{} ? due : due + (rules_.interval - over);
  }

  /// What is called a deadlock is one: nobody runs, and all that are named wait and hold a part.
  bool deadlocked(const Finding& f) {
    if (rules_.timeout != kUnknown)
      blame(kNoJob, "a deadlock, and everybody would give up in time");
    if (running_ > 0) blame(kNoJob, "a deadlock, and there are jobs that run");
    std::vector<JobId> gather;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (jobs_[i].gathers != kNever) gather.push_back(JobId{i});
    if (gather.empty() && outages_.may_never_be_enough()) return true;
    if (gather.empty() || gather != f.jobs)
      blame(kNoJob, "a deadlock of other jobs than those that hold a part");
    return true;
  }

  void blame(JobId j, const std::string& what) {
    if (faults_.size() >= 20) return;
    const std::string who =
        j == kNoJob || j.value >= w_.size() ? "" : "job " + std::string{w_.id_text(j)} + " ";
    faults_.push_back("at " + std::to_string(seconds(now_)) + " s: " + who + what);
  }

  const Fleet& fleet_;
  const Workload& w_;
  Rules rules_;
  PlacementJudge judge_;
  OutageJudge outages_;
  StorageJudge storage_;
  std::vector<Job> jobs_;
  std::vector<std::size_t> first_;  // by node: where its GPUs begin in used_
  std::vector<std::int64_t> used_;  // thousandths of each GPU
  std::vector<std::int64_t> free_;  // by pool
  std::map<std::string, std::int64_t> queue_milli_;
  std::uint32_t running_ = 0, waiting_ = 0;
  SimTime now_ = kStart;
  std::int64_t held_whole_ = 0, held_in_part_ = 0;  // thousandths of GPUs
  Int128 computed_ = 0, hoarded_ = 0;
  std::map<std::uint32_t, std::vector<Instance>> instances_;  // by node, idle ones too
  std::vector<std::string> faults_;
};

}  // namespace muster::test
