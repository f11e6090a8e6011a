#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/topology/fleet.hpp"

namespace muster {

class Names;
struct Workload;

/// Steps per second of the jobs' models on types of GPUs, as somebody measured them. Durations of a trace
/// hold on one of these types, the reference; on another one a job is faster or slower by what its model
/// is. Empty in most traces: then all types are alike.
class Throughputs {
 public:
  struct Key {
    NameId model, type;
    std::uint32_t gpus = 1;
    std::uint32_t nodes = 0;  // on which these lie; 0: nobody said
    auto operator<=>(const Key&) const = default;
  };

  bool empty() const { return rows_.empty(); }
  /// Whether it says on how many nodes the GPUs are, and so how fast models are at other sizes.
  bool scales() const { return scales_; }
  const std::map<Key, double>& rows() const { return rows_; }
  /// 0 steps per second: the model does not run there.
  void set(const Key& key, double steps_per_s) {
    rows_[key] = steps_per_s;
    scales_ |= key.nodes > 0;
  }
  NameId reference{};

  struct Rate {
    double steps_per_s = 0;
    std::uint32_t gpus = 0;  // that it was measured with; 0: there is no such row
  };
  /// On so many GPUs; where they are not listed, on the next smaller number that is. On the fewest nodes.
  Rate rate(const Key& key) const;
  /// How many times as fast as on the reference type: 1 where the table does not know, 0 where the
  /// model does not run.
  double relative(const Key& key) const;
  /// The types of the table, whatever their case; NameId{}, "", for one that is not there.
  NameId type_called(std::string_view name, const Names& names) const;

 private:
  std::map<Key, double> rows_;
  bool scales_ = false;
};

/// How many times as fast `job` is on `type` as on the reference type, see Throughputs::relative().
double relative_speed(const Workload& w, JobId job, NameId type);

/// Whether the table has its model, so that its speed depends on the type.
bool speed_depends_on_type(const Workload& w, JobId job);

/// Jobs whose models do not run on some type of the fleet are allowed on the others only.
void keep_to_types_that_run(Workload& w, const Fleet& fleet);

}  // namespace muster
