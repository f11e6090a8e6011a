#pragma once
#include "muster/engine/simulate.hpp"
#include "muster/io/experiment.hpp"
#include "muster/io/results.hpp"
#include "muster/metrics/batches.hpp"
#include "muster/metrics/load.hpp"
#include "muster/metrics/summary.hpp"

namespace muster {

/// What the experiment's trace asks of its fleet, before it is run.
Loads loads_of(const Experiment& experiment);

/// Replays an experiment whose parts are loaded, keeps the books and commits `results`; `asked` is what
/// loads_of() says. Uses nothing that other replays use, so several may run on threads of their own; one
/// alone ends sooner with a bookkeeper beside it. InputError if the results can't be written.
Summary replay(const Experiment& experiment, const Loads& asked, Results& results,
               const ProgressFn& progress, Bookkeeper bookkeeper = Bookkeeper::same_thread);

/// The same without results and notes: for runs of which only numbers are wanted.
Summary measure(const Experiment& experiment, const ProgressFn& progress);

/// Whether the run answers "this does not work": nothing could go on, or a livelock was stopped.
bool stuck(const Summary& summary);

}  // namespace muster
