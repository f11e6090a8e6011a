#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/results/result_file.hpp"
#include "muster/engine/record.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// timeline.json: who held which GPU from when to when, in the Trace Event Format that Perfetto and
/// chrome://tracing open. A node is a process and a GPU a thread of it; jobs that share a GPU lie on
/// tracks side by side.
class TimelineJson final : public Observer {
 public:
  TimelineJson(ResultFile& file, const Fleet& fleet, const Workload& workload);

  void on(const Record& record) override;
  void node(const NodeRecord& record) override;
  void decided(const Decision& decision) override;
  /// After the run: what still holds GPUs is shown until the end.
  void finish(SimTime end);

 private:
  using Track = std::pair<std::uint32_t, std::uint32_t>;  // node, and number within it
  struct Held {
    SimTime since;
    std::vector<Track> tracks;
  };

  void open(SimTime at, JobId job, std::span<const Slice> where);
  void close(SimTime at, JobId job, std::string_view how);
  /// A free track of this GPU, which has a name from now on.
  Track take(NodeId node, std::uint32_t gpu);
  void slice(Track track, SimTime from, SimTime to, std::string_view what, std::string_view how);
  void event(const std::string& json);

  ResultFile& file_;
  const Fleet& fleet_;
  const Workload& workload_;
  std::map<JobId, Held> held_;
  std::map<NodeId, std::pair<SimTime, Service>> away_;
  std::set<Track> taken_, named_;
  std::uint32_t running_ = 0, waiting_ = 0;
  SimTime now_ = kStart;
  bool first_ = true;
};

}  // namespace muster
