#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/cost/max_min.hpp"
#include "muster/policy/job_steps.hpp"
#include "muster/topology/fabric.hpp"

namespace muster {

/// What a job reads of storage that it shares.
struct Reading {
  std::uint32_t fabric = 0;
  double bytes = 0;  // of a step, by all of its nodes
  double alone = 0;  // bytes/s that they read at if nobody else does
  double asks = 0;   // bytes/s
};

/// Jobs that read their input share what the storage of their fabric gives in all, max-min fairly, none at
/// more than its own nodes can read. Decision: the way to storage is a network of its own (docs/experiments.md),
/// so readers meet readers of their fabric and nobody else, and a link for each fabric is all there is to share.
/// Where a fleet does not say what the storage of a fabric gives, nobody is in anybody's way.
class StorageReads {
 public:
  explicit StorageReads(const Fleet& fleet);

  /// What it reads there; nothing if it reads none, or storage that nobody shares.
  std::optional<Reading> of(const JobSteps::Here& here, std::span<const Slice> where) const;

  void begin(JobId job, const Reading& reading);
  void end(JobId job);
  /// It asks for so much from now on.
  void ask(JobId job, double bytes_per_s);
  /// Who gets another share than before, or is new; once each. Until the next call.
  std::span<const JobId> solve();
  /// Bytes/s, as of the last solve().
  double gets(JobId job) const;
  /// Readers of that fabric.
  std::size_t readers(std::uint32_t fabric) const;
  /// Its storage from now on gives that share of what it was built for.
  void set_health(std::uint32_t fabric, double health);
  /// What its storage gives in all by now, bytes/s.
  double gives(std::uint32_t fabric) const;
  /// What it was built for.
  double built_for(std::uint32_t fabric) const { return fleet_.fabric->storage_of(fabric); }
  /// What it would get if nobody else read: less than it asks for only where the storage is worn.
  double alone(const Reading& reading) const;

  struct Change {
    JobId job;
    double before, after;
  };
  /// What one more reader, the last by `key`, would get, and whose shares it would change. Everything is solved.
  double probe(std::uint64_t key, const Reading& reading, std::vector<Change>& others);

 private:
  struct Reader {
    MaxMin::Flow flow = 0;
    std::uint32_t fabric = 0;
    double got = -1;
  };

  const Fleet& fleet_;
  std::vector<double> health_;       // of the storage of each fabric
  MaxMin net_;                       // a link for each fabric
  std::map<JobId, Reader> readers_;  // only of storage that is shared
  std::vector<JobId> owner_;         // by flow
  std::vector<JobId> changed_;
  std::vector<MaxMin::Change> met_;  // scratch
};

}  // namespace muster
