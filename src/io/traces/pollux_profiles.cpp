#include "io/traces/pollux_profiles.hpp"

#include <memory>
#include <utility>

#include "io/text/tar.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

/// Nothing if there is no such file beside the trace, packed or not.
std::unique_ptr<ByteSource> beside(const TraceInput& in, const std::string& name) {
  for (const char* packed : {"", ".zst", ".gz"}) {
    try {
      return in.open_other(name + packed);
    } catch (const InputError&) {
      continue;  // not in this form
    }
  }
  return nullptr;
}

}  // namespace

PolluxProfiles::PolluxProfiles(const TraceInput& in) : in_(in) {
  const auto take_all = [&](ByteSource& tar) {
    read_tar(tar, [&](std::string_view name, std::string text) { take(std::string{name}, text); });
  };
  const std::string profiles = in.has_option("profiles") ? in.option("profiles") : std::string{};
  if (profiles.ends_with('/')) folder_ = profiles;
  const auto validation = in.has_option("validation")
                              ? in.open_other(in.option("validation"))
                              : beside(in, folder_ + "profile_validation.tar");
  if (!validation)
    throw InputError(in.lines.name(),
                     "jobs of this trace have no durations: how many steps a training takes is in "
                     "profile_validation.tar, expected beside it",
                     "--reader-option validation=FILE names it: a tar of "
                     "APPLICATION_validation-BATCHSIZE.csv, as in Pollux' repository");
  take_all(*validation);
  const auto packed = profiles.empty() || !folder_.empty()
                          ? beside(in, folder_ + "profiles_by_gpu_type.tar")
                          : in.open_other(profiles);
  packed_ = packed != nullptr;
  if (packed_) take_all(*packed);
}

const PolluxProfiles::Application* PolluxProfiles::find(const std::string& name) {
  const auto at = applications_.find(name);
  if (at == applications_.end() || at->second.training.empty()) return nullptr;
  if (!packed_ && at->second.on.empty()) load_beside(name);
  return at->second.on.empty() ? nullptr : &at->second;
}

void PolluxProfiles::load_beside(const std::string& name) {
  for (const char* table : {"placements", "scalability"}) {
    const auto file = beside(in_, folder_ + "profile_" + name + "_" + table + ".csv");
    if (!file) continue;
    std::string text(1 << 20, '\0');
    std::size_t size = 0;
    while (const std::size_t got = file->read({text.data() + size, text.size() - size})) {
      size += got;
      if (size == text.size()) text.resize(2 * size);
    }
    text.resize(size);
    take(name + "_" + table + ".csv", text);
  }
}

/// "bert_placements-dgx.csv" or "bert/placements-dgx.csv"; other files are passed over.
void PolluxProfiles::take(std::string path, const std::string& text) {
  if (path.starts_with("./")) path.erase(0, 2);
  if (const auto slash = path.rfind('/'); slash != std::string::npos) path[slash] = '_';
  if (!path.ends_with(".csv")) return;
  const auto parts =
      [&](const std::string& table) -> std::optional<std::pair<std::string, std::string>> {
    const auto at = path.rfind("_" + table);
    if (at == std::string::npos || at == 0) return std::nullopt;
    const auto begin = path.rfind('/', at);
    const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
    std::string rest = path.substr(at + 1 + table.size());
    rest.resize(rest.size() - 4);
    if (rest.starts_with("-")) rest.erase(0, 1);
    return std::pair{path.substr(from, at - from), rest};
  };
  LineReader lines(bytes_of(text, path));
  if (const auto v = parts("validation")) {
    const auto batch = parse_integer(v->second);
    if (batch && *batch > 0 && *batch <= INT32_MAX)
      applications_[v->first].training.add_validation(static_cast<std::uint32_t>(*batch), lines);
  } else if (const auto p = parts("placements")) {
    applications_[p->first].on[p->second.empty() ? in_.option("type") : p->second].add_placements(
        lines);
  } else if (const auto s = parts("scalability")) {
    applications_[s->first].on[s->second.empty() ? in_.option("type") : s->second].add_scalability(
        lines);
  }
}

}  // namespace muster
