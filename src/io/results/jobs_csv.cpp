#include "io/results/jobs_csv.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "io/results/csv.hpp"
#include "io/results/decimal.hpp"
#include "muster/core/check.hpp"

namespace muster {
namespace {

/// Room for all numbers of a row, and its state.
constexpr std::size_t kNumbers = (20 + kCauses) * decimal::kLongest;

/// ",0" so many times.
template <std::size_t columns>
char* put_zeros(char* p) {
  static constexpr auto kText = [] {
    std::array<char, 2 * columns> text{};
    for (std::size_t i = 0; i < text.size(); i += 2) {
      text[i] = ',';
      text[i + 1] = '0';
    }
    return text;
  }();
  std::memcpy(p, kText.data(), kText.size());
  return p + kText.size();
}

/// Where each job's row stands; empty if every job stands at its id.
std::vector<std::uint32_t> positions(const Workload& workload) {
  const std::vector<std::uint32_t>& row = workload.row.items();
  if (std::is_sorted(row.begin(), row.end())) return {};
  std::vector<std::uint32_t> jobs(row.size());
  std::iota(jobs.begin(), jobs.end(), 0U);
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return row[a] < row[b]; });
  std::vector<std::uint32_t> position(row.size());
  for (std::uint32_t i = 0; i < jobs.size(); ++i) position[jobs[i]] = i;
  return position;
}

}  // namespace

JobsCsv::JobsCsv(ResultFile& file, const Workload& workload)
    : file_(file), workload_(workload), position_(positions(workload)), places_(workload.size()) {
  for (std::size_t s = 0; s < states_.size(); ++s) states_[s] = name(static_cast<JobState>(s));
  std::string header = "job,user,queue,gpus,submit_s,start_s,end_s,state,wait_s,jct_s,preemptions";
  for (std::size_t c = 0; c < kCauses; ++c)
    header += ",wait_" + std::string{name(static_cast<Cause>(c))} + "_s";
  file_.append(header +
               ",run_gpu_s,lost_gpu_s,overhead_gpu_s,hoarded_gpu_s,resizes,moves,gpus_moved,"
               "checkpoint_gpu_s,interruptions,restarts,failed_attempts,unused_gpu_s\n");
}

void JobsCsv::take(const JobLine& line) {
  const std::string_view row = format(line);
  const std::uint32_t position = position_.empty() ? line.job.value : position_[line.job.value];
  if (position != next_) {
    keep(position, row);
    return;
  }
  file_.append(row);
  ++next_;
  write_kept();
}

void JobsCsv::keep(std::uint32_t position, std::string_view row) {
  if (open_ == kNone || chunks_[open_].text.size() + row.size() > kChunk) {
    if (spare_.empty()) {
      spare_.push_back(static_cast<std::uint32_t>(chunks_.size()));
      chunks_.emplace_back();
      chunks_.back().text.reserve(kChunk);
    }
    open_ = spare_.back();
    spare_.pop_back();
  }
  Chunk& chunk = chunks_[open_];
  places_[position] = {open_, static_cast<std::uint32_t>(chunk.text.size()),
                       static_cast<std::uint32_t>(row.size())};
  chunk.text += row;
  ++chunk.live;
}

void JobsCsv::write_kept() {
  for (; next_ < places_.size() && places_[next_].chunk != kNone; ++next_) {
    const auto [index, begin, size] = places_[next_];
    Chunk& chunk = chunks_[index];
    file_.append(std::string_view{chunk.text}.substr(begin, size));
    if (--chunk.live != 0) continue;
    chunk.text.clear();
    if (index != open_) spare_.push_back(index);
  }
}

std::string_view JobsCsv::format(const JobLine& line) {
  std::array<std::string_view, 3> texts{workload_.id_text(line.job)};
  if (workload_.names.size() > 1) {  // some job says something by name
    texts[1] = workload_.names[workload_.user[line.job]];
    texts[2] = workload_.names[workload_.queue[line.job]];
  }
  std::size_t longest = kNumbers;
  for (const std::string_view text : texts) longest += longest_csv(text);
  if (buffer_.size() < longest) buffer_.resize(longest);
  char* p = buffer_.data();
  for (const std::string_view text : texts) {
    p = put_csv(p, text);
    *p++ = ',';
  }
  p = decimal::put_milli(p, line.gpus_milli);

  const auto seconds_or_nothing = [&p](bool known, auto time) {
    *p++ = ',';
    if (known) p = decimal::put_seconds(p, time);
  };
  const auto seconds = [&p](Duration time) {
    if (time == Duration{}) {
      p = put_zeros<1>(p);
      return;
    }
    *p++ = ',';
    p = decimal::put_seconds(p, time);
  };
  const auto number = [&p](std::uint64_t n) {
    *p++ = ',';
    p = decimal::put(p, n);
  };
  const auto gpu_seconds = [&p](Int128 time) {
    *p++ = ',';
    p = decimal::put_gpu_seconds(p, time);
  };
  seconds_or_nothing(true, line.submit);
  seconds_or_nothing(line.started(), line.first_start);
  seconds_or_nothing(line.end != kNever, line.end);
  *p++ = ',';
  const std::string_view state = states_[static_cast<std::size_t>(line.state)];
  p += state.copy(p, state.size());
  seconds_or_nothing(line.started(), line.started() ? line.wait() : Duration{});
  seconds_or_nothing(line.finished(), line.finished() ? line.turnaround() : Duration{});
  number(line.preemptions);

  // Most jobs wait for one thing or for none, and only run.
  if (line.waits.in_all == Duration{})
    p = put_zeros<kCauses>(p);
  else
    for (const Duration waited : line.waits.by_cause) seconds(waited);
  const JobGpuTime& held = line.gpu_time;
  const Reshapes& reshapes = line.reshapes;
  gpu_seconds(held.kept);
  if ((held.lost | held.overhead | held.hoarded | held.checkpoint | held.unused) == 0 &&
      (reshapes.resizes | reshapes.moves | reshapes.gpus_moved | line.interruptions |
       line.restarts | line.failed_attempts) == 0) {
    p = put_zeros<11>(p);
  } else {
    for (const Int128 time : {held.lost, held.overhead, held.hoarded}) gpu_seconds(time);
    for (const std::uint64_t n : {reshapes.resizes, reshapes.moves, reshapes.gpus_moved}) number(n);
    gpu_seconds(held.checkpoint);
    for (const std::uint32_t n : {line.interruptions, line.restarts, line.failed_attempts})
      number(n);
    gpu_seconds(held.unused);
  }
  *p++ = '\n';
  return {buffer_.data(), static_cast<std::size_t>(p - buffer_.data())};
}

void JobsCsv::finish() { MUSTER_CHECK(next_ == places_.size()); }

}  // namespace muster
