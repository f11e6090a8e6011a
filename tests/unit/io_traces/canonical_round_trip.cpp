#include <sstream>

#include "catch.hpp"
#include "muster/io/canonical_writer.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

std::string written(const Workload& w) {
  std::ostringstream out;
  write_canonical(w, out);
  return out.str();
}

std::vector<std::string> texts(const Workload& w, const IdVector<JobId, NameId>& column) {
  std::vector<std::string> all;
  for (const NameId id : column) all.emplace_back(w.names[id]);
  return all;
}

/// A shape with its names spelled out, since ids depend on the order of first appearance.
std::vector<std::tuple<Shape, std::string, std::string>> shapes(const Workload& w) {
  std::vector<std::tuple<Shape, std::string, std::string>> all;
  for (const ShapeId id : w.shape) {
    Shape s = w.shapes[id];
    const std::string types{w.names[s.types]};
    const std::string tasks{w.names[s.tasks]};
    s.types = s.tasks = {};
    all.emplace_back(s, types, tasks);
  }
  return all;
}

auto wishes(const Workload& w) {
  std::vector<std::tuple<JobId, Duration, std::uint32_t>> all;
  for (const auto& [job, list] : w.size_requests)
    for (const SizeRequest& wish : list) all.emplace_back(job, wish.after, wish.gpus);
  return all;
}

void check_same(const Workload& a, const Workload& b) {
  CHECK(ids(a) == ids(b));
  CHECK(a.submit.items() == b.submit.items());
  CHECK(a.estimate.items() == b.estimate.items());
  CHECK((shapes(a) == shapes(b)));
  CHECK(texts(a, a.user) == texts(b, b.user));
  CHECK(texts(a, a.queue) == texts(b, b.queue));
  CHECK(texts(a, a.group) == texts(b, b.group));
  CHECK(texts(a, a.project) == texts(b, b.project));
  CHECK(texts(a, a.model) == texts(b, b.model));
  CHECK(texts(a, a.kind) == texts(b, b.kind));
  CHECK(a.priority.items() == b.priority.items());
  CHECK(a.limit.items() == b.limit.items());
  CHECK(a.cancel.items() == b.cancel.items());
  CHECK(a.qos.items() == b.qos.items());
  CHECK(a.deadline.items() == b.deadline.items());
  CHECK(a.checkpoint_interval.items() == b.checkpoint_interval.items());
  CHECK(a.checkpoint_cost.items() == b.checkpoint_cost.items());
  CHECK(a.restart_cost.items() == b.restart_cost.items());
  CHECK(a.grace.items() == b.grace.items());
  CHECK(a.min_gpus.items() == b.min_gpus.items());
  CHECK(a.max_gpus.items() == b.max_gpus.items());
  CHECK(a.cpus.items() == b.cpus.items());
  CHECK(a.memory_gb.items() == b.memory_gb.items());
  CHECK(a.depends_on == b.depends_on);
  CHECK(wishes(a) == wishes(b));
  CHECK(a.row.items() == b.row.items());
  CHECK(a.truth.duration.items() == b.truth.duration.items());
  CHECK(a.truth.outcome.items() == b.truth.outcome.items());
  CHECK(a.truth.failed_attempts == b.truth.failed_attempts);
  CHECK(a.truth.recorded_start.items() == b.truth.recorded_start.items());
  CHECK(a.truth.recorded_end.items() == b.truth.recorded_end.items());
  CHECK(a.origin_unix_ns == b.origin_unix_ns);
}

void check_round_trip(const Workload& w) {
  check_same(w, read_trace_text(written(w), "t.csv", in_format("muster")).workload);
}

Workload full_workload() {
  TraceReport report;
  WorkloadBuilder builder(report);
  builder.counts_from(1'000'000'007);
  JobRow r;
  r.job = "late, \"quoted\" ";
  r.submit = 1700000000s + 1ns;
  r.duration = 1h + 1ns;
  r.shape = {
      .gpus = 16, .nodes = 2, .gpus_per_node = 8, .required = Level::pod, .preferred = Level::leaf};
  r.types = "A100|H100";
  r.estimate = 2h;
  r.limit = kUnlimited;
  r.cancel = 5s;
  r.deadline = 48h;
  r.checkpoint_interval = 10min;
  r.checkpoint_cost = 1s;
  r.restart_cost = 2s;
  r.grace = 3s;
  r.user = "# ann";
  r.group = "g";
  r.queue = " q ";
  r.project = "p";
  r.model = "bert (batch size 64)";
  r.kind = "service";
  r.priority = -7;
  r.qos = Qos::spot;
  r.min_gpus = 8;
  r.max_gpus = 32;
  r.cpus = 0.1F;
  r.memory_gb = 1e6F;
  r.outcome = Outcome::node_fail;
  r.recorded_start = 1700000000s - 10s;
  r.recorded_end = 1700000500s;
  r.depends_on = {"early"};
  r.failed_attempts = {90s + 1ns, 0s};
  builder.add(r);
  JobRow plain;
  plain.job = "early";
  plain.submit = 1699999000s;
  plain.duration = 0s;
  plain.shape = {.gpus = 1, .milli = 250};
  builder.add(plain);
  JobRow tasks;
  tasks.job = "tasks";
  tasks.submit = 1699999000s;
  tasks.duration = 5s;
  tasks.shape = {.gpus = 12};
  tasks.tasks = "4+8";
  builder.add(tasks);
  JobRow nodes;
  nodes.job = "whole nodes";
  nodes.submit = 1699999000s;
  nodes.duration = 5s;
  nodes.shape = {.gpus = 0, .nodes = 3};
  nodes.size_requests = {{0s, 4}, {1h, 8}};
  builder.add(nodes);
  return builder.finish();
}

}  // namespace

TEST_CASE("a workload written and read again is the same") { check_round_trip(full_workload()); }

TEST_CASE("a recorded start before the origin survives") {
  const Trace t = read_trace_text(
      "job,submit,gpus,duration,recorded_start\n"
      "a,2023-03-01T00:00:00Z,1,1,2023-02-28T23:59:50Z\n",
      "t.csv");
  CHECK(t.workload.truth.recorded_start[JobId{0}] == SimTime{-10s});
  check_round_trip(t.workload);
}

TEST_CASE("only the columns in use are written, rows in the order of the trace") {
  const Trace t =
      read_trace_text("job,submit,gpus,duration,user\nb,30,64,2h,\na,0,8,1.25,ann\n", "t.csv");
  CHECK(written(t.workload) ==
        "job,submit,gpus,duration,user\n"
        "b,30,64,7200,\n"
        "a,0,8,1.25,ann\n");
}

TEST_CASE("the origin of a trace with dates survives") {
  const Trace t =
      read_trace_text("job,submit,gpus,duration\na,2023-03-01T00:00:00Z,1,1\n", "t.csv");
  CHECK(written(t.workload) ==
        "# origin_unix_ns: 1677628800000000000\njob,submit,gpus,duration\na,0,1,1\n");
}

TEST_CASE("real traces survive the way through the canonical CSV") {
  for (const char* name :
       {"philly/philly_pollux_2017-09_10.csv.zst", "swf/hpc2n_excerpt.swf",
        "acme/trace_kalos_sample2.csv", "alibaba_openb2023/openb_pod_list_gpuspec33.csv.zst",
        "mit_supercloud/slurm_log_part1.csv.zst", "gavel_msr/seed0_11cb48.trace"})
    if (const auto file = real_trace(name)) check_round_trip(read_trace(*file).workload);
}
