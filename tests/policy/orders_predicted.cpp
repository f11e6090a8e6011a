// What a predictor makes of the jobs that have ended, and what is done with it.

#include "catch.hpp"
#include "muster/policy/parts/predictor.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kOne = Fleet::uniform(1, 1);
const Fleet kTwo = Fleet::uniform(2, 1);

/// The jobs of a workload, to be told to a predictor one by one.
struct Told {
  Workload w;
  IdVector<JobId, Duration> planned{w.size()}, predicted;
  std::unique_ptr<SpeedModel> speeds = SpeedModels::all().at("linear").make(w, SpeedOptions{});
  Jobs jobs{w, planned, predicted, *speeds};
  std::unique_ptr<Predictor> predictor;

  Told(const std::string& name, const std::vector<TestJob>& list)
      : w(workload(list)), predictor(Predictors::all().at(name).make()) {}
  void ended(std::uint32_t j) { predictor->ended(jobs, JobId{j}, w.truth.duration[JobId{j}]); }
  Duration predict(std::uint32_t j) const { return predictor->predict(jobs, JobId{j}); }
};

TestJob of(const std::string& user, Duration d, const std::string& model = "",
           std::uint32_t gpus = 1) {
  return job(0s, gpus, d).user(user).model(model);
}

}  // namespace

TEST_CASE("last_two: the mean of the user's last two, once there are two") {
  Told t("last_two", {of("u", 10s), of("u", 30s), of("v", 1000s), of("u", 50s), of("u", 1s)});
  CHECK(t.predict(4) == kUnknown);
  t.ended(0);
  t.ended(2);
  CHECK(t.predict(4) == kUnknown);
  t.ended(1);
  CHECK(t.predict(4) == 20s);
  t.ended(3);
  CHECK(t.predict(4) == 40s);
}

TEST_CASE("last_two_named: of the user's jobs of that name, else of all of the user's") {
  Told t("last_two_named",
         {of("u", 10s, "resnet"), of("u", 20s, "resnet"), of("u", 70s, "gpt"), of("u", 90s, "gpt"),
          of("u", 1s, "resnet"), of("u", 1s, "bert"), of("v", 1s, "resnet")});
  for (const std::uint32_t j : {0, 1, 2, 3}) t.ended(j);
  CHECK(t.predict(4) == 15s);
  CHECK(t.predict(5) == 80s);
  CHECK(t.predict(6) == kUnknown);
}

TEST_CASE("rolling: the nearest relatives that have ended") {
  Told t("rolling", {of("u", 10s, "resnet"), of("u", 50s, "resnet"), of("u", 100s, "gpt", 8),
                     of("v", 7s, "", 8), of("u", 1s, "resnet", 8), of("u", 1s, "bert", 8),
                     of("u", 1s, "bert", 4), of("w", 1s, "resnet", 1), of("w", 1s, "", 64)});
  CHECK(t.predict(8) == kUnknown);
  for (const std::uint32_t j : {0, 1, 2, 3}) t.ended(j);
  CHECK(seconds(t.predict(4)) == Approx((0.8 * 10 + 50) / 1.8));      // the same name, fading
  CHECK(seconds(t.predict(5)) == Approx(100));                        // u with 8 GPUs
  CHECK(seconds(t.predict(6)) == Approx((10 + 50 + 100) / 3.0));      // u
  CHECK(seconds(t.predict(7)) == Approx(30));                         // anybody's with one GPU
  CHECK(seconds(t.predict(8)) == Approx((10 + 50 + 100 + 7) / 4.0));  // anybody's
}

TEST_CASE("estimates=predicted: c is known to be short and fits before the promise") {
  const auto jobs = [](Duration c) {
    return std::vector<TestJob>{
        job(0s, 1, 10s).estimate(100s).user("u").named("x"),
        job(0s, 1, 30s).estimate(100s).user("u").named("y"),
        job(40s, 1, 40s).user("v").named("a"),
        job(41s, 2, 10s).user("v").named("b"),               // promised 80
        job(42s, 1, c).estimate(100s).user("u").named("c"),  // its user says 100, the history 20
    };
  };
  CHECK(schedule("batch:backfill=easy", jobs(20s), kTwo) == R"(
|x...aaaabcc|
|yyy.....b..|
)");
  CHECK(schedule("batch:backfill=easy,estimates=predicted", jobs(20s), kTwo) == R"(
|x...aaaab|
|yyy..cc.b|
)");
  // It runs longer than predicted: nobody kills it before its user's 100 s, and b is late.
  CHECK(schedule("batch:backfill=easy,estimates=predicted", jobs(70s), kTwo) == R"(
|x...aaaa....b|
|yyy..cccccccb|
)");
  CHECK(schedule("batch:backfill=easy,estimates=predicted", jobs(500s), kTwo) == R"(
|x...aaaa.......b|
|yyy..ccccccccccb|
)");
}

TEST_CASE("a prediction that was outlived: now, a little more, or what the user said") {
  const std::vector<TestJob> jobs{
      job(0s, 1, 10s).estimate(100s).user("u").named("x"),
      job(0s, 1, 30s).estimate(100s).user("u").named("y"),
      job(40s, 1, 200s).estimate(400s).user("u").named("c"),  // predicted until 60
      job(50s, 2, 10s).user("v").named("b"),                  // promised 60
      job(70s, 1, 40s).user("v").named("d"),
      job(75s, 1, 60s).user("v").named("e"),
  };
  const auto run = [&](const std::string& correction) {
    return schedule("batch:backfill=easy,estimates=predicted,correction=" + correction, jobs, kTwo);
  };
  // c will end any second, so nobody may pass b.
  CHECK(run("now") == R"(
|x...ccccccccccccccccccccbdddd..|
|yyy.....................beeeeee|
)");
  // At 70 c is taken to end at 60 + 60, so d has the time; at 110 e has not.
  CHECK(run("incremental") == R"(
|x...ccccccccccccccccccccbeeeeee|
|yyy....dddd.............b......|
)");
  // At 70 c is taken to end at 440.
  CHECK(run("user") == R"(
|x...ccccccccccccccccccccb|
|yyy....ddddeeeeee.......b|
)");
}

TEST_CASE("qssf: the least predicted GPU time first") {
  const std::vector<TestJob> jobs{
      job(0s, 1, 50s).estimate(100s).user("u").named("x"),
      job(0s, 1, 10s).estimate(100s).user("v").named("y"),
      job(10s, 1, 10s).estimate(100s).user("w").named("z"),
      job(62s, 1, 10s).estimate(100s).user("q").named("p"),  // all of one GPU's mean
      job(63s, 1, 50s).estimate(100s).user("u").named("c"),
      job(64s, 1, 10s).estimate(100s).user("v").named("d"),
  };
  CHECK(schedule("batch:order=sjf", jobs, kOne) == "\n|xxxxxyzpcccccd|\n");
  // z was submitted before anything had ended, so its user is believed. Then p: (50 + 10) / 2, or 30;
  // c: 50; d: 10.
  CHECK(schedule("batch:order=qssf", jobs, kOne) == "\n|xxxxxyzdpccccc|\n");
  // last_two says nothing of anyone: by estimate, so by submission.
  CHECK(schedule("batch:order=qssf,predictor=last_two", jobs, kOne) == "\n|xxxxxyzpcccccd|\n");
}

TEST_CASE("a predictor nobody has heard of") {
  CHECK_THROWS_WITH(policy("batch:estimates=predicted,predictor=oracle"),
                    Contains("expected one of auto, last_two, ") && Contains("got \"oracle\""));
}
