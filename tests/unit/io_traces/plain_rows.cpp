#include "io/traces/plain_rows.hpp"

#include "catch.hpp"
#include "reading.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// Everything that a row with these columns can say, and what was said about it.
std::string told(const std::string& header, const std::vector<std::string>& rows,
                 const std::string& more) {
  std::string text = header + (more.empty() ? "" : "," + more) + "\n";
  for (const std::string& row : rows) text += row + (more.empty() ? "" : ",") + "\n";
  ReadOptions options;
  options.skip_bad_rows = true;
  const Trace t = read_trace_text(text, "t.csv", options);
  const Workload& w = t.workload;
  std::string all;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    for (const std::string& word :
         {std::string{w.id_text(j)}, std::to_string(w.submit[j].time_since_epoch().count()),
          std::to_string(w.shapes[w.shape[j]].gpus), std::to_string(w.truth.duration[j].count()),
          std::string{w.names[w.user[j]]}, std::string{w.names[w.queue[j]]},
          std::to_string(w.estimate[j].count()), std::to_string(w.row[j]),
          std::to_string(w.shape[j].value)})
      all += word + " ";
    all += "\n";
  }
  for (const auto* list : {&t.report.warnings, &t.report.skipped, &t.report.rejected})
    for (const TraceReport::Note& note : *list) {
      all += note.code + " " + std::to_string(note.count);
      for (const std::uint64_t line : note.lines) all += " line " + std::to_string(line);
      for (const std::string& job : note.jobs) all += " job " + job;
      all += "\n";
    }
  return all + std::to_string(t.report.rows) + " " + std::to_string(t.report.replayed);
}

}  // namespace

TEST_CASE("plain rows and all others say the same, in any mixture") {
  // With one more column, which is empty, no row is plain.
  const auto same = [](const std::string& header, const std::vector<std::string>& rows) {
    INFO(header);
    CHECK(told(header, rows, "") == told(header, rows, "priority"));
  };
  same("submit,gpus,duration",
       {"0,1,10", "3,8,20", "2,8,20", "4,0,5", "5,1.0,5", "6,1,2.5", "7,\"4\",1h", "8,1", "9,1,1,1",
        "10,-1,5", "11,+1,5", "12,,5", "13,5000,6", "# 14,1,1", "15, 2,3", "1000000000,1,10",
        "16,1,999999999", "17,9999999999,1", "18,2,7 "});
  same("job,queue,duration,gpus,submit,user",
       {"a,q,5,1,0,ann", "b,,5,2,1,bob", "a,q,5,1,2,ann", ",q,5,1,3,ann", "\"c,d\",q,5,1,4,ann",
        " e,q,5,1,5,ann", "f,q\t,5,1,6,ann", "g,q,5,1,7,ann", "5,q,5,1,8,ann", "h\xff,q,5,1,9,x",
        "z,q,5,1,10,z\xc3\xa4h"});
}

TEST_CASE("which rows are plain") {
  PlainRow row;
  const PlainRows rows({"gpus", "submit", "user", "duration"});
  REQUIRE(rows.read("8,30,ann,3600", row));
  CHECK(row.gpus == 8);
  CHECK(row.submit == std::chrono::seconds{30});
  CHECK(row.user == "ann");
  CHECK(row.duration == std::chrono::hours{1});
  CHECK(row.job.empty());
  CHECK(rows.read("8,0,,999999999", row));
  for (const char* other :
       {"0,30,ann,1", "8,30,ann,", "8,30,ann", "8,30,ann,1,", "8,30,ann,1.0", "8,-1,ann,1",
        "8,30,ann ,1", "8,30,\"ann\",1", "8,1234567890,ann,1", ""})
    CHECK_FALSE(rows.read(other, row));
  CHECK_FALSE(PlainRows({"submit", "gpus"}).read("1,1", row));
  CHECK_FALSE(PlainRows({"submit", "gpus", "duration", "limit"}).read("1,1,1,1", row));
}

TEST_CASE("times are numbers or dates, in plain rows too") {
  const std::string header = "submit,gpus,duration\n";
  CHECK_THROWS_AS(read_trace_text(header + "5,1,1\n2024-01-01 00:00:00Z,1,1\n", "t.csv"),
                  InputError);
  CHECK_THROWS_AS(read_trace_text(header + "2024-01-01 00:00:00Z,1,1\n5,1,1\n", "t.csv"),
                  InputError);
}
