#include "io/results/timeline_json.hpp"

#include <algorithm>
#include <bit>

#include "io/results/json_text.hpp"
#include "muster/core/int128.hpp"

namespace muster {
namespace {

/// Tracks of a GPU: one per job that holds a share of it.
constexpr std::uint32_t kShares = 1000;
/// The track of a node that says when it is out of service: behind those of its GPUs.
constexpr std::uint32_t kOutage = 64 * kShares;

/// Microseconds are the format's unit.
std::string time_text(SimTime t) { return to_decimal(t.time_since_epoch().count(), 3); }

std::string place(std::uint32_t node, std::uint32_t track) {
  return "\"pid\":" + std::to_string(node + 1) + ",\"tid\":" + std::to_string(track + 1);
}

}  // namespace

TimelineJson::TimelineJson(ResultFile& file, const Fleet& fleet, const Workload& workload)
    : file_(file), fleet_(fleet), workload_(workload) {
  file_.append("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
  event(R"({"ph":"M","name":"process_name","pid":0,"args":{"name":"cluster"}})");
}

void TimelineJson::event(const std::string& json) {
  if (!first_) file_.append(",\n");
  first_ = false;
  file_.append(json);
}

void TimelineJson::slice(Track track, SimTime from, SimTime to, std::string_view what,
                         std::string_view how) {
  event("{\"ph\":\"X\"," + place(track.first, track.second) + ",\"ts\":" + time_text(from) +
        ",\"dur\":" + time_text(kStart + (to - from)) + ",\"name\":" + JsonText::quoted(what) +
        ",\"args\":{\"then\":" + JsonText::quoted(how) + "}}");
}

TimelineJson::Track TimelineJson::take(NodeId node, std::uint32_t gpu) {
  Track track{node.value, gpu * kShares};
  while (taken_.contains(track)) ++track.second;
  taken_.insert(track);
  if (!named_.insert(track).second) return track;
  const std::string name = "GPU " + std::to_string(gpu);
  event("{\"ph\":\"M\",\"name\":\"process_name\"," + place(track.first, track.second) +
        ",\"args\":{\"name\":" + JsonText::quoted(fleet_.node_name(node)) + "}}");
  event("{\"ph\":\"M\",\"name\":\"thread_name\"," + place(track.first, track.second) +
        ",\"args\":{\"name\":" + JsonText::quoted(name) + "}}");
  return track;
}

void TimelineJson::open(SimTime at, JobId job, std::span<const Slice> where) {
  Held& held = held_[job];
  held.since = at;
  for (const Slice& s : where)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      const std::uint32_t bits = fleet_.pools[fleet_.nodes[NodeId{n}].pool].bits_per_gpu();
      std::uint32_t before = UINT32_MAX;  // the slots of one MIG instance are one track
      for (GpuMask rest = s.gpus; rest != 0; rest &= rest - 1) {
        const std::uint32_t gpu = static_cast<std::uint32_t>(std::countr_zero(rest)) / bits;
        if (gpu != before) held.tracks.push_back(take(NodeId{n}, gpu));
        before = gpu;
      }
    }
}

void TimelineJson::close(SimTime at, JobId job, std::string_view how) {
  const auto found = held_.find(job);
  if (found == held_.end()) return;
  for (const Track& track : found->second.tracks) {
    slice(track, found->second.since, at, workload_.id_text(job), how);
    taken_.erase(track);
  }
  held_.erase(found);
}

void TimelineJson::on(const Record& r) {
  now_ = r.at;
  switch (r.what) {
    case Record::What::start:
    case Record::What::acquire:
    case Record::What::reshape:
      close(r.at, r.job, r.what == Record::What::reshape ? "reshape" : "acquire");
      open(r.at, r.job, r.placement);
      break;
    case Record::What::stop:
      close(r.at, r.job,
            r.interrupted ? "interrupted"
            : r.failed    ? "failed, tried again"
            : r.slow      ? "on a slow node"
                          : "preempted");
      break;
    case Record::What::drop:
      close(r.at, r.job, "drop");
      break;
    case Record::What::end:
      close(r.at, r.job, name(r.state));
      break;
    case Record::What::submit:
    case Record::What::release:
    case Record::What::reject:
    case Record::What::reprice:
      break;
  }
}

void TimelineJson::node(const NodeRecord& r) {
  now_ = r.at;
  const Track track{r.node.value, kOutage};
  if (const auto found = away_.find(r.node); found != away_.end()) {
    slice(track, found->second.first, r.at, name(found->second.second), name(r.after));
    away_.erase(found);
  }
  if (r.after != Service::up) away_[r.node] = {r.at, r.after};
}

void TimelineJson::decided(const Decision& d) {
  now_ = d.at;
  if (d.running == running_ && d.waiting == waiting_) return;
  running_ = d.running;
  waiting_ = d.waiting;
  event("{\"ph\":\"C\",\"pid\":0,\"ts\":" + time_text(d.at) +
        ",\"name\":\"jobs\",\"args\":{\"running\":" + std::to_string(running_) +
        ",\"waiting\":" + std::to_string(waiting_) + "}}");
}

void TimelineJson::finish(SimTime end) {
  now_ = std::max(now_, end);
  while (!held_.empty()) close(now_, held_.begin()->first, "still running");
  for (const auto& [node, since] : away_)
    slice({node.value, kOutage}, since.first, now_, name(since.second), "still so");
  file_.append("\n]}\n");
}

}  // namespace muster
