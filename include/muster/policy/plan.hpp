#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/cluster/cluster.hpp"
#include "muster/cluster/placements.hpp"
#include "muster/cluster/running.hpp"
#include "muster/core/check.hpp"
#include "muster/core/suspects.hpp"
#include "muster/core/time.hpp"
#include "muster/policy/cause.hpp"
#include "muster/policy/speed.hpp"

namespace muster {

/// How a running job makes room.
enum class PreemptMode : std::uint8_t {
  suspend,    // keeps all of its work, pays nothing (CONVENTIONS C7)
  requeue,    // falls back to its last completed checkpoint, pays a restart
  checkpoint  // writes a checkpoint as it goes: keeps all of its work, pays a restart
};

/// What a policy wants done, applied to the cluster as it is said so that the next question sees
/// the effect. mark()/undo_to() answer "what if" for starts: nothing is copied, the log is walked
/// back. Preemption and reshaping take effect at once, since the victim may be started again in the
/// same pass, and can't be undone; for "what if it were gone" there are lift() and put_back(), or a
/// copy of the cluster.
class Plan final : private Deed {
 public:
  enum class Verb : std::uint8_t { start, acquire, drop };
  struct Step {
    Verb verb;
    JobId job;
    RunningJob running;     // start: its entry
    JobId beside = kNoJob;  // start: who runs on the same GPUs
  };
  struct Promise {
    JobId job;
    SimTime at;
  };
  struct Mark {
    std::size_t steps;
  };

  /// What the engine tells the plan of a job: its demand's share and how long it will be held.
  struct Terms {
    std::uint32_t milli;
    Duration planned;  // overhead included, and `setup`
    Duration overhead;
    Duration grace;
    MigId mig = 0;
    Duration setup{};  // what making its MIG instance takes
  };
  class Host {  // the engine
   public:
    virtual ~Host() = default;
    virtual Terms terms(JobId) const = 0;
    /// Whether there is such a job, and it waits for GPUs.
    virtual bool waits(JobId) const = 0;
    /// Whether there is such a job, and it has GPUs: it runs, or is in its grace time.
    virtual bool runs(JobId) const = 0;
    /// What the trace calls it.
    virtual std::string_view id_text(JobId) const = 0;
    /// What is noted of a job that runs, or is about to.
    virtual RunningJob& entry(JobId) = 0;
    /// How fast `j` would get on at `where`.
    virtual Speed speed(JobId j, std::span<const Slice> where) const = 0;
    /// `victim` was preempted. Its GPUs are back already, or will be after its grace time.
    virtual void preempted(JobId victim, JobId by, PreemptMode mode) = 0;
    /// `j`, which ran on `before`, goes on where it sits by now, after `overhead`. What it did
    /// so far counts, and its terms have changed.
    virtual void reshaped(JobId j, std::span<const Slice> before, Duration overhead, JobId by) = 0;
  };

  /// What the policy says just now, for messages about what it may not.
  class Saying {
   public:
    Saying(Plan& plan, const char* verb, JobId job) : plan_(plan) {
      plan.verb_ = verb;
      plan.job_ = job;
    }
    ~Saying() { plan_.verb_ = nullptr; }
    Saying(const Saying&) = delete;
    Saying& operator=(const Saying&) = delete;

   private:
    Plan& plan_;
  };

  Plan(Host& host, Cluster& cluster, Placements& placements, RunningJobs& running)
      : host_(host), cluster_(cluster), placements_(placements), running_(running) {}

  const Cluster& cluster() const { return cluster_; }

  /// `j`, which waits and was not started before in this pass, takes all of these GPUs, which are free, and runs. An elastic one may get fewer or more than it
  /// asks for. An incomplete gang (see acquire) that now holds all it needs starts with an empty span.
  void start(JobId j, std::span<const Slice> slices);

  /// `j`, which waits, runs on the GPUs of `host`, which runs and goes on: each has half of each GPU's time
  /// in the books, and how fast they are is a matter of Contention. Both want as many whole GPUs, have no
  /// grace time, and are beside nobody else.
  void start_beside(JobId j, JobId host);

  /// `victim`, which runs, gives its GPUs back: at once, or after its grace time, during which it
  /// still holds them (its predicted end moves to then). If it was started in this very pass, that
  /// start is taken back and it never ran. True: they are back.
  bool preempt(JobId victim, JobId by, PreemptMode mode);

