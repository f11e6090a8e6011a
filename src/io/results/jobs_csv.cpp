#include "io/results/jobs_csv.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "io/results/csv.hpp"
#include "io/results/decimal.hpp"
#include "muster/core/check.hpp"

namespace muster {
namespace {

/// Room for all numbers of a row, and its state.
constexpr std::size_t kNumbers = (20 + kCauses) * decimal::kLongest;

/// Kept rows that are written for each job that ends.
constexpr std::size_t kAtOnce = 8;

/// So many rows before its own, one that was kept is fetched from memory.
constexpr std::size_t kAhead = 4;

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
    : file_(file),
      workload_(workload),
      names_(workload.names.size() > 1),
      position_(positions(workload)),
      places_(workload.size()) {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const std::string_view state = name(static_cast<JobState>(s));
    states_[s].size = state.copy(states_[s].text.data(), states_[s].text.size());
    MUSTER_CHECK(states_[s].size == state.size());
  }
  std::string header = "job,user,queue,gpus,submit_s,start_s,end_s,state,wait_s,jct_s,preemptions";
  for (std::size_t c = 0; c < kCauses; ++c)
    header += ",wait_" + std::string{name(static_cast<Cause>(c))} + "_s";
  file_.append(header +
               ",run_gpu_s,lost_gpu_s,overhead_gpu_s,hoarded_gpu_s,resizes,moves,gpus_moved,"
               "checkpoint_gpu_s,interruptions,restarts,failed_attempts,unused_gpu_s\n");
}

void JobsCsv::take(const JobLine& line) {
  const std::uint32_t position = position_.empty() ? line.job.value : position_[line.job.value];
  if (position == next_) {
    write(line);
    ++next_;
  } else if (brief(line)) {
    keep(position, line);
  } else {
    keep_text(position, line);
  }
  write_kept(kAtOnce);
}

bool JobsCsv::brief(const JobLine& line) const {
  const JobGpuTime& held = line.gpu_time;
  const Reshapes& reshapes = line.reshapes;
  return line.started() && line.end != kNever && line.submit == workload_.submit[line.job] &&
         line.gpus_milli <= UINT32_MAX &&
         held.kept == Int128{(line.end - line.first_start).count()} * line.gpus_milli &&
         (held.lost | held.overhead | held.hoarded | held.checkpoint | held.unused) == 0 &&
         (line.preemptions | line.interruptions | line.restarts | line.failed_attempts |
          reshapes.resizes | reshapes.moves | reshapes.gpus_moved) == 0;
}

void JobsCsv::keep(std::uint32_t position, const JobLine& line) {
  Brief brief{line.first_start, line.end, line.job, static_cast<std::uint32_t>(line.gpus_milli), 0,
              line.state};
  char* const row = room(position, sizeof brief + kCauses * sizeof(Duration));
  char* p = row + sizeof brief;
  if (line.waits.in_all != Duration{})
    for (std::size_t c = 0; c < kCauses; ++c) {
      const Duration waited = line.waits.by_cause[c];
      std::memcpy(p, &waited, sizeof waited);
      const bool counts = waited != Duration{};
      p += counts ? sizeof waited : 0;
      brief.causes |= static_cast<std::uint16_t>(counts << c);
    }
  std::memcpy(row, &brief, sizeof brief);
  kept(p);
}

void JobsCsv::keep_text(std::uint32_t position, const JobLine& line) {
  text_.resize(longest(line));
  const auto size = static_cast<std::size_t>(format(text_.data(), line) - text_.data());
  Brief brief{};
  brief.milli = static_cast<std::uint32_t>(size);
  brief.more = true;
  char* const row = room(position, sizeof brief + size);
  std::memcpy(row, &brief, sizeof brief);
  std::memcpy(row + sizeof brief, text_.data(), size);
  kept(row + sizeof brief + size);
}

/// For a row that is kept; kept() then says where it ends.
char* JobsCsv::room(std::uint32_t position, std::size_t bytes) {
  if (open_ == kNone || chunks_[open_].used + bytes > kChunk) open_ = fresh_chunk(bytes);
  Chunk& chunk = chunks_[open_];
  char* const row = &chunk.bytes[chunk.used];
  places_[position] = {open_, static_cast<std::uint32_t>(chunk.used)};
  ++chunk.live;
  return row;
}

void JobsCsv::kept(const char* end) {
  Chunk& chunk = chunks_[open_];
  chunk.used = static_cast<std::size_t>(end - chunk.bytes.get());
}

std::uint32_t JobsCsv::fresh_chunk(std::size_t bytes) {
  if (spare_.empty() || bytes > kChunk) {
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(std::max(bytes, kChunk))});
    return static_cast<std::uint32_t>(chunks_.size() - 1);
  }
  const std::uint32_t chunk = spare_.back();
  spare_.pop_back();
  return chunk;
}

/// Those whose turn has come.
void JobsCsv::write_kept(std::size_t most) {
  for (; most > 0 && next_ < places_.size() && places_[next_].chunk != kNone; ++next_, --most) {
    if (const std::size_t soon = next_ + kAhead;
        soon < places_.size() && places_[soon].chunk != kNone)
      __builtin_prefetch(&chunks_[places_[soon].chunk].bytes[places_[soon].begin]);
    const auto [index, begin] = places_[next_];
    Chunk& chunk = chunks_[index];
    write_kept(&chunk.bytes[begin]);
    if (--chunk.live != 0) continue;
    chunk.used = 0;
    if (index != open_) spare_.push_back(index);
  }
}

void JobsCsv::write_kept(const char* row) {
  Brief brief;
  std::memcpy(&brief, row, sizeof brief);
  row += sizeof brief;
  if (brief.more) return file_.append({row, brief.milli});
  line_.job = brief.job;
  line_.state = brief.state;
  line_.submit = workload_.submit[brief.job];
  line_.first_start = brief.start;
  line_.end = brief.end;
  line_.gpus_milli = brief.milli;
  line_.gpu_time.kept = Int128{(brief.end - brief.start).count()} * brief.milli;
  line_.waits = {};
  for (std::uint32_t causes = brief.causes; causes != 0; causes &= causes - 1) {
    Duration& waited = line_.waits.by_cause[static_cast<std::size_t>(std::countr_zero(causes))];
    std::memcpy(&waited, row, sizeof waited);
    row += sizeof waited;
    line_.waits.in_all += waited;
  }
  write(line_);
}

void JobsCsv::write(const JobLine& line) { file_.wrote(format(file_.room(longest(line)), line)); }

/// At most so many bytes are its row.
std::size_t JobsCsv::longest(const JobLine& line) const {
  const std::size_t id = longest_csv(workload_.id_text(line.job));
  if (!names_) return kNumbers + id;
  return kNumbers + id + longest_csv(workload_.names[workload_.user[line.job]]) +
         longest_csv(workload_.names[workload_.queue[line.job]]);
}

char* JobsCsv::format(char* p, const JobLine& line) const {
  p = put_csv(p, workload_.id_text(line.job));
  *p++ = ',';
  if (names_) p = put_csv(p, workload_.names[workload_.user[line.job]]);
  *p++ = ',';
  if (names_) p = put_csv(p, workload_.names[workload_.queue[line.job]]);
  *p++ = ',';
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
  const State& state = states_[static_cast<std::size_t>(line.state)];
  std::memcpy(p, state.text.data(), state.text.size());
  p += state.size;
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
  return p;
}

void JobsCsv::finish() {
  write_kept(places_.size());
  MUSTER_CHECK(next_ == places_.size());
}

}  // namespace muster
