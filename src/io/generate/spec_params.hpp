#pragma once
#include <array>
#include <map>
#include <string>

#include "muster/policy/params.hpp"
#include "muster/workload/synthetic.hpp"

namespace muster {

// The flat parts of a trace specification as parameters, one walk each: the only place where a key is
// named. What isn't flat (lists, objects in objects) is put together in synthetic_spec.cpp.

/// As JSON spells what the structures hold in another form.
struct SpecTop {
  SyntheticSpec& spec;
  std::string about;
  std::int64_t seed = 1;
  std::map<std::string, std::int64_t> outcomes;
  void walk(ParamVisitor& visit);
};
struct SpecSize {
  SizeClass size;
  std::int64_t gpus = 0, nodes = 0, gpus_per_node = 0, gpu_milli = 1000;
  std::string durations;
  void walk(ParamVisitor& visit);
};
struct SpecLaw {
  DurationLaw law;
  std::map<std::string, std::int64_t> outcomes;
  void walk(ParamVisitor& visit);
};
struct SpecPriority {
  SyntheticSpec::PriorityClass priority;
  std::int64_t value = 0;
  void walk(ParamVisitor& visit);
};
void walk(SyntheticSpec::Arrivals& arrivals, ParamVisitor& visit);
void walk(SyntheticSpec::Estimates& estimates, ParamVisitor& visit);  // but for `round`
void walk(SyntheticSpec::Attempts& attempts, ParamVisitor& visit);
void walk_users(SyntheticSpec& spec, ParamVisitor& visit);

}  // namespace muster
