#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "availability.hpp"
#include "dependencies.hpp"
#include "disturbed.hpp"
#include "livelock.hpp"
#include "muster/core/hash.hpp"
#include "muster/core/int128.hpp"
#include "muster/core/job_slots.hpp"
#include "muster/engine/event_queue.hpp"
#include "muster/engine/simulate.hpp"
#include "muster/policy/contention.hpp"
#include "muster/policy/parts/predictor.hpp"
#include "storage.hpp"

namespace muster {

/// The loop behind simulate() and why(). The only writer of cluster, placements and job states:
/// a policy's plan is carried out here and nowhere else.
class Engine final : private Plan::Host {
 public:
  Engine(const Fleet& fleet, const Workload& workload, Policy& policy, const EngineOptions& options,
         Observer& observer, std::uint64_t seed);

  /// Called after each pass; returning false ends the run.
  using AfterPass = std::function<bool(const View&)>;
  RunSummary run(const ProgressFn& progress, const AfterPass& after_pass = {});

  bool waits(JobId j) const override {
    return j.value < state_.size() && state_[j] == JobState::pending;
  }
  std::string_view id_text(JobId j) const override {
    return j.value < state_.size() ? workload_.id_text(j) : "?";
  }
  /// Nothing changes before then; kNever: nothing will any more.
  SimTime next_instant() const {
    return over() ? kNever : std::min(queue_.next_time(), next_arrival());
  }
  /// It waits for others to end.
  bool held(JobId j) const { return state_[j] == JobState::held; }
  bool runs(JobId j) const override {
    return j.value < state_.size() && state_[j] == JobState::running;
  }
  std::span<const Slice> where(JobId j) const { return placements_.of(j); }
  /// Of a job that runs.
  std::vector<Contention::Term> cost_terms(JobId j) const {
    return contention_ ? contention_->terms(j) : std::vector<Contention::Term>{};
  }
  /// How much of its work a job that runs does per unit of time.
  double pace(JobId j) const {
    const Speed& speed = live_[j].speed;
    return static_cast<double>(speed.num) / speed.den;
  }
  bool gone(JobId j) const { return state_[j] > JobState::running; }
  /// It began to wait, and no pass has looked at it yet.
  bool unseen(JobId j) const {
    return std::find(joined_.begin(), joined_.end(), j) != joined_.end();
  }

 private:
  /// A job that was submitted and has not ended.
  struct alignas(64) Live {      // whole cache lines: two
    Duration remaining{};        // work still to do, in whole nanoseconds at speed 1 ...
    Duration kept{};             // time of earlier runs that counts, on the clock
    SimTime start = kNever;      // of this run, or of its last reshape
    SimTime stop_from = kNever;  // grace time began
    SimTime promised = kNever;   // the first promise of a start
    std::uint32_t part = 0;      // ... and so many speed.den-ths of another one
    Speed speed;                 // of this run, or the last one
    std::uint32_t epoch = 0;
    JobId by = kNoJob;  // whom it makes room for
    PreemptMode mode = PreemptMode::suspend;
    bool ran = false;     // had a run before, so the next one pays a restart
    bool hung = false;    // a node that it is on has left: this run comes to nothing
    bool saving = false;  // it writes a checkpoint in its grace time
    bool got_on = false;  // kept something of this run already, where it was resized or moved
    bool failed = false;  // by itself: it is tried again
    bool slow = false;    // a node that it is on was found slow
    std::uint32_t interruptions = 0;
    RunningJob entry;  // of this run, or the last one
    /// Of a run whose speed has changed since it started or was reshaped: what it did before.
    struct Stretch {
      Duration until;  // on the clock, overhead not counted
      std::uint32_t num;
    };
    std::unique_ptr<std::vector<Stretch>> earlier;

    /// Work to do when it started or was reshaped, in speed.den-ths of a nanosecond.
    Int128 left() const { return Int128{remaining.count()} * speed.den + part; }
    /// What it has done of that after so long, overhead not counted.
    Int128 done_in(Duration on_clock) const {
      return earlier ? done_in_stretches(on_clock) : Int128{on_clock.count()} * speed.num;
    }
    Int128 done_in_stretches(Duration on_clock) const;
    /// How long that much of it takes.
    Duration time_to(Int128 units) const {
      return earlier ? time_to_by_stretches(units) : time_for(units, speed);
    }
    Duration time_to_by_stretches(Int128 units) const;
    /// That much of it is done, and a new stretch begins; returns how many whole nanoseconds at speed 1.
    Duration work_off(Duration on_clock);
    void set_speed(Speed s);
    /// The speed of this run from `on_clock` on.
    void change_speed(Duration on_clock, Speed s);
  };
  /// What each of two jobs on one GPU is charged for it.
  static constexpr std::uint32_t kHalf = 500;
  /// With passes = event: a run that ends at this instant.
  struct Ending {
    JobId job;
    std::uint32_t epoch;
    bool released;  // at the start of the instant
  };

