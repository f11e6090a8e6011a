#include <algorithm>

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

/// What stands in the way of jobs of this shape that wait.
Cause Core::cause(const View& view, ShapeId shape) const {
  for (const Place& p : places_[shape])
    if (p.possible && fits(view.cluster, p.demand))
      return view.now == began_ ? Cause::order : Cause::interval;
  const Fit f = fit(view.cluster, view.demands[shape]);
  // There are enough GPUs of several types together.
  return f == Fit::yes ? Cause::fragmentation : cause_of_misfit(f);
}

void Core::explain_shapes(const View& view, Plan& plan) {
  for (const ShapeId s : waiting_.shapes()) waiting_.line(s).say(plan, s, cause(view, s));
}

/// "its part by las: 12.5 % of v100 (has had 40 s of 95 s)".
std::string Core::standing(const View& view, const Member& m) const {
  std::string text;
  for (std::size_t t = 0; t < m.shares.size(); ++t) {
    const Share& s = m.shares[t];
    if (s.part == 0 && s.due == 0) continue;
    const auto due = static_cast<std::int64_t>(s.due / Allocation::kAlways);
    text += (text.empty() ? "" : ", ") + per_cent(s.part) + " of the time on " +
            type_name(view, t) + " (has had " + to_decimal(s.had.count(), 9) + " s of " +
            to_decimal(due, 9) + " s)";
  }
  const std::string who = "its part by objective " + params_.objective + " is ";
  return who + (text.empty() ? "nothing in this round" : text);
}

Explanation Core::explain(const View& view, JobId job) {
  const Member& m = members_.of(job);
  Explanation e;
  e.cause = cause(view, m.shape);
  e.text = misfit_text(view, view.demands[m.shape], fit(view.cluster, view.demands[m.shape]));
  e.text += "; " + standing(view, m);
  const auto running = std::count_if(holding_.begin(), holding_.end(),
                                     [&](JobId j) { return members_.of(j).runs(); });
  e.text += "; " + count_text(static_cast<std::uint64_t>(running), "job") +
            (running == 1 ? " has" : " have") + " GPUs in this round";
  e.remedy = "the next round begins at " + at_text(next_);
  return e;
}

}  // namespace muster::rounds
