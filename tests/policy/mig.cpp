// MIG instances: where they go, what making one costs, and why one can't be made.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "muster/io/fleet.hpp"
#include "muster/metrics/books.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Nodes of one group: `{"count": 1, "gpus": 1, "mig": true}`.
Fleet gpus(int nodes, int gpus, const std::string& mig = "true") {
  return parse_fleet("{\"groups\": [{\"count\": " + std::to_string(nodes) +
                         ", \"gpus\": " + std::to_string(gpus) + ", \"mig\": " + mig + "}]}",
                     "fleet");
}

/// What became of each job: "0-100 n0:0 slot 6", or why it was rejected.
class Notes final : public Observer {
 public:
  explicit Notes(const Workload& w) : w_(w) {}
  void on(const Record& r) override {
    std::string& text = of[std::string{w_.id_text(r.job)}];
    const auto time = [](SimTime t) { return std::to_string((t - kStart) / 1s); };
    if (r.what == Record::What::start) {
      const std::uint32_t first = static_cast<std::uint32_t>(std::countr_zero(r.placement[0].gpus));
      text = time(r.at) + "-";
      where_ = " n" + std::to_string(r.placement[0].first.value) + ":" + std::to_string(first / 8) +
               " " + slots_text(slots_of(r.placement[0].gpus, first / 8));
      places_[r.job] = where_;
    }
    if (r.what == Record::What::end && !text.empty()) text += time(r.at) + places_[r.job];
    if (r.what == Record::What::reject) text = "rejected";
  }
  std::map<std::string, std::string> of;

 private:
  const Workload& w_;
  std::string where_;
  std::map<JobId, std::string> places_;
};

std::map<std::string, std::string> ran(const std::string& spec, const std::vector<TestJob>& jobs,
                                       const Fleet& fleet) {
  const Workload w = workload(jobs);
  Notes notes(w);
  simulate(fleet, w, *policy(spec), {}, notes);
  return notes.of;
}

TestJob mig(Duration submit, const std::string& profile, Duration duration) {
  return job(submit, 1, duration).mig(profile);
}

const std::vector<TestJob> kSmallFirst{mig(0s, "1g", 100s), mig(1s, "2g", 100s),
                                       mig(2s, "4g", 100s)};

}  // namespace

TEST_CASE("small instances leave room for the largest") {
  auto kept = ran("batch", kSmallFirst, gpus(1, 1));
  CHECK(kept["a"] == "0-100 n0:0 slot 6");
  CHECK(kept["b"] == "1-101 n0:0 slots 4,5");
  CHECK(kept["c"] == "2-102 n0:0 slots 0,1,2,3");
  auto first = ran("batch:mig_placement=first_free", kSmallFirst, gpus(1, 1));
  CHECK(first["a"] == "0-100 n0:0 slot 0");
  CHECK(first["b"] == "1-101 n0:0 slots 2,3");
  CHECK(first["c"] == "101-201 n0:0 slots 0,1,2,3");
}

TEST_CASE("a GPU that is used already comes before an empty one") {
  const std::vector<TestJob> jobs{mig(0s, "1g", 100s), mig(1s, "3g", 100s), mig(2s, "7g", 100s),
                                  mig(3s, "2g", 100s)};
  auto where = ran("batch", jobs, gpus(1, 2));
  CHECK(where["a"] == "0-100 n0:0 slot 6");
  CHECK(where["b"] == "1-101 n0:0 slots 0,1,2,3");
  CHECK(where["c"] == "2-102 n0:1 slots 0,1,2,3,4,5,6,7");
  CHECK(where["d"] == "3-103 n0:0 slots 4,5");
}

TEST_CASE("slot 7 alone is of no use to anybody") {
  const std::vector<TestJob> jobs(8, mig(0s, "1g", 100s));
  auto where = ran("batch", jobs, gpus(1, 1));
  CHECK(where["g"].starts_with("0-100"));
  CHECK(where["h"].starts_with("100-200"));
}

