#include "engine.hpp"

#include <algorithm>

#include "muster/policy/job_steps.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

constexpr std::size_t kMostWarnings = 100;

bool needs_domains(const Workload& w, const Policy& policy, const Fleet& fleet) {
  if (policy.wants_domains(fleet)) return true;
  const Cutting cutting = policy.cutting();
  if (cutting.required < Level::fleet || cutting.preferred < Level::fleet) return true;
  if (fleet.domains[static_cast<std::size_t>(Level::fabric)].size() > 1) return true;
  return std::any_of(w.shapes.begin(), w.shapes.end(), [](const Shape& s) {
    return s.required < Level::fleet || s.preferred < Level::fleet;
  });
}

/// With factors on top of them, if speeds change while jobs run.
std::unique_ptr<SpeedModel> speeds(const Workload& w, const Fleet& fleet,
                                   const EngineOptions& options, bool change,
                                   std::shared_ptr<JobSteps> steps) {
  auto alone = make_speeds(options.speedup, w, fleet, options.speed);
  if (change) alone = in_millionths(std::move(alone));
  return steps ? step_speeds(std::move(alone), std::move(steps)) : std::move(alone);
}

std::unique_ptr<Contention> with_stragglers(std::unique_ptr<Contention> others, const Fleet& fleet,
                                            const EngineOptions& options) {
  if (!options.disturbances || options.disturbances->empty()) return others;
  return std::make_unique<Stragglers>(std::move(others), fleet, *options.disturbances);
}

}  // namespace

Engine::Engine(const Fleet& fleet, const Workload& workload, Policy& policy,
               const EngineOptions& options, Observer& observer, std::uint64_t seed)
    : fleet_(fleet),
      workload_(workload),
      policy_(policy),
      options_(options),
      observer_(observer),
      planning_(policy.planning()),
      demands_(resolve_all(workload, fleet, policy.cutting())),
      cluster_(fleet, needs_domains(workload, policy, fleet)),
      placements_(workload.size()),
      planned_(workload.size()),
      steps_(make_job_steps(workload, fleet, options.cost)),
      contention_(with_stragglers(
          make_contention(workload, fleet, options.speed, options.cost, steps_), fleet, options)),
      speeds_(speeds(workload, fleet, options, contention_ != nullptr, steps_)),
      jobs_(workload, planned_, predicted_, *speeds_),
      plan_(*this, cluster_, placements_, running_),
      state_(workload.size()),
      live_(workload.size()),
      dependencies_(workload),
      livelock_(options.livelock_evictions),
      cause_(workload.shapes.size(), Cause::interval),
      free_(fleet.pools.size()) {
  prepare_estimates();
  if (std::string guessed = guessed_text(workload_, options.cost); !guessed.empty())
    summary_.warnings.push_back(std::move(guessed));
  if (steps_)
    if (std::string unknown = steps_->unknown_text(); !unknown.empty())
      summary_.warnings.push_back(std::move(unknown));
  cluster_.priced_by(contention_.get());
  if (!planning_.predictor.empty()) {
    predictor_ = Predictors::all().at(planning_.predictor).make();
    predicted_.assign(workload.size(), kUnknown);
  }
  open_calendar();
  open_disturbances();
  policy_.begin(view(), seed);
  if (workload.size() > 0) summary_.first_submit = workload.submit[JobId{0}];
}

/// What a restart from a checkpoint costs before any work is done; 0 for a first run or a resume.
Duration Engine::next_overhead(JobId j) const {
  const Live& s = live_[j];
  if (!s.ran || s.mode == PreemptMode::suspend) return {};
  Duration cost = Workload::at_or(workload_.restart_cost, j, kUnknown);
  if (cost == kUnknown) cost = planning_.restart_cost;
  return cost == kUnknown ? Duration{} : cost;
}

Plan::Terms Engine::terms(JobId j) const {
  const Demand& d = demands_[workload_.shape[j]];
  return {d.milli, planned_[j], next_overhead(j), Workload::at_or(workload_.grace, j, Duration{}),
          d.mig,   d.setup};
}

View Engine::view() const {
  return {now_,
          fleet_,
          jobs_,
          cluster_,
          demands_,
          running_,
          placements_,
          joined_,
          left_,
          ended_,
          options_.passes == Passes::event,
          revised_,
          availability_ ? &availability_->calendar : nullptr};
}

