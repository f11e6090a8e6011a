#include "muster/workload/builder.hpp"

namespace muster {
namespace {

constexpr std::size_t kPlacesKept = 5;

}  // namespace

void TraceReport::note(std::vector<Note>& list, std::string_view code, std::string_view meaning,
                       std::uint64_t line, std::string_view job, std::string_view value) {
  Note* found = nullptr;
  for (Note& known : list)
    if (known.code == code) found = &known;
  if (found == nullptr) {
    list.push_back({});
    found = &list.back();
    found->code = code;
    found->meaning = meaning;
  }
  if (found->count++ >= kPlacesKept) return;
  found->lines.push_back(line);
  if (!job.empty()) found->jobs.emplace_back(job);
  if (!value.empty()) found->values.emplace_back(value);
}

std::uint64_t TraceReport::total(const std::vector<Note>& list) const {
  std::uint64_t sum = 0;
  for (const Note& note : list) sum += note.count;
  return sum;
}

}  // namespace muster
