#include "engine.hpp"

#include <algorithm>

#include "muster/policy/job_steps.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

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
  if (options.outages && options.outages->storage)
    storage_ = std::make_unique<Storage>(*options.outages->storage);
  open_disturbances();
  policy_.begin(view(), seed);
  if (workload.size() > 0) summary_.first_submit = workload.submit[JobId{0}];
}

/// What a restart from a checkpoint costs before any work is done; 0 for a first run or a resume.
Duration Engine::next_overhead(JobId j) const {
  const Live& s = live_[j];
  if (!reads_first(s)) return {};
  Duration cost = Workload::at_or(workload_.restart_cost, j, kUnknown);
  if (cost == kUnknown) cost = planning_.restart_cost;
  return cost == kUnknown ? Duration{} : cost;
}

Plan::Terms Engine::terms(JobId j) const {
  // Who came next is mostly asked for next.
  if (const JobId next{j.value + 1}; next.value < live_.size()) live_.expect(next);
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
    if (storage_) settle_storage();
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
  if (storage_) tell_open_runs();
  summary_.fingerprint = hash_.value();
  return summary_;
}

/// Moves the clock to the next instant at which something happens.
bool Engine::advance() {
  const SimTime next = next_instant();
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

/// Most of what an end needs has been in no cache for as long as the job ran.
void Engine::expect_end(const Event& e) const {
  if (e.kind() != EventKind::end) return;
  const JobId j{e.job};
  live_.expect(j);
  placements_.expect(j);
  running_.expect(j);
}

/// CONVENTIONS C2: everything of this instant in its order, then one pass.
void Engine::instant() {
  bool happened = false;
  const auto coming = [this](const Event& e) { expect_end(e); };
  while (queue_.next_time() == now_) happened |= handle(queue_.pop(coming));
  if (const auto soon = queue_.soon(); !soon.empty()) {
    expect_end(soon[0]);
    running_.expect_next(JobId{soon[0].job});
  }
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
    if (e.kind() == EventKind::end) {
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
  switch (e.kind()) {
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
    case EventKind::store:
      storage_event(e);
      return false;  // no news for a policy
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
  live_.open(j).remaining = work_of_attempt(j);
  state_[j] = dependencies_.held(j) ? JobState::held : JobState::pending;
  record({now_, j, Record::What::submit, state_[j], {}});
  predict(j);
  if (const auto why = refusal(j)) {
    MUSTER_CHECK(why->job == j);
    if (summary_.rejections.size() < 1000) summary_.rejections.push_back(*why);
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

std::optional<Rejection> Engine::refusal(JobId j) {
  if (tied(j))
    if (auto why = refuse_tied(j)) return why;
  return policy_.refuse(view(), j);
}

void Engine::queue_up(JobId j) {
  state_[j] = JobState::pending;
  oldest_ = std::min(oldest_, j.value);
  ++waiting_;
  joined_.push_back(j);
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
