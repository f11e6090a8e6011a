// Checkpoints whose cost follows from their size and the storage.

#include <nlohmann/json.hpp>

#include "cli/muster.hpp"

using namespace muster::test;
using Json = nlohmann::json;

namespace {

/// Two nodes of 8 GPUs: one job on both, one on one, and a node that fails at 1000 s for a moment.
Json summary_of(const std::string& storage, const std::string& more = "") {
  const Place place{
      {{"t.csv",
        "job,submit,nodes,gpus_per_node,duration,checkpoint_interval,model\n"
        "a,0,2,8,1500,300,\nb,2000,1,8,1000,300,llama3-8b\n"},
       {"e.json",
        R"({"fleet": "2x8", "workload": "t.csv", "policy": "fifo", "failures": {"storage": )" +
            storage + more + R"(, "events": [{"node": "n1", "at": 1000, "until": 1001}]}})"}}};
  const Ran ran = place.muster("run e.json --out o");
  CHECK(ran.err == "");
  REQUIRE(ran.status == 0);
  return Json::parse(place.read("o/summary.json"));
}

double gpu_s(const Json& summary, const char* cls) {
  return summary.at("gpu_time_s").at(cls).get<double>();
}

std::string refused(const std::string& failures) {
  const Place place{
      {{"t.csv", kFourJobs},
       {"e.json", R"({"fleet": "2x8", "workload": "t.csv", "policy": "fifo", "failures": )" +
                      failures + "}"}}};
  const Ran ran = place.muster("run e.json --out o");
  CHECK(ran.status == 2);
  return ran.err;
}

}  // namespace

TEST_CASE("a checkpoint takes its size over the storage's rate, and so does a restart") {
  // a: 16 GPUs x 5 GB at 4 GB/s are 20 s. It fails at 1000, in its fourth interval after three
  // checkpoints (960 s), loses 40 s, and reads for 20 s. 600 s of work are left, with one more checkpoint.
  // b: 8.03 billion parameters x 14 bytes at 4 GB/s are 28.1 s, three times.
  const Json s = summary_of(R"({"gbytes_per_s": 4, "gbytes_per_gpu": 5})");
  CHECK(gpu_s(s, "lost") == 16 * 40);
  CHECK(gpu_s(s, "starting") == 16 * 20);
  const double b = (gpu_s(s, "checkpoint") - 16 * (3 + 1) * 20) / (8 * 3);
  CHECK(b == Approx(14 * 8.03 / 4).epsilon(0.01));
}

TEST_CASE("a node's own rate may be the narrower one, and so may everybody's share") {
  // 2 nodes x 1 GB/s for 80 GB: 40 s. In 1000 s: 300, 40, 300, 40, 300, 20.
  CHECK(gpu_s(summary_of(R"({"gbytes_per_s": 4, "node_gbytes_per_s": 1, "gbytes_per_gpu": 5})"),
              "starting") == 16 * 40);
  // a has all GPUs, b half of them: without a model 40 GB at half of 4 GB/s.
  const Json shared = summary_of(
      R"({"gbytes_per_s": 4, "gbytes_per_gpu": 5, "writers": "all", "bytes_per_parameter": 0})");
  CHECK(gpu_s(shared, "checkpoint") == 16 * 4 * 20 + 8 * 3 * 20);
}