  Plan::Terms terms(JobId j) const override;
  RunningJob& entry(JobId j) override { return live_[j].entry; }
  Speed speed(JobId j, std::span<const Slice> where) const override {
    return jobs_.speed(j, where);
  }
  void preempted(JobId victim, JobId by, PreemptMode mode) override;
  void reshaped(JobId j, std::span<const Slice> before, Duration overhead, JobId by) override;
  enum class Mover : std::uint8_t { policy, outage, found_slow };
  Duration move_run(JobId j, std::span<const Slice> before, Duration overhead, Duration kept,
                    JobId by, Mover mover, std::uint32_t share = 0, Duration read = {});
  void enter_run(JobId j);

  // Two jobs on the same GPUs (packing.cpp).
  bool pair_up(JobId j, JobId host);
  /// `j` leaves the job that it runs beside, if any.
  void part(JobId j) {
    if (!beside_.empty()) separate(j);
  }
  void separate(JobId j);
  bool left_behind(JobId j) const;
  void share_gpus(JobId j, std::uint32_t milli);
  void plan_end(JobId j);
  void reprice(JobId j, Speed speed, const TimeSplit& split);
  void tell_paces();
  void replan(JobId j, Speed speed);
  void settle_contention();
  bool right_size(JobId j) const;

  /// The time of the present run up to some instant, by what became of it (checkpoints.cpp).
  struct Spent {
    Duration overhead{}, work{}, checkpoint{};
    Duration saved{};  // work up to the last completed checkpoint
  };
  Spent spent(JobId j, SimTime until) const;
  Duration write_time(JobId j) const;
  Duration checkpoint_cost(JobId j) const;
  /// How long `work` on the clock takes with the checkpoints that are written on the way: none at its end.
  Duration with_checkpoints(JobId j, Duration work) const {
    return workload_.checkpoint_interval.empty() ? work : with_those_written(j, work);
  }
  Duration with_those_written(JobId j, Duration work) const;

  // Storage that jobs share (storage.cpp).
  static bool reads_first(const Live& s) { return s.ran && s.mode != PreemptMode::suspend; }
  bool writes_shared(JobId j) const;
  Duration stops_for(JobId j) const;
  Duration restore_time(JobId j) const;
  void begin_stage(JobId j, Duration read);
  void end_stage(JobId j);
  Spent spent_by_stage(JobId j, const Storage::Stage& stage, SimTime until) const;
  void enter_stage(JobId j, Storage::Stage& stage);
  void plan_stage(JobId j, Storage::Stage& stage, Duration all);
  void next_stage(JobId j);
  void begin_flow(JobId j, Duration alone);
  void take_checkpoint(JobId j, Storage::Stage& stage);
  void storage_event(const Event& e);
  void moved(JobId j);
  void be_late(JobId j, Storage::Stage& stage, SimTime through);
  void settle_storage();
  void stop_storing(JobId j);
  Duration left_to_read(JobId j) const;
  Duration saving_time_shared(JobId j) const;
  void save_shared(JobId j);
  bool has_saved(JobId j) const;
  void tell_open_runs();

  // Jobs that fail by themselves (attempts.cpp).
  std::size_t failed_before(JobId j) const;
  Duration work_of_attempt(JobId j) const;
  bool attempt_fails(JobId j) const;
  bool try_again(JobId j);
  bool retries_used_up(JobId j);
  void note_own_failure(JobId j, Duration lost);
  Int128 gpu_time(JobId j, Duration lost) const;

  Duration done(JobId j) const;
  Duration next_overhead(JobId j) const;
  void prepare_estimates();
  Duration default_estimate() const;
  std::string planned_without() const;
  Duration planned_for(JobId j) const;
  void predict(JobId j);
  Duration longest_by_user(JobId j) const;
  void revise_predictions();
  Duration limit_of(JobId j) const;

