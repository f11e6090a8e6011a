#include "muster/metrics/traffic_book.hpp"

#include <algorithm>

namespace muster {
void TrafficBook::Run::to(SimTime at) {
  work_s += seconds(at - since) * speed;
  since = at;
}

void TrafficBook::on(const Record& r) {
  using What = Record::What;
  if (r.what == What::reprice) {
    Run* run = runs_.find(r.job);
    const double speed = static_cast<double>(r.speed.num) / r.speed.den;
    if (!run) {
      run = &runs_.open(r.job);
      *run = {r.at, speed, speed, 0};
    }
    run->to(r.at);
    run->speed = speed;
    return;
  }
  if (r.what != What::stop && r.what != What::end && r.what != What::reshape) return;
  Run* run = runs_.find(r.job);
  if (!run) return;
  run->to(r.at);
  // Nothing is sent while it gets ready, which it does first, or writes a checkpoint.
  const double working = seconds(r.kept + r.lost), writing = seconds(r.checkpoint);
  const double worked = std::max(0.0, run->work_s - seconds(r.overhead) * run->at_first);
  runs_.close(r.job);
  if (working <= 0) return;
  all_ += traffic_.per_second(r.job, r.what == What::reshape ? r.before : r.placement) *
          (worked * working / (working + writing));
}

}  // namespace muster
