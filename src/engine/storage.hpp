#pragma once
#include <map>

#include "muster/engine/shared_storage.hpp"
#include "storage_pipe.hpp"

namespace muster {

/// Who reads and writes what, where storage is shared: the engine's own notes.
struct Storage {
  /// How far the present run of a job has got.
  struct Stage {
    enum class Doing : std::uint8_t {
      starting,  // pays what a restart costs before it reads
      reading,   // its last checkpoint
      working,
      stopping,  // for what a checkpoint costs before it is written
      waiting,   // could write the next one, but the one before is not there yet
      writing,   // and does nothing else
      leaving    // was told to go, or hangs: gets nothing done
    };
    Doing doing = Doing::starting;
    SimTime since{};  // how the time until then divides:
    Duration overhead{}, work{}, checkpoint{};
    Duration saved{};        // work up to the last checkpoint that is complete
    Duration taken{};        // ... up to the one that is being written
    Duration due{};          // ... at which the next one begins
    Duration read{};         // to read, if nobody else did
    SimTime flow_from{};     // since when it reads, or writes and does nothing else
    Duration alone{};        // how long that would take if nobody else did
    Duration late{};         // so much longer than planned, all that it has read and written
    Duration late_before{};  // what it reads or writes just now not counted
    SimTime next = kNever;   // its own next event ...
    bool ends = false;       // ... is its end
  };

  explicit Storage(const SharedStorage& p) : plan(p), pipe(p.rate) {}

  Stage* stage(JobId j) {
    const auto at = stages.find(j);
    return at == stages.end() ? nullptr : &at->second;
  }
  const Stage* stage(JobId j) const {
    const auto at = stages.find(j);
    return at == stages.end() ? nullptr : &at->second;
  }

  const SharedStorage& plan;
  StoragePipe pipe;
  std::map<JobId, Stage> stages;  // of jobs that run and have something to read or to write
  std::uint32_t epoch = 0;        // of the event at which somebody is through
};

}  // namespace muster