TEST_CASE("what making an instance takes is paid where it does not stand") {
  const std::string spec = "batch:mig_reconfigure=5s";
  // b finds a's instance; c, larger, does not; d would, but c's has taken its slots.
  const std::vector<TestJob> jobs{mig(0s, "3g", 100s), mig(200s, "3g", 100s), mig(400s, "7g", 100s),
                                  mig(600s, "3g", 100s)};
  auto where = ran(spec, jobs, gpus(1, 1));
  CHECK(where["a"] == "0-105 n0:0 slots 4,5,6,7");
  CHECK(where["b"] == "200-300 n0:0 slots 4,5,6,7");
  CHECK(where["c"].starts_with("400-505"));
  CHECK(where["d"].starts_with("600-705"));

  SECTION("it is starting time in the books, and none of the job's work or limit") {
    const Fleet fleet = gpus(1, 1);
    const Workload w = workload(jobs);
    const auto p = policy(spec);
    std::vector<ShapeDemand> demands;
    for (const Demand& d : resolve_all(w, fleet, p->cutting()))
      demands.push_back({d.total_milli(), d.pools});
    Books books(fleet, w, demands);
    books.close(simulate(fleet, w, *p, {}, books));
    const auto gpu_ms = [&](GpuClass c) {
      return static_cast<std::int64_t>(books.summary().gpu_time[static_cast<std::size_t>(c)] /
                                       1'000'000'000);
    };
    CHECK(gpu_ms(GpuClass::starting) == (5 * 500 + 5 * 1000 + 5 * 500));
    CHECK(gpu_ms(GpuClass::run_compute) == (3 * 100 * 500 + 100 * 1000));
    CHECK(gpu_ms(GpuClass::lost) == 0);
  }
}

TEST_CASE("neighbours keep running while an instance is made") {
  const std::vector<TestJob> jobs{mig(0s, "3g", 100s), mig(10s, "3g", 50s)};
  auto where = ran("batch:mig_reconfigure=5s", jobs, gpus(1, 1));
  CHECK(where["a"] == "0-105 n0:0 slots 4,5,6,7");  // a 4g would fit beside it
  CHECK(where["b"] == "10-65 n0:0 slots 0,1,2,3");
}

TEST_CASE("easy plans with the time that making an instance takes") {
  // The 7g is promised 100; the 1g would end then, were it not for 5 s: it has to wait.
  const std::vector<TestJob> jobs{mig(0s, "4g", 95s), mig(1s, "7g", 10s), mig(2s, "1g", 98s)};
  auto where = ran("batch:backfill=easy,mig_reconfigure=5s", jobs, gpus(1, 1));
  CHECK(where["b"].starts_with("100-115"));
  CHECK(where["c"].starts_with("115-"));
  where = ran("batch:backfill=easy", {jobs[0], jobs[1], mig(2s, "1g", 93s)}, gpus(1, 1));
  CHECK(where["b"].starts_with("95-105"));
  CHECK(where["c"].starts_with("2-95"));
}

TEST_CASE("fixed instances") {
  const Fleet fleet = gpus(1, 1, R"(["3g@4", "2g@0", "1g@2"])");
  const std::vector<TestJob> jobs{mig(0s, "3g", 100s), mig(1s, "3g", 100s), mig(2s, "1g", 10s),
                                  mig(3s, "4g", 10s)};
  auto where = ran("batch:skip=true,mig_reconfigure=5s", jobs, fleet);
  CHECK(where["a"] == "0-100 n0:0 slots 4,5,6,7");
  CHECK(where["b"] == "100-200 n0:0 slots 4,5,6,7");
  CHECK(where["c"] == "2-12 n0:0 slot 2");
  CHECK(where["d"] == "rejected");
}

TEST_CASE("whole GPUs and GPUs in MIG mode keep apart") {
  const Fleet fleet = parse_fleet(
      R"({"groups": [{"count": 1, "gpus": 2, "gpu_type": "A"}, {"count": 1, "gpus": 2, "gpu_type": "A", "mig": true}]})",
      "fleet");
  CHECK(fleet.gpus == 4);
  CHECK(fleet.pools.size() == 2);
  const std::vector<TestJob> jobs{job(0s, 2, 100s), job(1s, 1, 10s).share(500), mig(2s, "7g", 50s),
                                  mig(3s, "7g", 50s), mig(4s, "1g", 50s)};
  auto where = ran("batch:skip=true", jobs, fleet);
  CHECK(where["a"].starts_with("0-100 n0"));
  CHECK(where["b"].starts_with("100-110 n0"));
  CHECK(where["c"].starts_with("2-52 n1:0"));
  CHECK(where["d"].starts_with("3-53 n1:1"));
  CHECK(where["e"].starts_with("52-102 n1:0"));
  CHECK(ran("batch", {job(0s, 1, 10s)}, gpus(1, 1))["a"] == "rejected");
  CHECK(ran("batch", {mig(0s, "1g", 10s)}, Fleet::uniform(1, 1))["a"] == "rejected");
}

namespace {

/// 1g on slots 0, 1 and 5 of one GPU (four filled the gap and went), then a 3g.
struct Scattered {
  Fleet fleet = gpus(1, 1);
  Workload w;
  static constexpr const char* kPolicy = "batch:backfill=easy,mig_placement=first_free";
  Scattered() {
    std::vector<TestJob> jobs;
    for (int slot = 0; slot < 6; ++slot)
      jobs.push_back(mig(0s, "1g", slot == 5 ? 10s : slot < 2 ? 100s : 1s));
    jobs.push_back(mig(1s, "3g", 20s).named("T"));
    jobs.push_back(mig(2s, "2g", 200s).named("U"));
    w = workload(jobs);
  }
};

}  // namespace

TEST_CASE("free slots at the wrong places: a cause, a class of the ledger, and words") {
  const Scattered s;
  const WhyReport report =
      why(s.fleet, s.w, *policy(Scattered::kPolicy), {}, JobId{6}, kStart + 1s);
  CHECK(report.at.cause == Cause::fragmentation);
  CHECK(report.at.text ==
        "needs a MIG instance: 3g needs slots 0-3 or 4-7; slots 0,1,5 are in use; the largest that "
        "can be made is 2g; it is promised to start by 10 s");
  CHECK(report.at.remedy == "by the estimates there is room at 10 s, when f ends");

  const auto p = policy(Scattered::kPolicy);
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(s.w, s.fleet, p->cutting()))
    demands.push_back({d.total_milli(), d.pools});
  Books books(s.fleet, s.w, demands);
  books.close(simulate(s.fleet, s.w, *p, {}, books));
  // The 3g wants half a GPU from 1 to 10: 625 thousandths are free for a second, then, with the 2g
  // in place, 375, which are too few.
  const auto idle = [&](GpuClass c) {
    return static_cast<std::int64_t>(books.summary().gpu_time[static_cast<std::size_t>(c)] /
                                     1'000'000'000);
  };
  CHECK(idle(GpuClass::idle_fragmented) == 500 * 1);
  CHECK(idle(GpuClass::idle_too_few) == 375 * 8);
}

TEST_CASE("with several GPUs the words name the one with most room") {
  const std::vector<TestJob> jobs{mig(0s, "2g", 100s), mig(0s, "2g", 100s), mig(0s, "1g", 100s),
                                  mig(0s, "7g", 100s), mig(5s, "4g", 10s)};
  const Workload w = workload(jobs);
  const WhyReport report =
      why(gpus(2, 1), w, *policy("batch:mig_placement=first_free"), {}, JobId{4}, {});
  CHECK(report.at.text ==
        "needs a MIG instance: 4g needs slots 0-3 of one GPU; 3 slots of 2 GPUs are free, most on "
        "GPU 0 of n0, where slots 0,1,2,3,4 are in use; the largest that can be made is 1g.2x");
}

TEST_CASE("what can never be made is rejected with the reason") {
  const auto reason = [](const Fleet& fleet, const TestJob& j) {
    const Workload w = workload({j});
    Timetable times(1);
    return simulate(fleet, w, *policy("batch"), {}, times).rejections.at(0).text;
  };
  CHECK(reason(Fleet::uniform(1, 8), mig(0s, "3g", 1s)) ==
        "job a needs a 3g MIG instance, and no GPU of a type it may use is in MIG mode");
  CHECK(reason(gpus(1, 1, R"(["3g@0", "3g@4"])"), mig(0s, "4g", 1s)) ==
        "job a needs a 4g MIG instance, and no GPU has one: they are divided into 3g@0+3g@4");
  CHECK(reason(gpus(1, 1), job(0s, 1, 1s)) ==
        "job a needs 1 GPU, and all GPUs of the fleet are in MIG mode");
}

TEST_CASE("a negative time to make an instance is refused") {
  CHECK(refusal("batch:mig_reconfigure=-1s").find("expected") != std::string::npos);
}

TEST_CASE("a job on a MIG instance is as fast as its model is on that profile") {
  // MISO's measurements (mig_iteration_times.csv): BERT with 4 sequences takes 0.0704 s for an iteration
  // on a whole A100, 0.1267 s on 3g.20gb, 0.2166 s on 2g.10gb.
  const std::vector<TestJob> jobs{
      mig(0s, "7g", 100s).model("bert"), mig(0s, "3g", 100s).model("bert"),
      mig(0s, "2g", 100s).model("bert"), mig(0s, "2g", 100s).model("gpt"),
      mig(0s, "1g", 100s).model("bert")};
  Workload w = workload(jobs);
  const NameId bert = w.model[JobId{0}];
  w.throughputs.reference = w.names.intern("7g.40gb");
  w.throughputs.set({bert, w.throughputs.reference}, 1 / 0.0704);
  w.throughputs.set({bert, w.names.intern("3G.20GB")}, 1 / 0.1267);
  w.throughputs.set({bert, w.names.intern("2g")}, 1 / 0.2166);
  w.throughputs.set({bert, w.names.intern("1g")}, 0);
  const Fleet fleet = gpus(4, 1);
  keep_to_types_that_run(w, fleet);
  Notes notes(w);
  Timetable times(w.size());
  Listeners both({&notes, &times});
  simulate(fleet, w, *policy("batch:skip=true"), {}, both);
  const auto end = [&](std::uint32_t j) { return seconds(times.end[JobId{j}]); };
  CHECK(end(0) == 100);
  CHECK(end(1) == Approx(100 * 0.1267 / 0.0704).epsilon(1e-5));
  CHECK(end(2) == Approx(100 * 0.2166 / 0.0704).epsilon(1e-5));
  CHECK(end(3) == 100);                // nobody measured it
  CHECK(notes.of["e"] == "rejected");  // it does not fit there
}

TEST_CASE("an instance that stands comes before one that would have to be made") {
  // GPU 0 stood as one 7g last, GPU 1 has a 3g.
  const std::vector<TestJob> jobs{mig(0s, "7g", 100s), mig(10s, "3g", 50s), mig(200s, "3g", 100s)};
  auto where = ran("batch:mig_reconfigure=5s", jobs, gpus(1, 2));
  CHECK(where["b"] == "10-65 n0:1 slots 4,5,6,7");
  CHECK(where["c"] == "200-300 n0:1 slots 4,5,6,7");
}
