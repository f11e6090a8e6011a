// Virtual clusters of queues that nobody is in.

#include <algorithm>

#include "core.hpp"
#include "muster/core/error.hpp"

namespace muster::cells {

/// A tenant may be idle, and keeps its cells; but a name may also be misspelled.
void Core::warn_of_unknown_queues(const View& view, Plan& plan) const {
  if (params_.virtual_clusters.empty()) return;
  std::set<NameId> ids;
  for (std::uint32_t j = 0; j < view.jobs.size(); ++j) ids.insert(view.jobs.queue(JobId{j}));
  std::vector<std::string> queues;
  for (const NameId id : ids) queues.emplace_back(view.jobs.names()[id]);
  for (const auto& [name, cells] : params_.virtual_clusters) {
    if (std::find(queues.begin(), queues.end(), name) != queues.end()) continue;
    const std::string meant = nearest(name, queues);
    plan.warn("unknown_queue: virtual_clusters name \"" + name +
              "\", and no job of the trace is in such a queue" +
              (meant.empty() ? "" : "; did you mean \"" + meant + "\"?"));
  }
}

}  // namespace muster::cells
