#include "roster.hpp"

namespace muster::ranked {
namespace {

struct Sums {
  Duration ran;
  Int128 service;
};

Sums up_to(const Roster::Entry& e, SimTime now) {
  const Duration here = now - e.since;
  Sums s{e.ran, e.service};
  if (e.state != Roster::State::waiting) {
    s.ran += here;
    s.service += Int128{here.count()} * e.milli;
  }
  return s;
}

}  // namespace

Standing Roster::standing(const Entry& e, const View& view) {
  const Sums sums = up_to(e, view.now);
  Standing s;
  s.job = e.job;
  s.running = e.state != State::waiting;
  s.milli = e.milli;
  s.since = e.since;
  s.first_start = e.first_start;
  s.ran = sums.ran;
  s.service = sums.service;
  s.remaining = s.running ? e.end - view.now : view.jobs.planned(e.job);
  return s;
}

void Roster::settle(Entry& e, SimTime now) {
  const Sums sums = up_to(e, now);
  e.ran = sums.ran;
  e.service = sums.service;
  e.since = now;
}

}  // namespace muster::ranked
