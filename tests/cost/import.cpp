// Logs of nccl-tests, and the calibrations made of them.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "muster/cost/collective.hpp"
#include "muster/io/calibration.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/nccl_log.hpp"

using namespace muster;
using namespace muster::test;

namespace {

constexpr const char* kText =
    "# nThread 1 nGpus 8 minBytes 8 maxBytes 17179869184 step: 2(factor) warmup iters: 5\n"
    "#  Rank  0 Pid 1 on host device  0 [0x1b] NVIDIA H100 80GB HBM3\n"
    "#                                                              out-of-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
    "time\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
    "(us)\n"
    "           8             2     float     sum      -1    13.67    0.00    0.00      0    "
    "13.03\n"
    "     1048576        262144     float     sum      -1    27.37   38.31   67.04      0    "
    "27.02\n"
    "# Out of bounds values : 0 OK\n";

/// A file that is gone after the test.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& text)
      : path(
            std::filesystem::temp_directory_path() /
            ("muster-import-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".json")) {
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

CostQuestion about(const std::string& fleet, const std::string& placement) {
  CostQuestion q;
  q.kind = "collective";
  q.values = {{"fleet", fleet}, {"placement", placement}};
  q.where = [](std::string_view name) { return "--" + std::string{name}; };
  return q;
}

}  // namespace

TEST_CASE("rows of nccl-tests' text, whatever the launcher puts in front") {
  for (const char* prefix : {"", "0: ", "[1,0]<stdout>:"}) {
    CAPTURE(prefix);
    std::string text, rest = kText;
    for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
      text += prefix + rest.substr(0, end + 1);
    const std::vector<NcclRow> rows = read_nccl_log(text, "log");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].bytes == 8);
    CHECK(rows[0].us == 13.67);
    CHECK(rows[1].us == 27.37);
  }
  // Versions without redop and root: the header says where the time stands.
  const std::vector<NcclRow> old = read_nccl_log(
      "# size count type time algbw busbw error\n 1024 256 float 20.5 0.05 0.09 N/A\n", "log");
  REQUIRE(old.size() == 1);
  CHECK(old[0].us == 20.5);
}

TEST_CASE("rows of nccl-tests' JSON") {
  const std::vector<NcclRow> rows = read_nccl_log(
      R"({"config": {"validation": "true"}, "results": [
          {"size": 8, "out_of_place": {"time": 13.5, "alg_bw": "nan"}, "in_place": {"time": 1}}]})",
      "log");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].us == 13.5);
}

TEST_CASE("what is no log") {
  CHECK_THROWS_WITH(read_nccl_log("hello\n", "log"), StartsWith("log: is no log of nccl-tests"));
  CHECK_THROWS_WITH(read_nccl_log("# size time\n", "log"), StartsWith("log: has no row"));
  CHECK_THROWS_WITH(read_nccl_log("# size time\n8 x\n", "log"),
                    StartsWith("log:2: expected a time in column 2, got \"x\""));
  CHECK_THROWS_WITH(read_nccl_log("# size count time\n8 2\n", "log"),
                    StartsWith("log:2: expected a time in column 3, but the line ends before it"));
  CHECK_THROWS_WITH(read_nccl_log("{\"results\": 1}", "log"),
                    StartsWith("log: /results: expected"));
  CHECK_THROWS_WITH(read_nccl_log(R"({"results": [{"size": 8}]})", "log"),
                    StartsWith("log: /results/0: expected \"size\" and"));
  CHECK_THROWS_WITH(
      read_nccl_log(R"({"results": [{"size": 8, "out_of_place": {"time": "nan"}}]})", "log"),
      StartsWith("log: /results/0/out_of_place/time: expected a number"));
}

TEST_CASE("a calibration of logs says what was measured") {
  // Logs of a network that is slower than the published one.
  Calibration slow = load_calibration("published");
  slow.network.hop_us = 100;
  slow.network.efficiency = 0.7;
  const Fleet fleet = load_fleet("4x8:h100");
  const CostMap map(fleet, slow);
  const GpuGroup group = map.group(parse_placement(fleet, "4x8", "placement"));
  std::string log = "# size count type redop root time algbw busbw #wrong\n";
  for (double bytes = 1024; bytes < 1e10; bytes *= 4) {
    const double us = collective_time(slow, group, Collective::all_reduce, bytes).us();
    char line[128];
    std::snprintf(line, sizeof line, "%.0f 1 float sum -1 %.2f 0 0 0\n", bytes, us);
    log += line;
  }
  const TemporaryFile file(log), out("");
  const ImportedCalibration imported =
      import_nccl_logs({file.path.string()}, about("4x8:h100", "4x8"), out.path.string());
  CHECK(imported.error_before > 0.2);
  CHECK(imported.error_after < 0.01);
  const Calibration read = load_calibration(out.path.string());
  CHECK(read.network.hop_us == Approx(100).epsilon(0.05));
  CHECK(read.network.efficiency == Approx(0.7).epsilon(0.02));
  CHECK_THAT(read.source("network/hop_us"), StartsWith("nccl-tests: "));
  CHECK(read.source("links/hopper/ring_efficiency") ==
        load_calibration("published").source("links/hopper/ring_efficiency"));
  // One node: other numbers.
  const ImportedCalibration inside =
      import_nccl_logs({file.path.string()}, about("1x8:h100", "8"), out.path.string());
  for (const std::string& path : inside.fitted) CHECK_THAT(path, StartsWith("links/hopper/"));
}

TEST_CASE("too few sizes fit nothing") {
  const TemporaryFile file(kText), out("");
  CHECK_THROWS_WITH(
      import_nccl_logs({file.path.string()}, about("1x8:h100", "8"), out.path.string()),
      Contains("expected at least 5 sizes, got 2"));
}

TEST_CASE("logs that no fit can make sense of, and an output that would overwrite one") {
  const auto log = [](std::initializer_list<std::pair<long, double>> rows) {
    std::string text = "# size count type redop root time algbw busbw #wrong\n";
    for (const auto& [size, us] : rows)
      text += std::to_string(size) + " 1 float sum -1 " + std::to_string(us) + " 0 0 0\n";
    return text;
  };
  const CostQuestion question = about("1x8:h100", "8");
  const TemporaryFile one_size(log({{8, 14}, {8, 14}, {8, 13}, {8, 15}, {8, 14}, {8, 14}}));
  CHECK_THROWS_WITH(import_nccl_logs({one_size.path.string()}, question, "ours.json"),
                    Contains("expected at least 5 sizes, got 1"));
  const TemporaryFile falling(log({{8, 50}, {64, 40}, {512, 30}, {4096, 20}, {32768, 10}}));
  CHECK_THROWS_WITH(import_nccl_logs({falling.path.string()}, question, "ours.json"),
                    Contains("times don't grow with sizes"));
  const TemporaryFile good(log({{8, 10}, {64, 20}, {512, 30}, {4096, 40}, {32768, 50}}));
  CHECK_THROWS_WITH(import_nccl_logs({good.path.string()}, question, good.path.string()),
                    StartsWith("--out: would overwrite the log"));
}