TEST_CASE(
    "where nodes differ in their own rate, it has to be said; where they agree it is theirs") {
  const auto ran = [](const char* second, const std::string& said) {
    const Place place{
        {{"t.csv",
          "job,submit,nodes,gpus_per_node,duration,checkpoint_interval\na,0,2,8,1500,300\n"},
         {"e.json",
          R"({"fleet": {"groups": [
                {"count": 1, "gpus": 8, "wiring": {"nics": 8, "storage_gbytes_per_s": 1}},
                {"count": 1, "gpus": 8, "prefix": "h", "wiring": {"nics": 8, "storage_gbytes_per_s": )" +
              std::string{second} +
              R"(}}]}, "workload": "t.csv", "policy": "fifo",
              "failures": {"storage": {"gbytes_per_s": 40, "gbytes_per_gpu": 5)" +
              said + "}}}"}}};
    const Ran done = place.muster("run e.json --out o");
    if (done.status != 0) return done.err;
    // Of 80 GB each, after 300, 600, 900 and 1200 s.
    return std::to_string(gpu_s(Json::parse(place.read("o/summary.json")), "checkpoint") /
                          (16 * 4));
  };
  CHECK(ran("1", "") == "40.000000");
  CHECK(ran("2.5", R"(, "node_gbytes_per_s": 2)") == "20.000000");
  CHECK(ran("2.5", "") ==
        "e.json: /failures/storage/node_gbytes_per_s: has to be said where nodes differ: the "
        "fleet's storage_gbytes_per_s is 1 of n0 and 2.5 of h0\n"
        "    one number for all of them, since a checkpoint's time is fixed before its job is "
        "placed\n");
}

TEST_CASE("asynchronous checkpoints take no time, and count once they are written") {
  // Taken at 300, 600, 900 s; the last of them, 80 GB at 0.7 GB/s, would be there at 1014.3 s.
  const Json s = summary_of(R"({"gbytes_per_s": 0.7, "gbytes_per_gpu": 5, "asynchronous": true})");
  CHECK(gpu_s(s, "checkpoint") == 0);
  CHECK(gpu_s(s, "lost") == 16 * 400);
  const Json faster =
      summary_of(R"({"gbytes_per_s": 1, "gbytes_per_gpu": 5, "asynchronous": true})");
  CHECK(gpu_s(faster, "lost") == 16 * 100);
  // With checkpoint_cost it stops for that: at 310, 620, 930 s.
  const Json stops = summary_of(R"({"gbytes_per_s": 1, "gbytes_per_gpu": 5, "asynchronous": true})",
                                R"(, "checkpoint_cost": 10)");
  CHECK(gpu_s(stops, "lost") == 16 * (300 + 70));
  // One takes longer than the interval: the next begins when it is there, so every 400 s.
  const Json slow =
      summary_of(R"({"gbytes_per_s": 0.2, "gbytes_per_gpu": 5, "asynchronous": true})");
  CHECK(gpu_s(slow, "lost") == 16 * 600);
}

TEST_CASE("who is preempted keeps no checkpoint that is being written, though nothing can fail") {
  // Taken at 300 s, 40 GB. b comes at 350 s and takes the node.
  const auto lost = [](const std::string& rate) {
    const Place place{{{"t.csv",
                        "job,submit,nodes,gpus_per_node,duration,checkpoint_interval,priority\n"
                        "a,0,1,8,1000,300,0\nb,350,1,8,100,,1\n"},
                       {"e.json",
                        R"({"fleet": "1x8", "workload": "t.csv", "policy": "priority_preempt",
                            "failures": {"storage": {"gbytes_per_s": )" +
                            rate + R"(, "gbytes_per_gpu": 5, "asynchronous": true}}})"}}};
    const Ran ran = place.muster("run e.json --out o");
    CHECK(ran.err == "");
    REQUIRE(ran.status == 0);
    return gpu_s(Json::parse(place.read("o/summary.json")), "lost");
  };
  CHECK(lost("1") == 8 * 50);     // there at 340 s
  CHECK(lost("0.5") == 8 * 350);  // would be there at 380 s
}

TEST_CASE("what is wrong with a storage is said") {
  CHECK(refused(R"({"storage": {"gbytes_per_gpu": 5}})") ==
        "e.json: /failures/storage/gbytes_per_s: needs a rate above 0\n    for example 2000\n");
  CHECK(
      refused(R"({"storage": {"gbytes_per_s": 5}, "checkpoint_cost": "10s"})") ==
      "e.json: /failures/storage: says again what a checkpoint costs\n"
      "    without checkpoint_cost; or with \"asynchronous\": true, where that is what a job stops "
      "for before it goes on\n");
  CHECK_THAT(refused(R"({"storage": {"gbyte_per_s": 5}})"),
             StartsWith("e.json: /failures/storage/gbyte_per_s: the storage has no such parameter\n"
                        "    did you mean \"gbytes_per_s\"?"));
}
