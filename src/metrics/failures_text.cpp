#include <spdlog/fmt/fmt.h>

#include "muster/metrics/text.hpp"

namespace muster {
namespace {

std::string counted(std::uint64_t n, const char* one, const char* several) {
  return fmt::format("{} {}", n, n == 1 ? one : several);
}

}  // namespace

std::string stragglers_text(const StragglerCounts& s) {
  if (!s.any()) return {};
  std::string text = counted(s.episodes, "episode", "episodes");
  if (const std::uint64_t alarms = s.alarms + s.false_alarms; alarms > 0)
    text += "; " + counted(alarms, "alarm", "alarms") + ", " + std::to_string(s.false_alarms) +
            " of them false";
  if (s.replaced > 0) text += "; " + counted(s.replaced, "node", "nodes") + " replaced";
  if (s.excluded > 0)
    text += "; " + counted(s.excluded, "node", "nodes") + " excluded, for which " +
            counted(s.stopped, "job", "jobs") + " had to wait again";
  if (s.worn_links > 0) text += "; links worn " + counted(s.worn_links, "time", "times");
  return text;
}

std::string own_failures_text(const OwnFailures& f) {
  if (f.attempts == 0) return {};
  std::string text = counted(f.attempts, "attempt", "attempts") + " failed";
  if (f.given_up > 0)
    text += ", after " + std::to_string(f.given_up) + " of which there was no other one";
  return text + fmt::format("; {:.1f} GPU-hours lost by those tried again",
                            static_cast<double>(f.lost) / 3600e12);
}

}  // namespace muster