RunSummary Engine::run(const ProgressFn& progress, const AfterPass& after_pass) {
  std::uint64_t instants = 0;
  while (!stopped_ && advance()) {
    if (options_.passes == Passes::event)
      instant_by_event();
    else
      instant();
    if (contention_) settle_contention();
    if (after_pass && !after_pass(view())) stopped_ = true;
    if (progress && ++instants % 256 == 0 &&
        !progress({now_, arrived_, ended_count_, workload_.size()}))
      stopped_ = true;
    if (stopped_) summary_.stopped_early = true;
  }
  if (!stopped_ && !options_.cuts_off() && running_.empty() && waiting_ > 0)
    find(nobody_starts("nothing else will happen"));
  if (!running_.empty() && !summary_.stopped_early) {
    summary_.stopped_early = true;
    summary_.warnings.push_back("clock_end: " + count_text(running_.size(), "job") +
                                " would run past the end of the clock, 292 years after the "
                                "origin, where this run ends");
  }
  if (availability_) {
    lose_what_hangs();
    summary_.outages = availability_->counts;
  }
  summary_.fingerprint = hash_.value();
  return summary_;
}

/// Moves the clock to the next instant at which something happens.
bool Engine::advance() {
  const SimTime next = over() ? kNever : std::min(queue_.next_time(), next_arrival());
  if (options_.cuts_off() && next >= kStart + options_.horizon) {
    const bool cut = next != kNever;
    summary_.end = kStart + options_.horizon;
    summary_.stopped_early |= cut;
    return false;
  }
  if (next == kNever) return false;
  MUSTER_CHECK(next >= now_);
  now_ = next;
  return true;
}

/// Everybody has left and nobody will come: the passes that were asked for would find nothing, and the
/// window ends with the last job.
bool Engine::over() const { return arrived_ == workload_.size() && ended_count_ == arrived_; }

/// Arrivals are sorted, so they are merged from a cursor and never enter the heap.
SimTime Engine::next_arrival() const {
  return arrived_ < workload_.size() ? workload_.submit[JobId{arrived_}] : kNever;
}

/// CONVENTIONS C2: everything of this instant in its order, then one pass.
void Engine::instant() {
  bool happened = false;
  while (queue_.next_time() == now_) happened |= handle(queue_.pop());
  while (next_arrival() == now_) {
    arrive(JobId{arrived_++});
    happened = true;
  }
  if (happened) request_pass();
}

/// CONVENTIONS C16: a pass for each event; submissions first, then ends in order of start. Jobs
/// whose predicted end has come count as free from the start of the instant.
void Engine::instant_by_event() {
  batch_.clear();
  while (queue_.next_time() == now_) {
    const Event e = queue_.pop();
    const JobId j{e.job};
    if (e.kind == EventKind::end) {
      if (!current(j, e.epoch)) continue;
      const bool released = live_[j].entry.end <= now_;
      batch_.push_back({j, e.epoch, released});
      if (released) finish(j);
    } else if (handle(e)) {
      request_pass();
    }
  }
  while (next_arrival() == now_) {
    arrive(JobId{arrived_++});
    request_pass();
  }
  // A pass may preempt a job of this batch, or start others that end at once: those come next round.
  for (const Ending& e : batch_) {
    if (!e.released) {
      if (!current(e.job, e.epoch)) continue;
      finish(e.job);
    }
    request_pass();
  }
}

/// Whether the run is the one that the event was about.
bool Engine::current(JobId j, std::uint32_t epoch) const {
  const Live* s = live_.find(j);
  return s != nullptr && s->epoch == epoch;
}

/// Applies one event; false if it was stale.
bool Engine::handle(const Event& e) {
  const JobId j{e.job};
  switch (e.kind) {
    case EventKind::end:
      if (!current(j, e.epoch)) return false;
      finish(j);
      return true;
    case EventKind::stop:
      if (!current(j, e.epoch)) return false;
      if (live_[j].hung)
        interrupt(j, availability_->hung.at(j));
      else
        stop(j, true);
      return true;
    case EventKind::back:
    case EventKind::away:
    case EventKind::notice:
      outage_event(e);
      return true;
    case EventKind::cancel:
      if (state_[j] == JobState::running && !options_.cancel_running) return false;
      if (state_[j] > JobState::running) return false;
      cancel(j);
      return true;
    case EventKind::disturb:
      return disturb(e);
    case EventKind::pass:
      return true;
  }
  return false;
}

