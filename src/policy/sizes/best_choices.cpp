#include "best_choices.hpp"

#include <algorithm>
#include <numeric>

namespace muster {
namespace {

struct Step {
  double worth;  // gain per GPU
  double gpus;
  std::size_t claim, choice;
};

/// Appends the steps of one claim, from nothing to its best choice.
void add_steps(std::size_t claim, std::span<const Choice> choices, std::vector<Step>& out) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return choices[a].gpus != choices[b].gpus ? choices[a].gpus < choices[b].gpus
                                              : choices[a].gain > choices[b].gain;
  });
  const std::size_t first = out.size();
  Choice at;  // where the steps have led so far
  for (const std::size_t k : order) {
    const Choice& next = choices[k];
    if (next.gain <= at.gain) continue;
    Step step{(next.gain - at.gain) / (next.gpus - at.gpus), next.gpus - at.gpus, claim, k};
    // A step that is worth more than the one before it makes one with that.
    while (out.size() > first && out.back().worth <= step.worth) {
      const Step& before = out.back();
      const double gain = before.worth * before.gpus + step.worth * step.gpus;
      step.gpus += before.gpus;
      step.worth = gain / step.gpus;
      out.pop_back();
    }
    out.push_back(step);
    at = next;
  }
}

}  // namespace

std::vector<std::size_t> best_choices(std::span<const std::vector<Choice>> claims, double room) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < claims.size(); ++i) add_steps(i, claims[i], steps);
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.worth > b.worth; });
  std::vector<std::size_t> given(claims.size(), kNoChoice);
  for (const Step& s : steps) {
    if (s.gpus > room) {
      if (room > 0) given[s.claim] = kNoChoice;
      break;
    }
    room -= s.gpus;
    given[s.claim] = s.choice;
  }
  return given;
}

}  // namespace muster
