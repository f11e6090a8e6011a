#include "muster/io/results.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "muster/core/check.hpp"
#include "muster/core/error.hpp"
#include "muster/metrics/books.hpp"
#include "unit/ledger/world.hpp"

using namespace muster;
using namespace muster::test;
namespace fs = std::filesystem;

namespace {

/// A directory of one test, gone with it.
struct Scratch {
  Scratch() {
    static int number = 0;
    path = fs::temp_directory_path() /
           ("muster-results-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    fs::create_directories(path);
  }
  ~Scratch() { fs::remove_all(path); }
  fs::path path;
};

std::string read(const fs::path& file) {
  std::ifstream in{file};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{directory}, fs::directory_iterator{}));
}

std::string refusal(const fs::path& directory, const Workload& jobs) {
  try {
    Results results{directory, jobs};
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

/// a waits 1.5 s, b 0; c is refused; d runs on.
struct Run {
  Run() : world{Fleet::uniform(1, 8)} {
    world.fleet.name = "1x8";
    b = world.job(8000, 1500ms, ~PoolMask{0}, "ann", "q,\"1\"");
    a = world.job(500, 2s, ~PoolMask{0}, "bob", "");
    c = world.job(64000);
    d = world.job(1000, 100s);
    world.jobs.row.assign(4, 0);
    for (const auto& [job, row] : {std::pair{a, 0U}, {b, 1U}, {c, 2U}, {d, 3U}})
      world.jobs.row[job] = row;
  }
  void play(Books& books) {
    Feed feed{world, books};
    feed.submit(0s, b).start(0s, b).submit(0s, a).decide(0s, {{a, Cause::capacity}});
    feed.submit(1s, c).reject(1s, c).submit(1s, d).decide(1s, {{d, Cause::capacity}});
    feed.end(1500ms, b).start(1500ms, a).start(1500ms, d).decide(1500ms);
    feed.stop(3s, a, {.lost = 500ms}).start(3s, a).decide(3s);
    feed.end(4s, a).decide(4s);
    RunSummary run;
    run.fingerprint = 0xabcdef;
    run.end = at(5s);
    run.rejections.push_back({c, "exceeds_fleet", "job c needs 64 GPUs, the fleet has 8"});
    run.findings.push_back({Finding::Kind::starvation, at(1s), at(2s), {a, d}, "a \"starved\""});
    run.warnings.push_back("estimate_missing: 2 jobs");
    books.close(run);
  }
  World world;
  JobId a, b, c, d;
};

}  // namespace

TEST_CASE("the files of a run") {
  Scratch scratch;
  Run run;
  Books books{run.world.fleet, run.world.jobs, run.world.demands};
  Results results{scratch.path / "deep" / "out", run.world.jobs};
  books.send_lines_to(results.jobs());
  run.play(books);
  Summary summary = books.summary();
  summary.experiment = R"({"fleet": "1x8", "seed": 1})";
  summary.trace.emplace();
  summary.trace->rows = 6;
  summary.trace->replayed = 4;
  summary.trace->skipped.push_back({"cpu_job", "no GPUs", 2, {3, 4}, {"x"}, {"0"}});
  const fs::path out = scratch.path / "deep" / "out";
  CHECK_FALSE(fs::exists(out / "jobs.csv"));
  results.commit(summary, books.series());
  CHECK(files_in(out) == 5);
  CHECK(results.written().size() == 5);
  CHECK(results.written().back() == out / "summary.json");

  SECTION("jobs.csv is in the order of the trace, and exact") {
    CHECK(
        read(out / "jobs.csv") ==
        "job,user,queue,gpus,submit_s,start_s,end_s,state,wait_s,jct_s,preemptions,"
        "wait_capacity_s,wait_gpu_type_s,wait_fragmentation_s,wait_topology_s,wait_reservation_s,"
        "wait_order_s,wait_quota_s,wait_outage_s,wait_interval_s,wait_held_s,wait_readiness_s,"
        "run_gpu_s,lost_gpu_s,overhead_gpu_s,hoarded_gpu_s,resizes,moves,gpus_moved,"
        "checkpoint_gpu_s,interruptions,restarts,failed_attempts,unused_gpu_s\n"
        "b,bob,,0.5,0,1.5,4,COMPLETED,1.5,4,1,1.5,0,0,0,0,0,0,0,0,0,0,1,0.25,0,0,0,0,0,0,0,1,0,0\n"
        "a,ann,\"q,\"\"1\"\"\",8,0,0,1.5,COMPLETED,0,1.5,0,0,0,0,0,0,0,0,0,0,0,0,12,0,0,0,0,0,0,"
        "0,0,0,0,0\n"
        "c,,,64,1,,1,REJECTED,,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
        "d,,,1,1,1.5,,RUNNING,0.5,,0,0.5,0,0,0,0,0,0,0,0,0,0,3.5,0,0,0,0,0,0,0,0,0,0,0\n");
  }
  SECTION("summary.json") {
    const auto json = nlohmann::ordered_json::parse(read(out / "summary.json"));
    CHECK(json["schema"] == "muster.summary/1");
    CHECK(json["fingerprint"] == "0000000000abcdef");
    CHECK(json["jobs"]["total"] == 4);
    CHECK(json["jobs"]["completed"] == 2);
    CHECK(json["jobs"]["running"] == 1);
    CHECK(json["window_s"]["to"] == 5);
    CHECK(json["wait_s"]["count"] == 3);
    CHECK(json["wait_s"]["max"] == 1.5);
    CHECK(json["jct_s"]["mean"] == 2.75);
    CHECK(json["gpu_time_s"]["total"] == 40);
    CHECK(json["gpu_time_s"]["lost"] == 0.25);
    double sum = 0;
    for (const auto& [key, value] : json["gpu_time_s"].items())
      if (key != "total") sum += value.get<double>();
    CHECK(sum == Approx(40));
    CHECK(json["wait_time_s"]["capacity"] == 2);
    CHECK(json["wait_time_s"]["total"] == 2);
    CHECK(json["utilisation"] == (12 + 1.25 + 3.5) / 40);
    CHECK(json["goodput_of_available"] == 13.0 / 40);
    CHECK(json["rejections"]["count"] == 1);
    CHECK(json["rejections"]["first"][0]["code"] == "exceeds_fleet");
    CHECK(json["findings"][0]["text"] == "a \"starved\"");
    CHECK(json["findings"][0]["jobs"].size() == 2);
    CHECK(json["warnings"][0] == "estimate_missing: 2 jobs");
    CHECK(json["trace"]["skipped"] == 2);
    CHECK(json["trace"]["skipped_why"][0]["lines"][1] == 4);
    CHECK(json["experiment"]["seed"] == 1);
    CHECK(json["by_size"].size() == 4);
    CHECK(json["by_size"][3]["wait_s"]["mean"].is_null());
  }
  SECTION("series.csv") {
    CHECK(read(out / "series.csv") ==
          "from_s,to_s,allocated_gpus,idle_fragmented_gpus,idle_reserved_gpus,idle_quota_gpus,"
          "idle_outage_gpus,idle_policy_gpus,idle_too_few_gpus,idle_no_demand_gpus,wanted_gpus,"
          "running_jobs,waiting_jobs,down_gpus,maintenance_gpus\n"
          "0,1,8,0,0,0,0,0,0,0,0.5,1,1,0,0\n"
          "1,2,4.75,0,0,0,0,0,0,3.25,0.75,1.5,1,0,0\n"
          "2,3,1.5,0,0,0,0,0,0,6.5,0,2,0,0,0\n"
          "3,4,1.5,0,0,0,0,0,0,6.5,0,2,0,0,0\n"
          "4,5,1,0,0,0,0,0,0,7,0,1,0,0,0\n");
  }
  SECTION("ledger.csv has every class and every cause") {
    const std::string text = read(out / "ledger.csv");
    CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 20 + 1 + 11 + 1);
    CHECK(text.find("gpu_time,run.compute,gpu_s,16.5,0.4125\n") != std::string::npos);
    CHECK(text.find("gpu_time,down,gpu_s,0,0\n") != std::string::npos);
    CHECK(text.find("gpu_time,total,gpu_s,40,1\n") != std::string::npos);
    CHECK(text.find("wait_time,capacity,s,2,1\n") != std::string::npos);
  }
}