void Engine::arrive(JobId j) {
  const Duration cancel = Workload::at_or(workload_.cancel, j, kUnknown);
  if (cancel != kUnknown && cancel <= Duration{}) {
    ++ended_count_;
    release_dependents(j);
    return;  // C2: never submitted
  }
  live_.open(j).remaining = workload_.truth.duration[j];
  state_[j] = dependencies_.held(j) ? JobState::held : JobState::pending;
  record({now_, j, Record::What::submit, state_[j], {}});
  predict(j);
  auto refusal = refuse_tied(j);
  if (!refusal) refusal = policy_.refuse(view(), j);
  if (refusal) {
    MUSTER_CHECK(refusal->job == j);
    if (summary_.rejections.size() < 1000) summary_.rejections.push_back(*refusal);
    final_state(j, JobState::rejected, {now_, j, Record::What::reject, JobState::rejected, {}});
    return;
  }
  if (cancel != kUnknown)
    queue_.push({later(now_, cancel), j.value, j.value, 0, EventKind::cancel});
  if (const auto wishes = workload_.size_requests.find(j); wishes != workload_.size_requests.end())
    for (const SizeRequest& wish : wishes->second)
      if (wish.after > Duration{}) queue_.push({later(now_, wish.after), 0, 0, 0, EventKind::pass});
  if (state_[j] == JobState::pending) queue_up(j);
}

void Engine::queue_up(JobId j) {
  state_[j] = JobState::pending;
  oldest_ = std::min(oldest_, j.value);
  ++waiting_;
  joined_.push_back(j);
}

/// With a scheduling interval, passes come at its multiples only.
void Engine::request_pass() {
  const Duration interval = options_.scheduling_interval;
  if (interval > Duration{}) {
    const Duration since = now_.time_since_epoch() % interval;
    if (since != Duration{}) {
      const SimTime due = now_ + (interval - since);
      if (next_pass_ != due) queue_.push({due, 0, 0, 0, EventKind::pass});
      next_pass_ = due;
      return;
    }
  }
  pass();
}

void Engine::pass() {
  ++summary_.passes;
  revise_predictions();
  plan_.begin(now_);
  policy_.decide(view(), plan_);
  joined_.clear();
  left_.clear();
  ended_.clear();
  for (const Plan::Promise& p : plan_.promises())
    if (SimTime& promised = live_[p.job].promised; promised == kNever) promised = p.at;
  for (const Plan::Step& s : plan_.steps()) carry_out(s);
  for (const std::string& w : plan_.warnings())
    if (summary_.warnings.size() < kMostWarnings) summary_.warnings.push_back(w);
  if (plan_.wake() != kNever) {
    MUSTER_CHECK(plan_.wake() > now_);
    queue_.push({plan_.wake(), 0, 0, 0, EventKind::pass});
  }
  report_decision();
  look_for_deadlock();
  look_for_idling();
}

void Engine::carry_out(const Plan::Step& s) {
  Live& live = live_[s.job];
  switch (s.verb) {
    case Plan::Verb::start:
      start(s.job, s.beside);
      break;
    case Plan::Verb::acquire:
      if (live.start == kNever) {
        live.start = now_;
        ++incomplete_;
      }
      record({now_, s.job, Record::What::acquire, JobState::pending, placements_.of(s.job)});
      break;
    case Plan::Verb::drop:
      MUSTER_CHECK(state_[s.job] == JobState::pending && live.start != kNever);
      record({now_, s.job, Record::What::drop, JobState::pending, placements_.of(s.job)});
      placements_.recycle(s.job);
      live.start = kNever;
      --incomplete_;
      if (auto f = livelock_.dropped(now_, s.job, workload_)) find(std::move(*f));
      break;
  }
}

void Engine::preempted(JobId victim, JobId by, PreemptMode mode) {
  Live& s = live_[victim];
  s.by = by;
  if (!s.hung) s.mode = mode;
  const Duration grace = Workload::at_or(workload_.grace, victim, Duration{});
  if (s.saving) return;  // it was told before, and writes by now
  s.saving = saves(victim, grace);
  if (grace == Duration{}) return stop(victim, false);
  s.stop_from = std::min(s.stop_from, now_);
  const Duration goes_in = s.saving ? saving_time(victim) : grace;
  queue_.push({later(now_, goes_in), victim.value, victim.value, ++s.epoch, EventKind::stop});
}

