#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "muster/cluster/demand.hpp"
#include "muster/engine/simulate.hpp"

namespace muster::test {

/// What the referee must know of a policy to judge its schedule.
struct Rules {
  std::map<std::string, std::int64_t> caps;  // GPUs by queue
  Span span = Span::whole_nodes;
  Level required = Level::fleet;  // for jobs that do not say
  bool gangs_whole = true;        // nobody holds a part of what it needs
  bool cancel_running = false;
  bool lower_priority_victims = true;
  bool by_event = false;  // passes = event: of the events of one instant each has a pass of its own
};

/// Listens to a run and works out from its records alone who holds what. It shares no code with the
/// engine, the cluster or the placers, so it does not share their mistakes either.
class Referee final : public Observer {
 public:
  Referee(const Fleet& fleet, const Workload& workload, Rules rules = {})
      : fleet_(fleet), w_(workload), rules_(std::move(rules)), jobs_(workload.size()) {
    for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n) {
      first_.push_back(used_.size());
      used_.resize(used_.size() + fleet.nodes[NodeId{n}].gpus, 0);
    }
    free_.resize(fleet.pools.size());
    for (const Fleet::Node& node : fleet.nodes) free_[node.pool] += std::int64_t{node.gpus} * 1000;
  }

  void on(const Record& r) override {
    if (r.at < now_) blame(r.job, "time runs back");
    now_ = r.at;
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
      case Record::What::stop:
        return stop(r);
      case Record::What::end:
        return end(r);
    }
  }

  void decided(const Decision& d) override {
    if (d.at < now_) blame(kNoJob, "a decision runs back in time");
    now_ = d.at;
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
    if (run.stopped_early) return;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
      const bool never = cancelled_at_submit(JobId{i});
      if (!never && !jobs_[i].ended) blame(JobId{i}, "never ended");
      if (never && jobs_[i].known)
        blame(JobId{i}, "was cancelled before it was submitted, but is known");
    }
  }

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
    SimTime start{};
    Duration kept{};
    std::vector<Slice> where;
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
    std::vector<Slice> more(r.placement.begin(), r.placement.end());
    put(r.job, job.where, -1);
    put(r.job, more, +1);
    job.where = more;
  }

  void drop(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (rules_.gangs_whole) blame(r.job, "gives back a part of what it needs");
    put(r.job, job.where, -1);
    job.where.clear();
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
    if (!job.where.empty()) put(r.job, job.where, -1);
    job.where.assign(r.placement.begin(), r.placement.end());
    put(r.job, job.where, +1);
    check_shape(r.job, job.where);
    job.running = job.ran = true;
    job.start = r.at;
    ++running_;
    const std::string queue{w_.names[w_.queue[r.job]]};
    const auto cap = rules_.caps.find(queue);
    queue_milli_[queue] += milli_of(r.job, job.where);
    if (cap != rules_.caps.end() && queue_milli_[queue] > cap->second * 1000)
      blame(r.job, "takes queue " + queue + " above its cap");
  }

  void leave(const Record& r, Job& job) {
    if (!std::equal(r.placement.begin(), r.placement.end(), job.where.begin(), job.where.end()))
      blame(r.job, "gives back other GPUs than it was given");
    if (r.kept + r.lost + r.overhead != r.at - job.start)
      blame(r.job, "has run for a time that does not add up");
    if (r.kept < Duration{} || r.lost < Duration{} || r.overhead < Duration{})
      blame(r.job, "has run for less than nothing");
    const Duration restart = Workload::at_or(w_.restart_cost, r.job, kUnknown);
    if (r.overhead > std::max(restart, Duration{}))
      blame(r.job, "pays more for its restart than it costs");
    queue_milli_[std::string{w_.names[w_.queue[r.job]]}] -= milli_of(r.job, job.where);
    put(r.job, job.where, -1);
    job.where.clear();
    job.running = false;
    job.kept += r.kept;
    --running_;
  }

  void stop(const Record& r) {
    Job& job = jobs_[r.job.value];
    if (!job.running) return blame(r.job, "stops, and does not run");
    leave(r, job);
    if (r.lost_earlier > job.kept) blame(r.job, "loses more than it had");
    job.kept -= r.lost_earlier;
    wait(job);
    if (r.by == kNoJob || !rules_.lower_priority_victims) return;
    if (Workload::at_or(w_.priority, r.job, 0) >= Workload::at_or(w_.priority, r.by, 0))
      blame(r.job, "is evicted for a job that is not more urgent");
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
      if (!job.where.empty()) put(r.job, job.where, -1);
      job.where.clear();
    }
    job.held = false;
    job.ended = true;
    if (r.state == JobState::completed && job.kept != w_.truth.duration[r.job])
      blame(r.job, "completes with more or less work than it has");
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

  /// Takes (+1) or gives back (-1) each GPU, one by one.
  void put(JobId j, const std::vector<Slice>& where, int sign) {
    const std::int64_t milli = shape(j).milli;
    for (const Slice& s : where)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
        if (n >= first_.size()) return blame(j, "holds a node that does not exist");
        const Fleet::Node& node = fleet_.nodes[NodeId{n}];
        for (std::uint32_t g = 0; g < 64; ++g) {
          if (!((s.gpus >> g) & 1)) continue;
          if (g >= node.gpus) return blame(j, "holds a GPU that does not exist");
          std::int64_t& used = used_[first_[n] + g];
          used += sign * milli;
          free_[node.pool] -= sign * milli;
          if (used > 1000)
            blame(j, "holds a GPU that another job holds (n" + std::to_string(n) + ")");
          if (used < 0) blame(j, "gives back a GPU that nobody holds");
        }
      }
  }

  /// GPUs by node.
  std::map<std::uint32_t, std::uint32_t> by_node(JobId j, const std::vector<Slice>& where) {
    std::map<std::uint32_t, std::uint32_t> gpus;
    for (const Slice& s : where)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count && n < first_.size(); ++n)
        if (!gpus.emplace(n, count(s.gpus)).second) blame(j, "names a node twice");
    return gpus;
  }

  void check_shape(JobId j, const std::vector<Slice>& where) {
    const Shape& s = shape(j);
    const auto gpus = by_node(j, where);
    if (gpus.empty()) return blame(j, "starts with nothing");
    std::uint32_t sum = 0;
    for (const auto& [node, n] : gpus) {
      sum += n;
      if (!allowed(j, fleet_.pools[fleet_.nodes[NodeId{node}].pool].gpu_type))
        blame(j, "is on GPUs of a type it does not take");
    }
    if (s.milli < 1000) {
      if (sum != 1) blame(j, "wants a part of one GPU and holds several");
    } else if (s.tasks != NameId{}) {
      check_tasks(j, gpus);
    } else if (s.nodes > 0) {
      if (gpus.size() != s.nodes) blame(j, "is on another number of nodes than it wants");
      for (const auto& [node, n] : gpus)
        if (n != (s.gpus_per_node ? s.gpus_per_node : fleet_.nodes[NodeId{node}].gpus))
          blame(j, "holds another number of GPUs on a node than it wants");
    } else {
      if (sum != s.gpus) blame(j, "holds another number of GPUs than it wants");
      if (rules_.span != Span::any) check_cut(j, gpus);
    }
    check_level(j, gpus);
  }

  /// As few nodes as possible, and whole ones but for the last. Said of fleets whose nodes are alike.
  void check_cut(JobId j, const std::map<std::uint32_t, std::uint32_t>& gpus) {
    for (const Fleet::Node& node : fleet_.nodes)
      if (node.gpus != fleet_.widest) return;
    const std::uint32_t wants = shape(j).gpus;
    if (gpus.size() != (wants + fleet_.widest - 1) / fleet_.widest)
      return blame(j, "is spread over more nodes than it needs");
    std::uint32_t partly = 0;
    for (const auto& [node, n] : gpus) partly += n < fleet_.widest;
    if (partly > 1) blame(j, "is on several nodes in part");
  }

  void check_tasks(JobId j, const std::map<std::uint32_t, std::uint32_t>& gpus) {
    std::vector<std::uint32_t> tasks(1, 0), room;
    for (const char c : w_.names[shape(j).tasks]) {
      if (c == '+')
        tasks.push_back(0);
      else
        tasks.back() = tasks.back() * 10 + static_cast<std::uint32_t>(c - '0');
    }
    std::sort(tasks.rbegin(), tasks.rend());
    for (const auto& [node, n] : gpus) room.push_back(n);
    if (!pack_tasks(tasks, 0, room) ||
        std::any_of(room.begin(), room.end(), [](std::uint32_t n) { return n > 0; }))
      blame(j, "holds GPUs that its tasks do not divide into");
  }

  static bool pack_tasks(const std::vector<std::uint32_t>& tasks, std::size_t i,
                         std::vector<std::uint32_t>& room) {
    if (i == tasks.size())
      return std::all_of(room.begin(), room.end(), [](std::uint32_t n) { return n == 0; });
    for (std::uint32_t& n : room) {
      if (n < tasks[i]) continue;
      n -= tasks[i];
      if (pack_tasks(tasks, i + 1, room)) return true;
      n += tasks[i];
    }
    return false;
  }

  void check_level(JobId j, const std::map<std::uint32_t, std::uint32_t>& gpus) {
    Level level = shape(j).required == Level::fleet ? rules_.required : shape(j).required;
    if (gpus.size() < 2) return;
    if (level == Level::node) return blame(j, "must be on one node");
    if (level == Level::fleet) level = Level::fabric;
    const auto& domains = fleet_.domains[static_cast<std::size_t>(level)];
    const auto domain = std::find_if(domains.begin(), domains.end(), [&](const NodeRange& d) {
      return d.first <= gpus.begin()->first && gpus.begin()->first < d.last;
    });
    if (domain != domains.end() && gpus.rbegin()->first >= domain->last)
      blame(j, "is spread over several domains");
  }

  bool allowed(JobId j, std::string type) const {
    const std::string_view types = w_.names[shape(j).types];
    if (types.empty()) return true;
    std::string word;
    const auto lower = [](std::string text) {
      for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      return text;
    };
    type = lower(type);
    for (std::size_t i = 0; i <= types.size(); ++i) {
      if (i < types.size() && types[i] != '|') {
        word += types[i];
      } else {
        if (lower(word) == type) return true;
        word.clear();
      }
    }
    return false;
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
  std::vector<Job> jobs_;
  std::vector<std::size_t> first_;  // by node: where its GPUs begin in used_
  std::vector<std::int64_t> used_;  // thousandths of each GPU
  std::vector<std::int64_t> free_;  // by pool
  std::map<std::string, std::int64_t> queue_milli_;
  std::uint32_t running_ = 0, waiting_ = 0;
  SimTime now_ = kStart;
  std::vector<std::string> faults_;
};

}  // namespace muster::test