  bool advance();
  bool over() const;
  SimTime next_arrival() const;
  void instant();
  void instant_by_event();
  void expect_end(const Event& e) const;
  bool handle(const Event& e);
  bool current(JobId j, std::uint32_t epoch) const;
  void arrive(JobId j);
  std::optional<Rejection> refusal(JobId j);
  void queue_up(JobId j);
  void request_pass();
  void pass();
  void carry_out(const Plan::Step& s);
  void start(JobId j, JobId beside);
  void stop(JobId j, bool grace_over);
  void drop_stale_events();
  void let_go(JobId j);
  void finish(JobId j);
  void cancel(JobId j);
  void cut_off(JobId j, JobState s);
  void final_state(JobId j, JobState s, const Record& r);
  void release_dependents(JobId j);
  void report_decision();

  // Outages and reservations (outages.cpp, reservations.cpp).
  /// What the events of nodes are about, in their `epoch`: an outage of the plan or a reservation by its
  /// number, a thing whose failures are drawn, or a node whose quarantine ends.
  static constexpr std::uint32_t kPlanned = 0, kReserved = 1, kDrawn = 2, kQuarantine = 3;
  static Event outage_at(SimTime at, std::size_t number, std::uint32_t sort, EventKind kind);
  void open_calendar();
  void outage_event(const Event& e);
  void begin_outage(std::uint32_t outage);
  void end_outage(std::uint32_t outage);
  /// How nodes leave: what runs there goes with them, or may end.
  enum class Manner : std::uint8_t { taken, back_at_once, drained };
  std::uint32_t leave(Window::Kind kind, SimTime from, SimTime to, const std::vector<NodeId>& nodes,
                      std::uint32_t window, std::size_t cause, Manner manner = Manner::taken);
  void come_back(Window::Kind kind, const std::vector<NodeId>& nodes, std::uint32_t window);
  void list_things();
  std::vector<NodeId> nodes_of(const Availability::Thing& t) const;
  void draw_failure(std::uint32_t thing);
  Duration draw_repair(const Availability::Thing& t) const;
  void fail(std::uint32_t thing);
  void repaired(std::uint32_t thing);
  void note_failure(NodeId n);
  bool switched_off(const Availability::Thing& t) const;
  void release(NodeId n);
  void serve(NodeId n);
  std::vector<JobId> jobs_on(const std::vector<NodeId>& nodes) const;
  void drop_gangs_on(const std::vector<NodeId>& nodes);
  void interrupt(JobId j, std::size_t cause);
  void note_progress(JobId j, bool any);
  void hang(JobId j, std::size_t cause);
  void note_interruption(JobId j, Duration lost);
  void charge_outage(JobId j, Duration lost);
  void lose_what_hangs();
  bool go_on(JobId j, const std::vector<NodeId>& failed, std::size_t cause, bool back_at_once);
  bool swap_in(JobId j, const std::vector<NodeId>& failed, std::size_t cause);
  bool shrink(JobId j, const std::vector<NodeId>& failed, std::size_t cause);
  void go_on_at(JobId j, const std::vector<Slice>& after, Duration overhead, std::size_t cause,
                Duration read = {});
  const Availability::StandIn* stands_in(JobId j, NodeId failed, GpuMask gpus,
                                         const std::vector<NodeId>& out) const;
  std::optional<NodeId> replacement(JobId j, NodeId failed, const std::vector<NodeId>& out) const;
  std::optional<NodeId> yielding(JobId j, NodeId failed, const std::vector<NodeId>& out) const;
  bool yields(JobId victim, JobId j) const;
  bool like(NodeId n, NodeId failed, JobId j) const;
  void take_over(NodeId n, JobId j);
  void return_spare(NodeId n);
  Duration saving_time(JobId j) const;
  bool saves(JobId j, Duration grace) const;
  std::span<const Record::Worker> get_ready(JobId j);
  void never_ready(JobId j, std::size_t workers);
  void ask_for(std::uint32_t reservation);
  void open_reservation(std::uint32_t reservation);
  void close_reservation(std::uint32_t reservation);
  std::vector<NodeId> nodes_for(const OutagePlan::Reservation& r, SimTime to) const;
  std::optional<std::vector<NodeId>> choose_for_job(const OutagePlan::Reservation& r,
                                                    const std::vector<NodeId>& from) const;
  bool tied(JobId j) const { return workload_.shapes[workload_.shape[j]].reservation != NameId{}; }
  std::optional<Rejection> refuse_tied(JobId j);

