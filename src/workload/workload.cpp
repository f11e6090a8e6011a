#include "muster/workload/workload.hpp"

#include "muster/core/check.hpp"

namespace muster {

Names::Names() : begins_{0, 0} { ids_.emplace("", NameId{0}); }

NameId Names::intern(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const NameId id{static_cast<std::uint32_t>(size())};
  bytes_ += text;
  begins_.push_back(bytes_.size());
  ids_.emplace(text, id);
  return id;
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return "completed";
    case Outcome::failed:
      return "failed";
    case Outcome::cancelled:
      return "cancelled";
    case Outcome::timeout:
      return "timeout";
    case Outcome::node_fail:
      return "node_fail";
    case Outcome::preempted:
      return "preempted";
    case Outcome::running:
      return "running";
    case Outcome::unknown:
      return "unknown";
  }
  MUSTER_CHECK(false);
}

std::string_view name(Qos qos) {
  switch (qos) {
    case Qos::guaranteed:
      return "guaranteed";
    case Qos::normal:
      return "normal";
    case Qos::best_effort:
      return "best_effort";
    case Qos::spot:
      return "spot";
  }
  MUSTER_CHECK(false);
}

}  // namespace muster