void Engine::start(JobId j, JobId beside) {
  Live& s = live_[j];
  MUSTER_CHECK(state_[j] == JobState::pending && right_size(j));
  if (s.start != kNever) --incomplete_;  // it held some of its GPUs already
  state_[j] = JobState::running;
  s.start = now_;
  s.stop_from = kNever;
  s.hung = s.saving = s.got_on = false;
  --waiting_;
  if (s.promised != kNever && now_ > s.promised) ++summary_.broken_promises;
  s.promised = kNever;
  if (s.entry.made) cluster_.make_instance(placements_.of(j)[0], demands_[workload_.shape[j]].mig);
  s.set_speed(jobs_.speed(j, placements_.of(j)));
  const auto workers = availability_ ? get_ready(j) : std::span<const Record::Worker>{};
  plan_end(j);
  if (contention_) contention_->came(j, placements_.of(j));
  livelock_.advanced(j);
  look_for_starvation(j);
  Record r{now_, j, Record::What::start, JobState::running, placements_.of(j)};
  r.to_pay = s.entry.overhead;
  r.workers = workers;
  if (beside != kNoJob && pair_up(j, beside)) r.share = kHalf;
  record(r);
}

/// The victim's GPUs come back. Without grace the plan has already returned them.
void Engine::stop(JobId j, bool grace_over) {
  Live& s = live_[j];
  ++s.epoch;
  if (grace_over)
    let_go(j);
  else if (contention_)
    contention_->went(j, placements_.of(j));
  const SimTime worked_until = std::min(s.stop_from, now_);
  const Spent until_then = spent(j, worked_until);
  const bool saved = s.saving && !s.hung;
  const Duration kept =
      s.mode == PreemptMode::requeue && !saved ? until_then.saved : until_then.work;
  Record r{now_, j, Record::What::stop, JobState::pending, placements_.of(j), s.by};
  r.kept = kept;
  r.overhead = until_then.overhead;
  r.checkpoint = until_then.checkpoint + (saved ? now_ - worked_until : Duration{});
  r.lost = now_ - s.start - r.overhead - r.checkpoint - kept;
  r.interrupted = s.hung;
  if (s.hung)
    note_interruption(j, r.lost);
  else if (availability_ && kept > Duration{})
    availability_->in_vain.erase(j);
  const Duration worked = with_checkpoints(j, s.work_off(kept));
  s.kept += kept;
  s.ran = true;
  s.start = kNever;
  const Duration setup = demands_[workload_.shape[j]].setup;  // stays in what is planned
  const Duration before = s.entry.overhead - (s.entry.made ? setup : Duration{});
  planned_[j] = std::max<Duration>(planned_[j] - setup - before - worked, kOverrunStep) + setup +
                next_overhead(j);
  record(r);
  part(j);
  placements_.recycle(j);
  // A policy that stops a job at once queues it itself, in the same pass (C7: its place is known).
  state_[j] = JobState::pending;
  oldest_ = std::min(oldest_, j.value);
  ++waiting_;
  if (grace_over) joined_.push_back(j);
  if (auto f = livelock_.evicted(now_, j, s.by, s.got_on || kept > Duration{}, workload_))
    find(std::move(*f));
  drop_stale_events();
}

void Engine::report_decision() {
  changed_.clear();
  for (const Plan::ShapeCause& c : plan_.causes()) {
    MUSTER_CHECK(c.shape.value < cause_.size());
    if (cause_[c.shape] != c.cause) {
      cause_[c.shape] = c.cause;
      changed_.push_back({c.shape, c.cause});
    }
  }
  for (std::size_t p = 0; p < free_.size(); ++p) free_[p].free_milli = cluster_.free_milli(p);
  observer_.decided({now_, free_, changed_, static_cast<std::uint32_t>(running_.size()), waiting_});
}

void Engine::record(const Record& r) {
  ++summary_.records;
  summary_.end = std::max(summary_.end, now_);
  hash_.add(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  hash_.add((std::uint64_t{r.job.value} << 16) | (static_cast<std::uint64_t>(r.what) << 8) |
            static_cast<std::uint64_t>(r.state));
  if (r.what == Record::What::start || r.what == Record::What::acquire ||
      r.what == Record::What::reshape)
    for (const Slice& s : r.placement) {
      hash_.add((std::uint64_t{s.first.value} << 32) | s.count);
      hash_.add(s.gpus);
    }
  for (const Record::Worker& w : r.workers) {
    hash_.add(static_cast<std::uint64_t>(w.ready.count()));
    hash_.add(w.gpus);
  }
  if (r.what == Record::What::reprice) hash_.add((std::uint64_t{r.speed.num} << 32) | r.speed.den);
  observer_.on(r);
}

}  // namespace muster
