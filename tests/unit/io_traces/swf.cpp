#include "catch.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kOddLog =
    "; MaxProcs: 8\n"
    "; UnixStartTime: 1700000000\n"
    "1 0 5 100 4 -1 -1 4 120 -1 1 1 1 -1 1 -1 -1 -1\n"
    "2 10 -1 -1 -1 -1 -1 8 60 -1 5 1 1 -1 1 -1 -1 -1\n"
    "3 20 0 50 2 -1 -1 -1 -1 -1 1 2 1 -1 1 -1 -1 -1\n"
    "4 15 0 30 1 -1 -1 1 -1 -1 1 2 1 -1 1 -1 -1 -1\n"
    "5 30 0 0 1 -1 -1 1 60 -1 1 3 1 -1 1 -1 -1 -1\n"
    "6 40 0 200 2 -1 -1 2 100 -1 1 3 1 -1 1 -1 -1 -1\n"
    "7 50 0 10 0 -1 -1 0 20 -1 1 3 1 -1 1 -1 -1 -1\n";

}  // namespace

TEST_CASE("SWF: unknown, cancelled and contradictory fields") {
  const Trace t = read_trace_text(kOddLog, "log.swf", skipping_bad_rows());
  const TraceReport& r = t.report;
  CHECK(r.format == "swf");
  CHECK(r.rows == 7);
  CHECK(r.replayed == 5);
  CHECK(count(r.skipped, "skipped_cancelled") == 1);
  CHECK(every_row_is_accounted_for(r));
  CHECK(ids(t.workload) == std::vector<std::string>{"1", "4", "3", "5", "6"});

  CHECK(find(r.warnings, "out_of_order_submit")->lines == std::vector<std::uint64_t>{6});
  CHECK(find(r.warnings, "estimate_missing")->jobs == std::vector<std::string>{"3", "4"});
  CHECK(find(r.warnings, "run_exceeds_request")->jobs == std::vector<std::string>{"6"});
  CHECK(find(r.warnings, "requested_procs_missing_used_allocated")->jobs ==
        std::vector<std::string>{"3"});
  CHECK(find(r.rejected, "no_processors")->lines == std::vector<std::uint64_t>{9});
  CHECK(r.errors ==
        std::vector<std::string>{"log.swf:9: requested processors: expected 1 or more processors, "
                                 "requested or allocated, got \"0\" (row 7, job 7)"});

  CHECK(shape(t.workload, "3").gpus == 2);
  CHECK(wait(t.workload, "1") == 5s);
  CHECK(t.workload.origin_unix_ns == 1700000000'000000000);
  CHECK(r.facts.at("MaxProcs") == "8");
  CHECK(user(t.workload, "6") == "3");
}

TEST_CASE("SWF: what was requested counts, not what was allocated") {
  const Trace t = read_trace_text("1 0 0 10 8 -1 -1 4 60 -1 1 7 -1 -1 1 -1 -1 -1\n", "log.swf");
  CHECK(shape(t.workload, "1").gpus == 4);
}

TEST_CASE("SWF: partial executions, leading blanks, CRLF, the 20th field, the preceding job") {
  const Trace t = read_trace_text(
      "  1  0 0 10 1 -1 -1 1 60 -1 2 7 -1 -1 1 -1 -1 -1\r\n"
      "\t2  5 0 10 1 -1 -1 1 60 -1 1 7 -1 -1 1 -1 1 20 {1,2} q_1d 1:ppn=64\r\n",
      "log.swf");
  CHECK(count(t.report.skipped, "partial_execution") == 1);
  CHECK(count(t.report.warnings, "preceding_job_ignored") == 1);
  CHECK(queue(t.workload, "2") == "q_1d");
  CHECK(submit(t.workload, "2") == SimTime{5s});
}

TEST_CASE("SWF: a status of 0 for every job of a long log says nothing") {
  std::string text;
  for (int i = 1; i <= 30; ++i)
    text += std::to_string(i) + " 5 0 10 1 -1 -1 1 60 -1 0 -1 -1 -1 -1 -1 -1 -1\n";
  CHECK(outcome(read_trace_text(text, "t").workload, "1") == Outcome::unknown);
  CHECK(outcome(read_trace_text(text.substr(0, text.find("2 5")), "t").workload, "1") ==
        Outcome::failed);
}
