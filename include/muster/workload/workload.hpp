#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/core/time.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/throughputs.hpp"

namespace muster {

/// Strings stored once, named by a 32-bit id in order of first appearance. Id 0 is "" (unknown).
class Names {
 public:
  Names();
  NameId intern(std::string_view text);
  std::string_view operator[](NameId id) const {
    return std::string_view{bytes_}.substr(begins_[id.value],
                                           begins_[id.value + 1] - begins_[id.value]);
  }
  std::size_t size() const { return begins_.size() - 1; }

 private:
  std::string bytes_;
  std::vector<std::size_t> begins_;
  struct Hash {
    using is_transparent = void;  // a lookup makes no std::string
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, NameId, Hash, std::equal_to<>> ids_;  // looked up, never iterated
};

/// One text per job, back to back in one buffer: a million job ids without a million strings.
class TextColumn {
 public:
  void push_back(std::string_view text) {
    bytes_ += text;
    ends_.push_back(bytes_.size());
  }
  void reserve(std::size_t rows, std::size_t bytes) {
    ends_.reserve(rows);
    bytes_.reserve(bytes);
  }
  std::string_view operator[](std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view{bytes_}.substr(begin, ends_[row] - begin);
  }
  std::size_t size() const { return ends_.size(); }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

/// What a gang asks for. Many jobs share one shape, so what can be said of a shape (it does not
/// fit, it is fragmented) is said once for all of them.
struct Shape {
  std::uint32_t gpus = 1;           // in all; with `nodes` = nodes x gpus_per_node, see below
  std::uint32_t nodes = 0;          // 0: the placer's choice
  std::uint32_t gpus_per_node = 0;  // with nodes > 0: on each; 0 = each node whole, and `gpus` is 0
  std::uint32_t milli = 1000;       // share of one GPU in thousandths; < 1000 only with gpus = 1
  MigId mig = 0;                    // a MIG instance: then `gpus` are its slots, `milli` a slot's
  NameId types{};                   // allowed GPU types "A100|H100", "" = any
  Level required = Level::fleet;    // all of it inside one domain of this level; fleet = no demand
  Level preferred = Level::fleet;   // the same as a wish; fleet = no wish
  NameId tasks{};        // unequal tasks, GPUs each, "4+8"; each lives on one node; "" = none
  NameId reservation{};  // the advance reservation that it is tied to; "" = none
  NameId queue{};        // "" unless shapes are told apart by queue, see split_by_queue()
  NameId model{};        // "" unless they are by what is trained, see split_by_model()
  auto operator<=>(const Shape&) const = default;
};

enum class Outcome : std::uint8_t {
  completed,
  failed,
  cancelled,
  timeout,
  node_fail,
  preempted,
  running,
  unknown
};
std::string_view name(Outcome);

enum class Qos : std::uint8_t { guaranteed, normal, best_effort, spot };
std::string_view name(Qos);

/// The sizes at which a job may run, in GPUs. A rigid job has one: what it asks for.
struct Sizes {
  std::uint32_t least = 0, most = 0;
  bool elastic() const { return least != most; }
};

/// So long after its submit a job's user wants it to have so many GPUs.
struct SizeRequest {
  Duration after;
  std::uint32_t gpus = 0;
};

/// Jobs as columns, in order of (submit, position in the trace); a job's id is its index here.
/// Never changes during a run. What a scheduler may know stands first; what it may not is `truth`.
///
/// Columns marked (rare) are empty when no row has a value; use at_or() to read them.
struct Workload {
  IdVector<JobId, SimTime> submit;
  IdVector<JobId, Duration> estimate;  // what the user said; kUnknown = nothing, <= 0 never stored
  IdVector<JobId, ShapeId> shape;
  IdVector<JobId, NameId> user;
  IdVector<JobId, NameId> queue;           // VC, account, partition
  IdVector<JobId, std::int32_t> priority;  // (rare) larger is more urgent; 0
  IdVector<JobId, Duration> limit;         // (rare) kUnknown = as the estimate, kUnlimited
  IdVector<JobId, Duration> cancel;        // (rare) after submit; kUnknown = never
  IdVector<JobId, NameId> group, project, model, kind;  // (rare)
  IdVector<JobId, Qos> qos;                             // (rare) normal
  IdVector<JobId, Duration> deadline;                   // (rare) after submit; kUnknown = none
  IdVector<JobId, Duration> checkpoint_interval, checkpoint_cost, restart_cost;  // (rare) kUnknown
  IdVector<JobId, Duration> grace;  // (rare) between being told to go and going; 0
  IdVector<JobId, std::uint32_t> min_gpus, max_gpus;  // (rare) 0 = rigid
  IdVector<JobId, float> cpus, memory_gb;             // (rare) for the whole job; 0
  /// depends_on[job]: jobs that must end before it may start. Only jobs that have some.
  std::map<JobId, std::vector<JobId>> depends_on;

  /// By time. Only jobs whose users change their minds about the size.
  std::map<JobId, std::vector<SizeRequest>> size_requests;
  /// How fast models are on other types of GPUs.
  Throughputs throughputs;

  IdVector<ShapeId, Shape> shapes;  // distinct, by first appearance
  Names names;                      // users, queues, types, ...
  TextColumn job_name;              // by JobId: the trace's own id, unique
  IdVector<JobId, std::uint32_t>
      row;  // position among the replayed rows of the trace: output order

  /// What really happened: hidden from every policy. The engine alone reads `duration`.
  struct Truth {
    IdVector<JobId, Duration> duration;                     // run time at the reference placement
    IdVector<JobId, Outcome> outcome;                       // (rare) completed
    IdVector<JobId, SimTime> recorded_start, recorded_end;  // (rare) kNever = unknown
    /// How long the attempts ran that failed by themselves, before the one that is `duration` long. Only jobs
    /// that were tried more than once.
    std::map<JobId, std::vector<Duration>> failed_attempts;
  } truth;

  /// What the trace calls time zero, as Unix time in ns; unset if the trace has relative times.
  std::int64_t origin_unix_ns = INT64_MIN;

  std::size_t size() const { return submit.size(); }

  template <class T>
  static T at_or(const IdVector<JobId, T>& column, JobId j, T otherwise) {
    return column.empty() ? otherwise : column[j];
  }
  std::string_view id_text(JobId j) const { return job_name[j.value]; }
  /// How often it fails by itself before its last attempt.
  std::size_t failed_attempts(JobId j) const {
    const auto at = truth.failed_attempts.find(j);
    return at == truth.failed_attempts.end() ? 0 : at->second.size();
  }
  /// The work of its n-th attempt.
  Duration attempt(JobId j, std::size_t n) const {
    return n < failed_attempts(j) ? truth.failed_attempts.at(j)[n] : truth.duration[j];
  }
  /// Only a bare number of GPUs can be elastic; whoever asks for nodes, tasks or a share is rigid.
  Sizes sizes(JobId j) const {
    const Shape& s = shapes[shape[j]];
    if (min_gpus.empty() && max_gpus.empty()) return {s.gpus, s.gpus};
    const std::uint32_t least = at_or(min_gpus, j, 0U), most = at_or(max_gpus, j, 0U);
    if (s.nodes > 0 || s.milli < 1000 || s.tasks != NameId{}) return {s.gpus, s.gpus};
    return {least == 0 ? s.gpus : least, most == 0 ? s.gpus : most};
  }
};

/// Tells shapes of different queues apart, for policies whose caps make their causes differ.
void split_by_queue(Workload& w);
/// Tells shapes of different models apart, where what a place costs depends on what is trained.
void split_by_model(Workload& w);

}  // namespace muster