TEST_CASE("the same run gives the same bytes") {
  std::string texts[2];
  for (std::string& text : texts) {
    Run run;
    Books books{run.world.fleet, run.world.jobs, run.world.demands};
    run.play(books);
    text = summary_json(books.summary());
  }
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("an experiment that is no JSON, and names that are no UTF-8, still make a valid file") {
  Summary s;
  s.experiment = "not {json";
  s.warnings.push_back("caf\xe9");
  const auto json = nlohmann::json::parse(summary_json(s));
  CHECK(json["experiment"] == "not {json");
  CHECK(json["trace"].is_null());
}

TEST_CASE("without commit nothing is left, and an older result stays") {
  Scratch scratch;
  Run run;
  { std::ofstream{scratch.path / "summary.json"} << "older"; }
  {
    Books books{run.world.fleet, run.world.jobs, run.world.demands};
    Results results{scratch.path, run.world.jobs};
    books.send_lines_to(results.jobs());
    run.play(books);
  }
  CHECK(files_in(scratch.path) == 1);
  CHECK(read(scratch.path / "summary.json") == "older");
}

TEST_CASE("only the summary; what an earlier run wrote beside it goes, other files stay") {
  Scratch scratch;
  for (const char* older : {"events.csv", "ranks.csv", "timeline.json", "report.html", "jobs.csv"})
    std::ofstream{scratch.path / older} << "older";
  std::ofstream{scratch.path / "notes.txt"} << "mine";
  Run run;
  Books books{run.world.fleet, run.world.jobs, run.world.demands};
  Results results{scratch.path, run.world.jobs, {false, false, false, false}};
  books.send_lines_to(results.jobs());
  run.play(books);
  results.commit(books.summary(), books.series());
  CHECK(files_in(scratch.path) == 2);
  CHECK(read(scratch.path / "notes.txt") == "mine");
}

TEST_CASE("a place that cannot take results is refused before the run") {
  Scratch scratch;
  Run run;
  const std::string base = scratch.path.string();
  { std::ofstream{scratch.path / "file"} << "x"; }
  CHECK(refusal(base + "/file", run.world.jobs) ==
        base + "/file: is a file; results need a directory\n    choose another place with --out");
  CHECK(refusal(base + "/file/below", run.world.jobs) ==
        base +
            "/file/below: cannot make the directory: Not a directory\n"
            "    choose another place with --out");
  fs::create_directories(scratch.path / "out" / "jobs.csv");
  CHECK(refusal(base + "/out", run.world.jobs) ==
        base +
            "/out/jobs.csv: is a directory; a result file goes here\n"
            "    remove it, or write the results elsewhere with --out");
  CHECK(files_in(scratch.path / "out") == 1);
  CHECK(refusal("/proc/muster", run.world.jobs).find("cannot make the directory") !=
        std::string::npos);
}

TEST_CASE("a file that cannot grow is an error that leaves nothing behind") {
  Scratch scratch;
  Run run;
  Books books{run.world.fleet, run.world.jobs, run.world.demands};
  run.play(books);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tiny{64, 64};
    ::setrlimit(RLIMIT_FSIZE, &tiny);
    int status = 1;
    try {
      Results results{scratch.path, run.world.jobs, {false, true, true}};
      results.commit(books.summary(), books.series());
    } catch (const InputError& error) {
      const std::string what = error.what();
      status = what.find("series.csv: cannot write file: File too large") != std::string::npos &&
                       what.find("make room") != std::string::npos
                   ? 0
                   : 2;
    }
    ::_exit(status);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(files_in(scratch.path) == 0);
}

#if !defined(__SANITIZE_ADDRESS__)  // there a failed check aborts, for the stack
TEST_CASE("a check that fails in the middle of a run leaves no half file and spoils no older one") {
  struct Broken final : Observer {
    void on(const Record&) override { MUSTER_CHECK(false); }
    void decided(const Decision&) override {}
  };
  Scratch scratch;
  std::ofstream{scratch.path / "jobs.csv"} << "older";
  Run run;
  const pid_t child = ::fork();
  if (child == 0) {
    ::freopen("/dev/null", "w", stderr);
    const Results results{scratch.path, run.world.jobs};
    Broken broken;
    broken.on(Record{kStart, JobId{0}, Record::What::submit, JobState::pending, {}});
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(files_in(scratch.path) == 1);
  CHECK(read(scratch.path / "jobs.csv") == "older");
}
#endif

TEST_CASE("jobs.csv keeps the order of the trace, in whatever order jobs end") {
  std::mt19937_64 random{3};
  for (const std::size_t count : {1U, 2U, 50U, 20000U}) {
    Scratch scratch;
    World world{Fleet::uniform(1, 8)};
    for (std::size_t i = 0; i < count; ++i) world.gpus(1);
    world.jobs.job_name = {};
    for (std::size_t i = 0; i < count; ++i) world.jobs.job_name.push_back(std::to_string(i));
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    if (count != 50) std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i = 0; i < count; ++i) world.jobs.row[JobId{order[i]}] = 10 * i;  // with gaps
    Results results{scratch.path, world.jobs, {true, false, false}};
    std::vector<std::uint32_t> ends = order;
    std::shuffle(ends.begin(), ends.end(), random);
    for (const std::uint32_t j : ends) {
      JobLine line;
      line.job = JobId{j};
      results.jobs().take(line);
    }
    results.commit(Summary{}, Series{});
    std::istringstream in{read(scratch.path / "jobs.csv")};
    std::string text;
    std::getline(in, text);
    for (const std::uint32_t j : order) {
      std::getline(in, text);
      REQUIRE(text.substr(0, text.find(',')) == std::to_string(j));
    }
    CHECK_FALSE(std::getline(in, text));
  }
}

TEST_CASE("a row of jobs.csv is the same whether its turn has come or it must wait for it") {
  World world{Fleet::uniform(1, 8)};
  std::vector<JobLine> lines;
  for (std::uint32_t i = 0; i < 600; ++i) {
    const JobId j = world.job(i % 5 == 0 ? 500 : 1000 * (1 + i % 8), 100s, ~PoolMask{0},
                              i % 2 == 0 ? "ann" : "b,ob", "q");
    world.jobs.submit[j] = at(i * 1500ms);
    JobLine line;
    line.job = j;
    line.state = JobState::completed;
    line.submit = world.jobs.submit[j] + (i % 7 == 0 ? 1s : 0s);  // it was held
    line.gpus_milli = world.demands[world.shape(j).value].milli;
    for (std::size_t c = 0; c < i % 4; ++c) {
      line.waits.by_cause[(i + 3 * c) % kCauses] = Duration{1'000'000'007} * (i + c);
      line.waits.in_all += Duration{1'000'000'007} * (i + c);
    }
    line.first_start = line.submit + line.waits.in_all;
    line.end = line.first_start + Duration{12'345'678'901} * i;
    line.gpu_time.kept = Int128{(line.end - line.first_start).count()} * line.gpus_milli;
    if (i % 11 == 0) line.gpu_time.kept -= 5;
    if (i % 13 == 0) line.gpu_time.overhead = 7;
    if (i % 17 == 0) line.preemptions = 2;
    if (i % 19 == 0) line.reshapes.moves = 123'456'789'012;
    if (i % 23 == 0) line.end = kNever;
    if (i % 29 == 0) line.first_start = kNever;
    lines.push_back(line);
  }
  const auto written = [&](const std::vector<JobLine>& in_order) {
    Scratch scratch;
    Results results{scratch.path, world.jobs, {true, false, false}};
    for (const JobLine& line : in_order) results.jobs().take(line);
    results.commit(Summary{}, Series{});
    return read(scratch.path / "jobs.csv");
  };
  const std::string text = written(lines);
  CHECK(std::count(text.begin(), text.end(), '\n') == 601);
  std::reverse(lines.begin(), lines.end());
  CHECK(written(lines) == text);
}
