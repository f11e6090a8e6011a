#include "catch.hpp"
#include "muster/io/fleet.hpp"
#include "support/jobs.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

Workload with_table(const std::vector<TestJob>& jobs) {
  Workload w = workload(jobs);
  const NameId v100 = w.names.intern("v100"), k80 = w.names.intern("k80");
  const NameId small = w.names.intern("small"), large = w.names.intern("large");
  w.throughputs.reference = v100;
  w.throughputs.set({small, v100, 1}, 4);
  w.throughputs.set({small, k80, 1}, 1);
  w.throughputs.set({large, v100, 1}, 2);
  w.throughputs.set({large, k80, 1}, 1);
  w.throughputs.set({large, k80, 4}, 0);
  return w;
}

std::string types_of(const Workload& w, std::uint32_t job) {
  return std::string{w.names[w.shapes[w.shape[JobId{job}]].types]};
}

}  // namespace

TEST_CASE("throughputs: jobs are kept off types on which their models do not run") {
  Workload w =
      with_table({job(0s, 4, 60s).model("small"), job(0s, 4, 60s).model("large"),
                  job(0s, 2, 60s).model("large"), job(0s, 4, 60s),
                  job(0s, 4, 60s).model("large").types("k80"), job(0s, 8, 60s).model("large")});
  keep_to_types_that_run(w, load_fleet("2x8:V100+2x8:K80+1x8:h100"));
  CHECK(types_of(w, 0).empty());
  CHECK(types_of(w, 1) == "V100|h100");  // nothing is known of it on an h100
  CHECK(types_of(w, 2).empty());
  CHECK(types_of(w, 3).empty());
  CHECK(types_of(w, 4) == "none that it runs on");
  CHECK(w.shape[JobId{1}] != w.shape[JobId{5}]);
  CHECK(w.shapes[w.shape[JobId{5}]].gpus == 8);
}

TEST_CASE("throughputs: a fleet that does not name its types is as the trace's own") {
  Workload w = with_table({job(0s, 4, 60s).model("large")});
  keep_to_types_that_run(w, Fleet::uniform(4, 8));
  CHECK(types_of(w, 0).empty());
}
