// Checkpoints that are written to, and read from, storage that jobs share: who is through when depends on
// who else is at it, so each stage of a run ends at an event of its own.

#include "storage.hpp"

#include <algorithm>

#include "engine.hpp"

namespace muster {

using Doing = Storage::Stage::Doing;

/// What it stops for before it writes: all that its trace says, or nothing.
Duration Engine::stops_for(JobId j) const {
  const bool all_of_it = !storage_->plan.background && writes_shared(j);
  return all_of_it ? Duration{} : checkpoint_cost(j);
}

/// Whether its checkpoints go through storage that it shares.
bool Engine::writes_shared(JobId j) const {
  return storage_ && storage_->plan.jobs[j].write > Duration{};
}

void Engine::begin_flow(JobId j, Duration alone) {
  const Int128 rate = storage_->plan.jobs[j].rate;
  storage_->pipe.begin(j, Int128{alone.count()} * rate, rate);
}

/// How long it would take to read its last checkpoint, if nobody else did.
Duration Engine::restore_time(JobId j) const {
  return storage_ ? storage_->plan.jobs[j].read : Duration{};
}

/// A run begins, or goes on elsewhere: the last `read` of its overhead is for its checkpoint.
void Engine::begin_stage(JobId j, Duration read) {
  end_stage(j);
  if (storage_->plan.jobs[j].rate == 0) return;
  Storage::Stage& stage = storage_->stages[j];
  stage.since = now_;
  stage.read = std::min(read, live_[j].entry.overhead);
  const Duration interval = Workload::at_or(workload_.checkpoint_interval, j, kUnknown);
  stage.due = interval > Duration{} ? interval : kUnlimited;
}

/// Of its checkpoint, as long as that would take if nobody else read or wrote.
Duration Engine::left_to_read(JobId j) const {
  const Storage::Stage& stage = *storage_->stage(j);
  if (stage.doing == Doing::starting) return stage.read;
  if (stage.doing != Doing::reading) return {};
  const Int128 rate = storage_->plan.jobs[j].rate;
  return Duration{static_cast<std::int64_t>((storage_->pipe.left(j, now_) + rate - 1) / rate)};
}

void Engine::end_stage(JobId j) {
  storage_->pipe.cancel(j);
  storage_->stages.erase(j);
}

/// How the time of its run until then divides.
Engine::Spent Engine::spent_by_stage(JobId j, const Storage::Stage& stage, SimTime until) const {
  Spent spent{stage.overhead, stage.work, stage.checkpoint, stage.saved};
  const Duration since = std::max(until - stage.since, Duration{});
  const bool through = storage_->pipe.done_at(j) <= until;
  switch (stage.doing) {
    case Doing::starting:
    case Doing::reading:
      spent.overhead += since;
      break;
    case Doing::working:
    case Doing::leaving:
      spent.work += since;
      break;
    case Doing::stopping:
    case Doing::waiting:
    case Doing::writing:
      spent.checkpoint += since;
      break;
  }
  if (through && stage.doing != Doing::leaving && stage.doing != Doing::reading)
    spent.saved = stage.taken;
  return spent;
}

/// The time of the stage so far is entered.
void Engine::enter_stage(JobId j, Storage::Stage& stage) {
  const Spent so_far = spent_by_stage(j, stage, now_);
  stage.overhead = so_far.overhead;
  stage.work = so_far.work;
  stage.checkpoint = so_far.checkpoint;
  stage.saved = so_far.saved;
  stage.since = now_;
}

/// Its own next event, if what comes next is not a matter of the storage. `all`: its work, on the clock.
void Engine::plan_stage(JobId j, Storage::Stage& stage, Duration all) {
  Live& s = live_[j];
  SimTime next = kNever;
  bool ends = false;
  if (stage.doing == Doing::starting) {
    next = later(stage.since, s.entry.overhead - stage.read);
  } else if (stage.doing == Doing::stopping) {
    next = later(stage.since, stops_for(j));
  } else if (stage.doing == Doing::working) {
    const auto in = [&](Duration work) {
      return later(stage.since, std::max(work - stage.work, Duration{}));
    };
    next = in(stage.due);
    if (storage_->pipe.busy(j)) {  // the next one is written no earlier than this one is there
      const SimTime there = storage_->pipe.done_at(j);
      next = std::max(next, there == kNever ? kNever : there - stops_for(j));
      next = std::max(next, now_);  // that is sooner than it seemed, if somebody has left
    }
    if (in(all) <= next) {  // none is written at the end
      next = in(all);
      ends = true;
    }
  }
  if (next == stage.next && ends == stage.ends) return;
  stage.next = next;
  stage.ends = ends;
  ++s.epoch;
  const std::uint32_t order = options_.passes == Passes::event ? s.entry.order : j.value;
  const EventKind kind = ends ? EventKind::end : EventKind::store;
  if (next != kNever) queue_.push({next, order, j.value, s.epoch, kind});
}

/// A stage of a run is over: that of a job by itself, or of all who are through with reading or writing.
void Engine::storage_event(const Event& e) {
  const JobId j{e.job};
  if (j != kNoJob) {
    if (current(j, e.epoch)) next_stage(j);
  } else if (e.epoch == storage_->epoch) {
    for (const JobId through : storage_->pipe.take_done(now_)) moved(through);
  }
}

/// What it pays, does or stops for by itself is over.
void Engine::next_stage(JobId j) {
  Storage::Stage& stage = *storage_->stage(j);
  if (stage.doing == Doing::leaving) return begin_flow(j, storage_->plan.jobs[j].write);
  enter_stage(j, stage);
  stage.next = kNever;
  if (stage.doing == Doing::starting && stage.read > Duration{}) {
    stage.doing = Doing::reading;
    stage.flow_from = now_;
    stage.alone = stage.read;
    begin_flow(j, stage.read);
  } else if (stage.doing == Doing::starting) {
    stage.doing = Doing::working;
  } else if (stage.doing == Doing::working && stops_for(j) > Duration{}) {
    stage.doing = Doing::stopping;
  } else {
    take_checkpoint(j, stage);
  }
  plan_end(j);
}

/// It is written from now on, or as soon as the one before is there.
void Engine::take_checkpoint(JobId j, Storage::Stage& stage) {
  const Duration write = storage_->plan.jobs[j].write;
  if (storage_->pipe.busy(j)) {
    stage.doing = Doing::waiting;
    return;
  }
  stage.taken = stage.work;
  const Duration interval = Workload::at_or(workload_.checkpoint_interval, j, kUnknown);
  stage.due = std::min(stage.work, kUnlimited - interval) + interval;
  stage.doing = Doing::working;
  if (write == Duration{}) {
    stage.saved = stage.taken;
    return;
  }
  begin_flow(j, write);
  if (storage_->plan.background) return;
  stage.doing = Doing::writing;
  stage.flow_from = now_;
  stage.alone = write;
}

/// `j` has read or written what it wanted to.
void Engine::moved(JobId j) {
  Storage::Stage& stage = *storage_->stage(j);
  if (stage.doing == Doing::leaving) {
    stage.saved = stage.work;
    queue_.push({now_, j.value, j.value, ++live_[j].epoch, EventKind::stop});
    return;
  }
  const Doing before = stage.doing;
  if (before != Doing::reading) stage.saved = stage.taken;
  if (before == Doing::stopping) return;  // and goes on to stop for the next one
  enter_stage(j, stage);
  if (before == Doing::reading || before == Doing::writing) {
    be_late(j, stage, now_);
    stage.late_before = stage.late;
    stage.doing = Doing::working;
  } else if (before == Doing::waiting) {
    take_checkpoint(j, stage);
  }
  plan_end(j);
}

/// What it reads or writes will be through by then: policies see it end as much later.
void Engine::be_late(JobId j, Storage::Stage& stage, SimTime through) {
  Live& s = live_[j];
  if (through == kNever || s.entry.end == kNever) return;
  const Duration late = stage.late_before + (through - stage.flow_from - stage.alone);
  if (late == stage.late) return;
  running_.erase(s.entry);
  s.entry.end = later(s.entry.end - stage.late, late);
  running_.insert(s.entry);
  stage.late = late;
  repriced_ = true;
}

/// Who came to the storage and left it in this instant changes the rates of others.
void Engine::settle_storage() {
  if (!storage_->pipe.changed()) return;
  for (const JobId j : storage_->pipe.share_out(now_)) {
    Storage::Stage& stage = *storage_->stage(j);
    const SimTime through = storage_->pipe.done_at(j);
    if (stage.doing == Doing::reading || stage.doing == Doing::writing)
      be_late(j, stage, through);
    else if (stage.doing == Doing::working)
      plan_end(j);
    drop_stale_events();
  }
  ++storage_->epoch;
  if (const SimTime next = storage_->pipe.next_done(); next != kNever)
    queue_.push({next, kNoJob.value, kNoJob.value, storage_->epoch, EventKind::store});
}

/// It was told to go, or hangs: what it reads or writes comes to nothing.
void Engine::stop_storing(JobId j) {
  Storage::Stage* stage = storage_ ? storage_->stage(j) : nullptr;
  if (!stage) return;
  if (stage->doing != Doing::leaving) enter_stage(j, *stage);
  stage->doing = Doing::leaving;
  storage_->pipe.cancel(j);
}

/// How long a checkpoint would take that is begun now, at the rates of now.
Duration Engine::saving_time_shared(JobId j) const {
  const SharedStorage::Job& job = storage_->plan.jobs[j];
  const Duration takes =
      storage_->pipe.would_take(j, Int128{job.write.count()} * job.rate, job.rate);
  return takes >= kUnlimited - stops_for(j) ? kUnlimited : takes + stops_for(j);
}

/// In its grace time: it is gone when that is written, or at the end.
void Engine::save_shared(JobId j) {
  Live& s = live_[j];
  if (stops_for(j) > Duration{})
    queue_.push({later(now_, stops_for(j)), j.value, j.value, s.epoch, EventKind::store});
  else
    begin_flow(j, storage_->plan.jobs[j].write);
}

/// Of whoever saves itself in its grace time: whether that is there.
bool Engine::has_saved(JobId j) const {
  const Storage::Stage* stage = storage_ ? storage_->stage(j) : nullptr;
  return !stage || !writes_shared(j) || stage->saved == stage->work;
}

/// Runs that have not ended: how their time divides does not follow from their records.
void Engine::tell_open_runs() {
  std::string never;
  for (const auto& [j, stage] : storage_->stages)
    if (storage_->pipe.busy(j) && storage_->pipe.done_at(j) == kNever)
      never += " " + std::string{workload_.id_text(j)};
  if (!never.empty())
    summary_.warnings.push_back(
        "storage: what these jobs read or write is not through before the clock ends:" + never);
  for (const auto& [j, stage] : storage_->stages)
    summary_.end = std::max(summary_.end, stage.since);
  for (const auto& [j, stage] : storage_->stages) {
    const Spent run = spent_by_stage(j, stage, summary_.end);
    summary_.open_runs.push_back({j, run.overhead, run.checkpoint});
  }
}

}  // namespace muster
