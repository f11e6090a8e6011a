// Sizes by goodput: Pollux on GPUs that are alike, Sia on several types.

#include "catch.hpp"
#include "muster/io/fleet.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kFour = Fleet::uniform(4, 1);

struct Outcome {
  std::vector<std::string> sizes;  // "0:1 10:2": GPUs from when on; "10:-" stopped
  std::vector<std::string> types;  // the same of the type of the first GPU
  std::vector<double> end;
};

class Watch final : public Observer {
 public:
  Watch(const Fleet& fleet, std::size_t jobs) : fleet_(fleet) {
    out.sizes.resize(jobs);
    out.types.resize(jobs);
    out.end.resize(jobs, -1);
  }
  Outcome out;
  void on(const Record& r) override {
    using What = Record::What;
    if (r.what == What::end) out.end[r.job.value] = seconds(r.at);
    if (r.what != What::start && r.what != What::reshape && r.what != What::stop) return;
    const bool stops = r.what == What::stop;
    const std::string at = std::to_string(r.at.time_since_epoch() / 1s) + ":";
    std::string& sizes = out.sizes[r.job.value];
    std::string& types = out.types[r.job.value];
    sizes += (sizes.empty() ? "" : " ") + at + (stops ? "-" : std::to_string(gpus_in(r.placement)));
    if (!stops)
      types += (types.empty() ? "" : " ") + at +
               fleet_.pools[fleet_.nodes[r.placement[0].first].pool].gpu_type;
  }

 private:
  const Fleet& fleet_;
};

Outcome run(const std::string& spec, const Workload& w, const Fleet& fleet) {
  Watch watch(fleet, w.size());
  const auto p = policy(spec);
  simulate(fleet, w, *p, {}, watch);
  return watch.out;
}

/// On "fast" jobs of model "deep" do four times what they do on "slow", those of "flat" the same; two GPUs
/// on one node do twice as much as one, on two nodes not a bit more.
Workload with_models(const std::vector<TestJob>& jobs) {
  Workload w = workload(jobs);
  const NameId fast = w.names.intern("fast"), slow = w.names.intern("slow");
  const NameId deep = w.names.intern("deep"), flat = w.names.intern("flat");
  w.throughputs.reference = fast;
  for (const auto& [gpus, nodes, factor] :
       {std::tuple{1U, 1U, 1.0}, {2U, 1U, 2.0}, {2U, 2U, 1.0}}) {
    w.throughputs.set({deep, fast, gpus, nodes}, 4 * factor);
    w.throughputs.set({deep, slow, gpus, nodes}, 1 * factor);
    w.throughputs.set({flat, fast, gpus, nodes}, 7 * factor);
    w.throughputs.set({flat, slow, gpus, nodes}, 7 * factor);
  }
  return w;
}

}  // namespace

TEST_CASE("pollux: nobody has more than twice what it ever had") {
  const auto o =
      run("elastic:sizes=pollux,interval=10s", workload({job(0s, 1, 110s).elastic(1, 4)}), kFour);
  CHECK(o.sizes[0] == "0:1 10:2 20:4");
  CHECK(o.end[0] == 40);  // 10 + 20 + 80 GPU-seconds
}

TEST_CASE("pollux: equals have the same") {
  // b comes when a has two of the four GPUs. At 20 s it may have one, and a has the rest; at 30 s two.
  const auto o =
      run("elastic:sizes=pollux,interval=10s",
          workload({job(0s, 1, 200s).elastic(1, 4), job(20s, 1, 200s).elastic(1, 4)}), kFour);
  CHECK(o.sizes[0].rfind("0:1 10:2 20:3 30:2", 0) == 0);
  CHECK(o.sizes[1].rfind("20:1 30:2", 0) == 0);
}

TEST_CASE("pollux: a change must be worth what it costs") {
  // Twice the GPUs do twice as much, times (T - R 25) / (T + 25): worth it from T > 25 on, and with one change
  // behind it from T > 75 on.
  const auto o = run("elastic:sizes=pollux,interval=10s,resize_cost=25s",
                     workload({job(0s, 1, 400s).elastic(1, 4)}), kFour);
  CHECK(o.sizes[0] == "0:1 30:2 80:4");
}

TEST_CASE("pollux: with more jobs than GPUs those that run go on") {
  std::vector<TestJob> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(job(std::chrono::seconds{i}, 1, 100s).elastic(1, 4));
  const auto o = run("elastic:sizes=pollux,interval=10s", workload(jobs), kFour);
  for (int i = 0; i < 4; ++i) {
    INFO(i);
    CHECK(o.sizes[static_cast<std::size_t>(i)].find('-') == std::string::npos);
  }
  CHECK(o.sizes[4].rfind("0:", 0) == std::string::npos);
}

TEST_CASE("pollux: GPUs that lie badly are known to be worth less") {
  // On two nodes of one GPU each a second GPU is of no use, on one node of two it is.
  const Workload w = with_models({job(0s, 1, 100s).elastic(1, 2).model("deep")});
  CHECK(run("elastic:sizes=pollux,interval=10s", w, load_fleet("1x2:fast")).end[0] == 55);
  CHECK(run("elastic:sizes=pollux,interval=10s", w, load_fleet("2x1:fast")).end[0] == 100);
}

TEST_CASE("sia: the type goes to whom it serves most, and jobs move to it") {
  const Fleet fleet = load_fleet("1x1:fast+1x1:slow");
  // Flat is as fast on either; deep needs fast, and has it within a round, wherever flat was.
  const Workload w = with_models({job(0s, 1, 100s).model("flat"), job(15s, 1, 40s).model("deep")});
  const auto o = run("elastic:sizes=sia,power=-0.5,interval=10s", w, fleet);
  CHECK(o.types[1].find("fast") != std::string::npos);
  CHECK(o.end[1] <= 60);
  CHECK(o.end[0] == 100);
  // Deep alone has the fast one at once.
  const Workload alone = with_models({job(0s, 1, 40s).model("deep")});
  CHECK(run("elastic:sizes=sia,power=-0.5,interval=10s", alone, fleet).types[0] == "0:fast");
}

TEST_CASE("sia: sizes are powers of two, doubled at most, and only where they pay") {
  const Fleet fleet = load_fleet("1x8:fast");
  const auto o = run("elastic:sizes=sia,power=-0.5,interval=10s",
                     workload({job(0s, 1, 400s).elastic(1, 8)}), fleet);
  CHECK(o.sizes[0] == "0:1 10:2 20:4 30:8");
  CHECK(o.end[0] == 30 + (400 - 70) / 8.0);
  const auto dear = run("elastic:sizes=sia,power=-0.5,interval=10s,resize_cost=25s",
                        workload({job(0s, 1, 400s).elastic(1, 8)}), fleet);
  CHECK(dear.sizes[0].rfind("0:1 30:2", 0) == 0);
}
