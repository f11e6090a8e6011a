// Who is in the system, and in which list.

#include "core.hpp"

namespace muster::elastic {

void Core::absorb(const View& view) {
  for (const RunningJob& r : view.ended) forget(view, r.job);
  for (const JobId j : view.left) forget(view, j);
  for (const JobId j : view.joined) set_state(view, j, State::waiting);
}

void Core::set_state(const View& view, JobId j, State s) {
  const Key k = key(view, j);
  if (!members_.find(j)) {
    Member& m = members_.open(j);
    m.elastic = view.jobs.sizes(j).elastic();
    elastic_in_the_system_ += m.elastic;
    const Speed alone = view.jobs.speed(j, view.jobs.sizes(j).least);
    if (alone.num != alone.den) note_odd(m);
    ++in_the_system_;
  }
  take_out(view, k);
  Member& m = members_[j];
  m.state = s;
  if (s == State::waiting)
    begin_to_wait(view, k);
  else
    (s == State::leaving ? leaving_jobs_ : m.elastic ? elastic_ : rigid_).insert(k);
}

/// What is left of it is not what the clock says, or not its length.
void Core::note_odd(Member& m) {
  odd_in_the_system_ += !m.odd;
  m.odd = true;
}

/// Out of the list that it is in.
void Core::take_out(const View& view, const Key& k) {
  Member& m = members_[k.second];
  if (m.state == State::waiting) return end_to_wait(view, k);
  if (m.state == State::leaving) leaving_jobs_.erase(k);
  if (m.state != State::running) return;
  (m.elastic ? elastic_ : rigid_).erase(k);
  note_held(view, m, k.second, 0);
}

/// `gpus`: what it holds from now on.
void Core::note_held(const View& view, Member& m, JobId j, std::uint32_t gpus) {
  const std::int64_t milli = std::int64_t{gpus} * view.demands[view.jobs.shape(j)].milli;
  (m.elastic ? held_by_elastic_ : held_by_rigid_).add(view.jobs.queue(j), milli - m.milli);
  m.milli = milli;
}

void Core::begin_to_wait(const View& view, const Key& k) {
  const JobId j = k.second;
  waiting_.insert(k);
  waiting_of_[view.jobs.shape(j)].insert(k);
  Member& m = members_[j];
  const Claim c = claim_of(view, j, m);
  m.has_turn = false;
  const auto turn = rule_->turn(view, c);
  if (!turn) return;
  m.kind = {view.jobs.shape(j), c.queue,      view.jobs.model(j),
            c.sizes.least,      c.sizes.most, m.most_held};
  m.turn = *turn;
  m.has_turn = true;
  turns_[m.kind].insert({m.turn, k});
}

void Core::end_to_wait(const View& view, const Key& k) {
  waiting_.erase(k);
  waiting_of_[view.jobs.shape(k.second)].erase(k);
  const Member& m = members_[k.second];
  if (!m.has_turn) return;
  const auto turns = turns_.find(m.kind);
  turns->second.erase({m.turn, k});
  if (turns->second.empty()) turns_.erase(turns);
}

void Core::forget(const View& view, JobId j) {
  Member* const m = members_.find(j);
  if (!m) return;
  take_out(view, key(view, j));
  elastic_in_the_system_ -= m->elastic;
  odd_in_the_system_ -= m->odd;
  members_.close(j);
  --in_the_system_;
}

}  // namespace muster::elastic
