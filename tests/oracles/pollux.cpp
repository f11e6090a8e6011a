// Pollux' published simulation of its workload 6, and the order of policies that it and Sia report.

#include <cmath>
#include <fstream>
#include <iterator>

#include "muster/io/fleet.hpp"
#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const std::string kTuned = "tuned", kAsked = "asked";

Workload read_workload(const std::filesystem::path& file, const std::string& batch) {
  ReadOptions read;
  read.extra = {{"batch", batch},
                {"validation", (traces() / "pollux/profile_validation.tar.zst").string()}};
  if (file.string().find("sia") == std::string::npos)
    read.extra["profiles"] = (traces() / "pollux").string() + "/";
  return read_trace(file, read).workload;
}

/// Mean turnaround in seconds, at passes a minute apart.
double mean_jct(const Workload& w, const Fleet& fleet, const std::string& spec) {
  EngineOptions options;
  options.scheduling_interval = 60s;
  const Timetable t = timetable(fleet, w, spec, options);
  double sum = 0;
  for (std::uint32_t j = 0; j < w.size(); ++j) sum += seconds(t.end[JobId{j}] - w.submit[JobId{j}]);
  return sum / static_cast<double>(w.size());
}

/// {'cifar10-0': 902, ...}: Python's, of turnarounds in seconds.
std::map<std::string, std::int64_t> peer_turnarounds(const std::filesystem::path& file) {
  std::ifstream in{file};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  std::map<std::string, std::int64_t> all;
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at)) {
    const std::size_t end = text.find('\'', at + 1);
    const std::size_t stop = text.find_first_of(",}", end);
    all[text.substr(at + 1, end - at - 1)] =
        parse_integer(text.substr(end + 3, stop - end - 3)).value();
    at = stop;
  }
  return all;
}

}  // namespace

TEST_CASE("Pollux' run times: where its simulator disturbs a job on 6 GPUs by nothing") {
  const auto file = oracles() / "gpu/pollux/workload-6.csv",
             peer = oracles() / "gpu/pollux/w6_tiresias_jct.txt";
  if (!present(file) || !present(peer) || !present(traces() / "pollux")) return;
  const Workload w = read_workload(file, kAsked);
  const auto theirs = peer_turnarounds(peer);
  CHECK(theirs.size() == 160);
  CHECK(w.size() == 152);  // the others have no published training
  std::map<std::string, int> same;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    if (w.shapes[w.shape[j]].gpus != 6) continue;
    // It starts at the next minute, and pays 30 s. (Counted from the trace's zero, 53 s before ours.)
    const std::int64_t submit = (w.submit[j].time_since_epoch() + 53s) / 1s;
    const double run = static_cast<double>(theirs.at(std::string{w.id_text(j)})) - 30 -
                       static_cast<double>((60 - submit % 60) % 60);
    const double ours = static_cast<double>(w.truth.duration[j] / 1ms) / 1e3;
    if (std::abs(run / ours - 1) < 0.007) ++same[std::string{w.names[w.model[j]]}];
  }
  CHECK(same["cifar10 (batch size 2048)"] == 9);
  CHECK(same["bert (batch size 384)"] == 5);
}

TEST_CASE("Pollux' workloads: Pollux before Tiresias before Optimus") {
  const Fleet fleet = load_fleet("16x4:t4");
  std::vector<std::filesystem::path> files{oracles() / "gpu/pollux/workload-6.csv"};
  for (const char n : {'1', '2', '3', '4', '5'})
    files.push_back(traces() / "pollux" / (std::string{"workloads_"} + n + ".csv"));
  for (const auto& file : files) {
    if (!present(file) || !present(traces() / "pollux")) continue;
    INFO(file);
    const Workload asked = read_workload(file, kAsked);
    const double pollux = mean_jct(read_workload(file, kTuned), fleet, "pollux:estimates=perfect");
    const double tiresias =
        mean_jct(asked, fleet, "tiresias:thresholds=16h,preemption=checkpoint,restart_cost=30s");
    const double optimus =
        mean_jct(asked, fleet, "optimus:interval=60s,resize_cost=30s,estimates=perfect");
    CHECK(pollux < tiresias);
    CHECK(tiresias < optimus);
  }
}

TEST_CASE("Sia's workloads, three types of GPU: Sia before Pollux and before Gavel") {
  const Fleet fleet = load_fleet("6x4:aws+3x8:rtx+2x8:dgx-ext");
  for (const char* name : {"philly_1", "philly_2", "saturn_1", "saturn_2"}) {
    const auto file = traces() / "sia" / (std::string{name} + ".csv");
    if (!present(file) || !present(traces() / "pollux")) continue;
    INFO(name);
    const Workload tuned = read_workload(file, kTuned);
    const double sia = mean_jct(tuned, fleet, "sia:estimates=perfect");
    CHECK(sia < mean_jct(tuned, fleet, "pollux:estimates=perfect"));
    CHECK(sia < mean_jct(read_workload(file, kAsked), fleet, "gavel_las"));
  }
}