  // GPUs and links that are slow (disturbances.cpp, slow_nodes.cpp).
  void open_disturbances();
  void push_disturbance(SimTime at, Disturbed::What what, std::size_t number);
  bool disturb(const Event& e);
  bool nothing_goes_on() const;
  void change_links(std::uint32_t event, bool begins);
  void warn_of_dead_links(const std::string& which);
  void tell_links(std::span<const std::uint32_t> links);
  void draw_next_link(std::uint32_t process);
  void hit_link(std::uint32_t process);
  void wear_out(std::uint32_t link, std::uint32_t process);
  void link_is_well(std::uint32_t episode);
  GpuMask bits_of(NodeId node, std::uint32_t gpu) const;
  void draw_next(std::uint32_t cause);
  void hit(std::uint32_t cause);
  void hit_share(std::uint32_t cause);
  void begin_slow(std::uint32_t cause, NodeId node, GpuMask gpus, SimTime to);
  bool look_for_slow();
  NodeId slowest_found(JobId j, const Stragglers::Running& running);
  bool react(JobId j, NodeId slow);
  bool replace_node(JobId j, NodeId slow);
  NodeId instead_of(NodeId slow, GpuMask gpus, std::span<const Slice> held) const;
  void exclude_node(NodeId slow);

  bool anything_comes();
  void look_for_deadlock();
  void look_for_idling();
  Finding nobody_starts(const std::string& why) const;
  void look_for_starvation(JobId started);
  bool nothing_else_comes(const Finding& livelock);
  void find(Finding f);
  void record(const Record& r);
  View view() const;

  const Fleet& fleet_;
  const Workload& workload_;
  Policy& policy_;
  const EngineOptions& options_;
  Observer& observer_;
  Planning planning_;
  IdVector<ShapeId, Demand> demands_;
  Cluster cluster_;
  Placements placements_;
  RunningJobs running_;
  IdVector<JobId, Duration> planned_;
  std::unique_ptr<Predictor> predictor_;    // if the policy wants one
  IdVector<JobId, Duration> predicted_;     // by it; empty if there is none
  std::shared_ptr<JobSteps> steps_;         // null: nothing is known of what jobs train
  std::unique_ptr<Contention> contention_;  // null: nobody slows anybody down
  std::unique_ptr<SpeedModel> speeds_;
  Jobs jobs_;
  Plan plan_;
  EventQueue queue_;
  IdVector<JobId, JobState> state_;
  JobSlots<Live> live_;
  Dependencies dependencies_;
  LivelockWatch livelock_;
  IdVector<ShapeId, Cause> cause_;
  std::vector<Decision::ShapeCause> changed_;
  std::vector<PoolFree> free_;
  std::vector<JobId> joined_, left_;
  std::vector<RunningJob> ended_;
  std::vector<Ending> batch_;
  std::vector<RunningJob> outlived_;
  std::map<JobId, std::uint32_t> failed_attempts_;  // so far; only jobs that have some to come
  std::map<JobId, JobId> beside_;                   // both ways: who runs on the GPUs of whom
  std::vector<JobId> hit_;                          // by the outage that begins right now; by id
  std::uint32_t spares_used_ = 0;
  std::unique_ptr<Disturbed> disturbed_;        // null where nothing is ever slow
  std::unique_ptr<Availability> availability_;  // null where all nodes are always there
  std::unique_ptr<Storage> storage_;            // null where jobs share none
  std::size_t stale_ = 0;                       // events of runs that were stopped, at most
  std::uint32_t arrived_ = 0;                   // jobs before this one have been submitted
  std::uint32_t oldest_ = 0;                    // no job before this one waits
  std::uint64_t passed_over_ = 0;               // starts since `oldest_` is the oldest
  std::uint32_t waiting_ = 0;
  std::uint32_t incomplete_ = 0;  // jobs that hold GPUs without being complete
  std::uint64_t ended_count_ = 0;
  std::uint64_t idle_passes_ = 0;   // in a row: nothing runs, somebody waits, nothing was recorded
  std::uint64_t records_seen_ = 0;  // by then
  std::uint32_t in_vain_ = 0;       // livelocks found since the last job ended
  SimTime now_ = kStart;
  SimTime next_pass_ = kNever;  // asked for, not yet due
  bool stopped_ = false;
  bool revised_ = false;   // some predicted end has changed since the last pass
  bool repriced_ = false;  // some speed has
  RunHash hash_;
  RunSummary summary_;
};

}  // namespace muster