  /// `j`, which runs and has not been told to go, goes on with these GPUs, in node order, in place of
  /// those that it holds: it grows, shrinks, or moves. What it did so far is kept (a checkpoint is part
  /// of it), and `overhead` is paid on the new GPUs before work goes on. If it was started in this very
  /// pass, it starts there in the first place and pays nothing. `by`: whom it makes room for, if
  /// anybody: a loser that never gets anything done is named by the engine.
  void reshape(JobId j, std::span<const Slice> slices, Duration overhead, JobId by = kNoJob);

  /// What if `j`, which runs, were gone: until put_back() its GPUs count as free. Whoever is lifted is
  /// put back before anything is said.
  void lift(JobId j) {
    const Saying saying{*this, "lifts", j};
    MUSTER_CHECK(sits(j));
    cluster_.give_back(placements_.of(j), host_.terms(j).milli);
  }
  void put_back(JobId j) {
    const Saying saying{*this, "puts back", j};
    MUSTER_CHECK(sits(j));
    cluster_.take(placements_.of(j), host_.terms(j).milli);
  }

  /// Gangless policies: `j`, incomplete, takes some more GPUs and holds them until it is complete.
  void acquire(JobId j, std::span<const Slice> more);
  /// Gangless policies: incomplete `j` gives back everything it holds.
  void drop(JobId j);

  /// `j` is promised to start by `at`. Said in each pass in which the promise holds; the engine
  /// remembers the first one and counts the broken ones.
  void promise(JobId j, SimTime at) {
    const Saying saying{*this, "promises a start to", j};
    MUSTER_CHECK(host_.waits(j));
    promises_.push_back({j, at});
  }

  /// Why the waiting jobs of `shape` wait. Needed only when it differs from what was said last.
  void explain(ShapeId shape, Cause cause) { causes_.push_back({shape, cause}); }

  /// Something that whoever runs the simulation should know, "code: text". The first hundred are told.
  void warn(std::string text) { warnings_.push_back(std::move(text)); }

  /// Ask for another decision at `t` even if nothing happens by then.
  void wake_at(SimTime t) { wake_ = std::min(wake_, t); }

  Mark mark() const { return {steps_.size()}; }
  void undo_to(Mark m);

  std::span<const Step> steps() const { return steps_; }
  std::span<const Promise> promises() const { return promises_; }
  struct Eviction {
    JobId victim, by;
  };
  /// Who was preempted for whom in this pass, in order.
  std::span<const Eviction> evictions() const { return evictions_; }
  struct ShapeCause {
    ShapeId shape;
    Cause cause;
  };
  std::span<const ShapeCause> causes() const { return causes_; }
  std::span<const std::string> warnings() const { return warnings_; }
  SimTime wake() const { return wake_; }

  /// For the engine: a new pass at `now`.
  void begin(SimTime now) {
    now_ = now;
    steps_.clear();
    promises_.clear();
    evictions_.clear();
    causes_.clear();
    warnings_.clear();
    wake_ = kNever;
  }

 private:
  std::string text() const override;
  /// It has GPUs, if only since this pass.
  bool sits(JobId j) const {
    return (host_.runs(j) || host_.waits(j)) && !placements_.of(j).empty();
  }
  void check_nodes(std::span<const Slice> slices) const;
  std::uint8_t pool_of(std::span<const Slice> slices) const;
  /// `makes`: its MIG instance is made first.
  RunningJob entry_of(JobId j, const Terms& terms, std::uint32_t order, bool makes) const;
  bool started_now(JobId j);
  void take_back(const Step& s);

  Host& host_;
  Cluster& cluster_;
  Placements& placements_;
  RunningJobs& running_;
  std::vector<Step> steps_;
  std::vector<Promise> promises_;
  std::vector<Eviction> evictions_;
  std::vector<ShapeCause> causes_;
  std::vector<std::string> warnings_;
  std::vector<Slice> buffer_;
  SimTime now_ = kStart;
  SimTime wake_ = kNever;
  std::uint32_t starts_ = 0;
  const char* verb_ = nullptr;
  JobId job_ = kNoJob;
};

}  // namespace muster
