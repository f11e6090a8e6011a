#include <algorithm>
#include <set>

#include "core.hpp"
#include "muster/core/int128.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::rounds {
namespace {

std::string type_name(const View& view, std::size_t type) {
  const std::string& name = view.fleet.pools[type].gpu_type;
  return name.empty() ? "the GPUs" : name;
}

/// "35.2 %" of millionths.
std::string per_cent(std::int64_t millionths) { return to_decimal(millionths / 1000, 1) + " %"; }

}  // namespace

/// What stands in the way of a job that waits.
Cause Core::cause(const View& view, const Member& m) const {
  for (std::size_t t = 0; t < view.fleet.pools.size(); ++t)
    if (place(m, t).possible && fits(view.cluster, demand_on(m, t)))
      return view.now == began_ ? Cause::order : Cause::interval;
  const Fit f = fit(view.cluster, view.demands[m.shape]);
  // There are enough GPUs of several types together.
  return f == Fit::yes ? Cause::fragmentation : cause_of_misfit(f);
}

/// The cause of a shape is that of its first waiting job.
void Core::explain_shapes(const View& view, Plan& plan) {
  std::set<ShapeId> said;
  for (const auto& [j, m] : members_)
    if (m.state == Member::State::waiting && said.insert(m.shape).second)
      plan.explain(m.shape, cause(view, m));
}

/// "its part by las: 12.5 % of v100 (has had 40 s of 95 s)".
std::string Core::standing(const View& view, const Member& m) const {
  std::string text;
  for (std::size_t t = 0; t < m.part.size(); ++t) {
    if (m.part[t] == 0 && m.due[t] == 0) continue;
    const auto due = static_cast<std::int64_t>(m.due[t] / Allocation::kAlways);
    text += (text.empty() ? "" : ", ") + per_cent(m.part[t]) + " of the time on " +
            type_name(view, t) + " (has had " + to_decimal(m.had[t].count(), 9) + " s of " +
            to_decimal(due, 9) + " s)";
  }
  const std::string who = "its part by objective " + params_.objective + " is ";
  return who + (text.empty() ? "nothing in this round" : text);
}

Explanation Core::explain(const View& view, JobId job) {
  const Member& m = members_.at(job);
  Explanation e;
  e.cause = cause(view, m);
  e.text = misfit_text(view, view.demands[m.shape], fit(view.cluster, view.demands[m.shape]));
  e.text += "; " + standing(view, m);
  const auto running = std::count_if(members_.begin(), members_.end(),
                                     [](const auto& entry) { return entry.second.runs(); });
  e.text += "; " + count_text(static_cast<std::uint64_t>(running), "job") +
            (running == 1 ? " has" : " have") + " GPUs in this round";
  e.remedy = "the next round begins at " + at_text(next_);
  return e;
}

}  // namespace muster::rounds
