// How many GPUs stay unallocated where jobs keep coming, on the cluster and the pods of "Beware of
// Fragmentation" (Weng et al., ATC'23): the order of the placers is the paper's.

#include "muster/core/random.hpp"
#include "muster/io/fleet.hpp"
#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Pods drawn from the trace, with replacement, that never end, until they ask for 100 % of the
/// fleet's GPUs: section 6.1.
Workload inflated(const Workload& pods, const Fleet& fleet, std::uint64_t seed) {
  Stream draw(seed, "pods");
  TraceReport report;
  WorkloadBuilder builder(report);
  std::int64_t asked = 0;
  for (std::int64_t i = 0; asked < std::int64_t{fleet.gpus} * 1000; ++i) {
    const JobId from{static_cast<std::uint32_t>(draw.below(pods.size()))};
    JobRow row;
    row.job = std::to_string(i);
    row.submit = i * 1s;
    row.duration = 1'000'000s;
    row.shape.gpus = pods.shapes[pods.shape[from]].gpus;
    row.shape.milli = pods.shapes[pods.shape[from]].milli;
    row.types = pods.names[pods.shapes[pods.shape[from]].types];
    asked += std::int64_t{row.shape.gpus} * row.shape.milli;
    builder.add(row);
  }
  return builder.finish();
}

/// Thousandths of GPUs that are asked for and started, by the end of the arrivals.
class Started final : public Observer {
 public:
  explicit Started(const Workload& w) : w_(w) {}
  void on(const Record& r) override {
    const Shape& s = w_.shapes[w_.shape[r.job]];
    if (r.what == Record::What::start && r.at <= w_.submit[JobId{last()}])
      milli += std::int64_t{s.gpus} * s.milli;
  }
  std::int64_t milli = 0;

 private:
  std::uint32_t last() const { return static_cast<std::uint32_t>(w_.size()) - 1; }
  const Workload& w_;
};

/// In per cent of the fleet.
double unallocated(const Fleet& fleet, const Workload& w, const std::string& placer) {
  Started started(w);
  const auto p = policy("batch:skip=true,placer=" + placer);
  simulate(fleet, w, *p, {}, started);
  return 100 - static_cast<double>(started.milli) / (10.0 * fleet.gpus);
}

}  // namespace

namespace {

/// Per cent of the fleet, the mean over three draws; nothing if the trace is not there.
std::map<std::string, double> unallocated(const char* list, std::vector<const char*> placers) {
  const auto folder = traces() / "alibaba_openb2023";
  const auto nodes = folder / "openb_node_list_gpu_node.csv";
  std::map<std::string, double> mean;
  if (!present(nodes) || !present(folder / list)) return mean;
  const Fleet fleet = load_fleet(nodes.string());
  const Workload pods = read_trace(folder / list).workload;
  for (std::uint64_t seed = 42; seed < 45; ++seed) {
    const Workload w = inflated(pods, fleet, seed);
    for (const char* placer : placers) mean[placer] += unallocated(fleet, w, placer) / 3;
  }
  for (const auto& [placer, u] : mean) UNSCOPED_INFO(placer << " " << u << " %");
  return mean;
}

}  // namespace

TEST_CASE("unallocated GPUs: the paper's order of FGD, best fit and random") {
  auto u = unallocated("openb_pod_list_default.csv.zst", {"fgd", "best_fit", "random", "spread"});
  if (u.empty()) return;
  CHECK(u["fgd"] < u["best_fit"]);
  CHECK(u["best_fit"] < u["random"]);
  CHECK(u["random"] < u["spread"]);
  // Published: 4.9 % with CPUs that run out too.
  CHECK(u["fgd"] == Approx(4.02).margin(0.01));
  CHECK(u["best_fit"] == Approx(4.06).margin(0.01));
  CHECK(u["random"] == Approx(4.15).margin(0.01));
}

TEST_CASE("unallocated GPUs where a third of the pods name their types") {
  auto u = unallocated("openb_pod_list_gpuspec33.csv.zst",
                       {"fgd", "best_fit", "dot_product", "dot_product_least", "random"});
  if (u.empty()) return;
  for (const char* other : {"best_fit", "dot_product", "dot_product_least", "random"})
    CHECK(u["fgd"] < u[other] - 2);
  CHECK(u["fgd"] == Approx(12.46).margin(0.01));
  CHECK(u["random"] == Approx(15.00).margin(0.01));
  CHECK(u["best_fit"] == Approx(19.00).margin(0.01));
}
