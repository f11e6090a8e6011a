// The bundled trace is what its specification says, to the byte. `test_validation "[.update]"` writes
// it anew after a deliberate change.
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "muster/io/canonical_writer.hpp"
#include "muster/io/generate.hpp"
#include "muster/io/trace.hpp"
#include "validation/trace_statistics.hpp"

using namespace muster;

namespace {

const std::string kRoot = MUSTER_SOURCE_DIR;
const std::string kFirst = kRoot + "/traces/first/first.csv";

std::string regenerated() {
  const SyntheticSpec spec = read_synthetic_spec(kRoot + "/configs/generate/first.json");
  std::ostringstream out;
  write_canonical(generate(spec, 1), out);
  return out.str();
}

std::string bundled() {
  std::ifstream in(kFirst, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Line number and both lines where two texts part, "" if nowhere.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string x, y;
  for (int line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(left, x));
    const bool more_b = static_cast<bool>(std::getline(right, y));
    if (!more_a && !more_b) return a == b ? "" : "only line ends differ";
    if (more_a != more_b || x != y)
      return "line " + std::to_string(line) + "\n  " + (more_a ? x : "(end)") + "\n  " +
             (more_b ? y : "(end)");
  }
}

}  // namespace

TEST_CASE("traces/first/first.csv is what its specification generates") {
  CHECK(difference(bundled(), regenerated()) == "");
}

TEST_CASE("the bundled trace is small, and is a moderately overloaded week of gangs") {
  CHECK(bundled().size() < 300'000);
  const Trace trace = read_trace(kFirst);
  const Workload& w = trace.workload;
  CHECK(trace.report.rejected.empty());
  CHECK(w.size() >= 2000);
  CHECK(w.size() <= 4000);
  const test::TraceStatistics statistics(w);
  CHECK(statistics.most_gpus() == 64);
  CHECK(statistics.job_share(statistics.at_least(16)) > 0.08);
  CHECK(w.submit[JobId{static_cast<std::uint32_t>(w.size() - 1)}] <=
        kStart + std::chrono::hours{7 * 24 + 1});
  const double load =
      statistics.gpu_seconds_per_job() * static_cast<double>(w.size()) / (128 * 7 * 86400.0);
  CHECK(load > 1.05);
  CHECK(load < 1.12);
}

TEST_CASE("write traces/first/first.csv anew", "[.update]") {
  std::ofstream(kFirst, std::ios::binary) << regenerated();
}
