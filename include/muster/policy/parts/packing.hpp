#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "muster/policy/params.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// Which jobs run side by side on the same GPUs. Each model has a load, of whatever is short on a GPU (its
/// use in per cent for Gandiva; a class of interference for Lucid), and two jobs of one node and
/// as many GPUs go together if their loads are at most the capacity.
class Packing {
 public:
  struct Options {
    std::int64_t capacity = 0;                  // 0: nobody is packed
    std::map<std::string, std::int64_t> loads;  // by model
    std::int64_t otherwise = -1;                // of models that are not listed; < 0: never packed
    double ratio = 0;                           // 0: however long they run
    bool any() const { return capacity > 0; }
    void walk(ParamVisitor& visit);
  };
  /// Two that were put together.
  struct Pair {
    JobId guest, host;
    SimTime since;
  };

  explicit Packing(Options options) : options_(std::move(options)) {}
  void begin(const View& view);
  /// Once: that models for which there is a load are not in the trace.
  void warn(Plan& plan);

  /// `j` runs by itself from now on, where it is placed.
  void started(const View& view, JobId j);
  /// `j` has gone from where it was; whoever was beside it runs by itself.
  void stopped(const View& view, JobId j);
  /// Who runs by itself and may have `j` beside it: the least load first, then who began first.
  /// `room`: the cluster as `j` sees it, in which nodes that it may not use are fenced.
  JobId host_for(const View& view, const Cluster& room, JobId j) const;
  void packed(const View& view, JobId guest, JobId host);
  /// Jobs of these two models disturb each other too much: they are not put together again.
  void part_for_good(const View& view, const Pair& pair);

  bool has_hosts() const { return !alone_.empty(); }
  /// By guest.
  const std::map<JobId, Pair>& pairs() const { return pairs_; }

 private:
  struct Host {
    std::int64_t load;
    std::uint64_t began;
    JobId job;
    friend bool operator<(const Host& a, const Host& b) {
      return a.load != b.load ? a.load < b.load : a.began < b.began;
    }
  };
  /// A job that runs, and might have another one beside it.
  struct Place {
    std::uint32_t gpus;
    Host host;
    NodeId node;
    Duration expected;
  };

  std::int64_t load(const View& view, JobId j) const { return loads_[view.jobs.model(j).value]; }
  void left_alone(const View& view, JobId j);
  bool packable(const View& view, JobId j) const;
  bool go_together(const View& view, const Cluster& room, JobId j, const Host& host) const;

  Options options_;
  std::vector<std::int64_t> loads_;                // by name of the model
  std::map<JobId, Place> places_;                  // of those that run
  std::map<std::uint32_t, std::set<Host>> alone_;  // by GPUs; no empty sets
  std::map<JobId, Pair> pairs_;
  std::map<JobId, JobId> guest_of_;            // host -> guest
  std::set<std::pair<NameId, NameId>> apart_;  // models that do not go together
  std::uint64_t began_ = 0;
  std::string unknown_;  // models for which there is a load, and no job
};

}  // namespace muster
