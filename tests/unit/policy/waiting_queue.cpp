#include "muster/policy/parts/waiting_queue.hpp"

#include <vector>

#include "catch.hpp"

using namespace muster;

namespace {

Waiting waiting(std::uint32_t job) {
  return {static_cast<std::int64_t>(job * 7919 % 13), JobId{job}, ShapeId{job % 3},
          Duration{job * 31 % 101}};
}

std::vector<std::uint32_t> jobs_of(const auto& list) {
  std::vector<std::uint32_t> jobs;
  list.each([&](const Waiting& w) {
    jobs.push_back(w.job.value);
    return true;
  });
  return jobs;
}

}  // namespace

TEST_CASE("waiting jobs are listed by shape, whenever somebody first asks") {
  constexpr std::uint32_t kJobs = 600;
  for (const std::uint32_t first_asked : {1U, 50U, 599U}) {
    WaitingQueue early, late;
    early.begin(kJobs, 3);
    late.begin(kJobs, 3);
    CHECK(jobs_of(early.line(ShapeId{0}).jobs).empty());  // from now on by shape
    for (std::uint32_t j = 0; j < kJobs; ++j) {
      early.add(waiting(j));
      late.add(waiting(j));
      if (j % 3 == 2) {
        const Waiting first = late.first();
        REQUIRE(early.first().job == first.job);
        early.remove(first.shape, first.job);
        late.remove(first.shape, first.job);
      }
      REQUIRE(late.shapes() == early.shapes());
      if (j >= first_asked)
        for (const ShapeId s : late.shapes()) {
          REQUIRE(jobs_of(late.line(s).jobs) == jobs_of(early.line(s).jobs));
          REQUIRE(late.line(s).shortest()->job == early.line(s).shortest()->job);
        }
    }
    CHECK(jobs_of(late.all()) == jobs_of(early.all()));
  }
}

TEST_CASE("a job may leave the waiting queue from its middle") {
  WaitingQueue queue;
  queue.begin(10, 3);
  for (std::uint32_t j = 0; j < 10; ++j) queue.add(waiting(j));
  queue.remove(ShapeId{1}, JobId{4});
  CHECK(queue.size() == 9);
  CHECK(jobs_of(queue.line(ShapeId{1}).jobs) == std::vector<std::uint32_t>{7, 1});
  CHECK(queue.entry(JobId{5}).planned == waiting(5).planned);
}
