// Elastic trainings whose run times and speeds come from measured profiles.

#include "catch.hpp"
#include "muster/policy/speed.hpp"
#include "reading.hpp"
#include "support/archive.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const std::string kHeader = "name,time,application,num_replicas,batch_size\n";

// A GPU holds up to 64 samples. Two epochs: 200 steps of 64, or 120 of 128 (which do 1.07 of the work).
const std::map<std::string, std::string> kTraining{
    {"./net_validation-64.csv",
     "progress,iteration,metric,grad_sqr,grad_var\n100,100,.5,1,1\n200,200,.9,1,1\n"},
    {"./net_validation-128.csv",
     "progress,iteration,metric,grad_sqr,grad_var\n100,60,.5,1,1\n200,120,.9,1,1\n300,180,.9,1,"
     "1\n"}};
const std::string kPlacements =
    "placement,local_bsz,step_time,sync_time\n"
    "1,32,0.5,0\n1,64,1.0,0\n2,32,0.6,0.1\n2,64,1.1,0.1\n11,32,0.9,0.4\n11,64,1.4,0.4\n";
const std::string kScalability =
    "num_nodes,num_replicas,local_bsz,step_time,sync_time\n4,4,32,2.5,2\n4,4,64,3,2\n";

NamedTexts beside() {
  static const std::string training = tar(kTraining);
  return {{"profile_validation.tar", training},
          {"profile_net_placements.csv", kPlacements},
          {"profile_net_scalability.csv", kScalability}};
}

double steps_per_s(const Workload& w, std::uint32_t gpus, std::uint32_t nodes,
                   const std::string& type = "t4") {
  const NameId t = w.throughputs.type_called(type, w.names);
  return w.throughputs.rows().at({w.model[JobId{0}], t, gpus, nodes});
}

}  // namespace

TEST_CASE("pollux: a run time at the batch size asked for") {
  const auto asked = with({{"batch", "asked"}});
  const Trace t =
      read_trace_text(kHeader + "net-0,5,net,1,64\nnet-1,9,net,2,128\nnet-2,9,net,1,128\n", "w.csv",
                      asked, beside());
  CHECK(t.report.format == "pollux");
  CHECK(run_time(t.workload, "net-0") == 200s);
  CHECK(run_time(t.workload, "net-1") == 132s);  // 120 steps of 1.1 s
  CHECK(run_time(t.workload, "net-2") == 240s);  // each of two passes of 1 s
  CHECK(t.workload.names[t.workload.model[JobId{0}]] == "net (batch size 64)");
  CHECK(t.workload.min_gpus[JobId{0}] == 1);
  CHECK(t.workload.max_gpus[JobId{0}] == 2);  // on four each would have too little to do
  CHECK(t.workload.max_gpus[JobId{1}] == 4);
  CHECK(steps_per_s(t.workload, 2, 2) == Approx(200 / (200 * 0.9)));
}

TEST_CASE("pollux: the batch size of largest goodput at each size") {
  const Trace t = read_trace_text(kHeader + "net-0,5,net,1,64\n", "w.csv", ReadOptions{}, beside());
  // On one GPU more than 64 takes two passes, and saves nothing. On two GPUs 128 takes 132 s, 64 only 120 s
  // on one node; on two nodes 168 s against 180.
  CHECK(run_time(t.workload, "net-0") == 200s);
  CHECK(steps_per_s(t.workload, 2, 1) == Approx(200.0 / 120));
  CHECK(steps_per_s(t.workload, 2, 2) == Approx(200.0 / 168));
  CHECK(steps_per_s(t.workload, 4, 4) == Approx(200.0 / 300));
}

TEST_CASE("pollux: profiles by type of GPU, from an archive") {
  std::map<std::string, std::string> profiles{
      {"./net_placements-aws.csv", kPlacements},
      {"net/placements-dgx.csv",
       "local_bsz,step_time,sync_time,placement\n32,0.2,0,1\n64,0.25,0,1\n"}};
  const std::string training = tar(kTraining), packed = tar(profiles);
  const NamedTexts files{{"profile_validation.tar", training},
                         {"profiles_by_gpu_type.tar", packed}};
  const Trace t = read_trace_text(kHeader + "net-0,5.5,net,2,64\n", "w.csv", ReadOptions{}, files);
  CHECK(run_time(t.workload, "net-0") == 120s);
  CHECK(t.workload.names[t.workload.throughputs.reference] == "aws");
  CHECK(steps_per_s(t.workload, 1, 1, "dgx") == Approx(200.0 / 50));
}

TEST_CASE("pollux: what has no profile is left out, and said") {
  const Trace t = read_trace_text(kHeader + "net-0,5,net,1,64\ngpt-1,7,gpt,8,64\n", "w.csv",
                                  ReadOptions{}, beside());
  CHECK(t.report.replayed == 1);
  CHECK(count(t.report.skipped, "no_profile") == 1);
  CHECK(refusal(kHeader + "net-0,5,net,1,64\n").find("profile_validation.tar") !=
        std::string::npos);
  NamedTexts bad = beside();
  bad["profile_net_placements.csv"] = "placement,local_bsz,step_time,sync_time\n1x,32,0.5,0\n";
  CHECK(refusal(kHeader + "net-0,5,net,1,64\n", ReadOptions{}, bad) ==
        "net_placements.csv:2: placement: expected a digit for each node: its GPUs, got \"1x\"");
}
