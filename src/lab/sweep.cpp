#include "muster/lab/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "crew.hpp"

namespace muster {
namespace {

using Run = std::function<void(std::size_t, std::size_t, const ProgressFn&)>;

/// What the threads share.
class Sweep {
 public:
  Sweep(std::size_t settings, const SweepOptions& options, const Run& run)
      : count_(settings * static_cast<std::size_t>(options.seeds)), options_(options), run_(run) {}

  bool go() {
    by_threads(std::clamp<std::size_t>(options_.threads, 1, std::max<std::size_t>(count_, 1)),
               [this] { work(); });
    if (error_) std::rethrow_exception(error_);
    return !stopped_;
  }

 private:
  void work() {
    double part = 0;  // of the run at hand
    const ProgressFn goes_on = [this, &part](const Progress& p) {
      if (options_.lasts > Duration{})
        tell(std::min(seconds(p.now) / seconds(options_.lasts), 1.0), part);
      return !interrupted();
    };
    while (!interrupted()) {
      const std::size_t i = next_++;
      if (i >= count_) return;
      part = 0;
      try {
        run_(i / options_.seeds, i % options_.seeds, goes_on);
      } catch (...) {
        const std::lock_guard lock{mutex_};
        if (!error_) error_ = std::current_exception();
        stopped_ = true;
      }
      tell(1, part);
    }
  }

  /// So much of a run is done by now, of which `part` has been told.
  void tell(double now, double& part) {
    if (!options_.progress) return;
    const std::lock_guard lock{mutex_};
    done_ += now - part;
    part = now;
    options_.progress(done_ / static_cast<double>(count_));
  }

  bool interrupted() {
    if (!stopped_ && options_.interrupted && options_.interrupted()) stopped_ = true;
    return stopped_;
  }

  const std::size_t count_;
  const SweepOptions& options_;
  const Run& run_;
  std::atomic<std::size_t> next_ = 0;
  double done_ = 0;  // runs, and parts of those at hand
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

bool sweep(std::size_t settings, const SweepOptions& options, const Run& run) {
  return Sweep{settings, options, run}.go();
}

}  // namespace muster
