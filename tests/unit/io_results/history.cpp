// What is written of a run for people and for other programs to look at: events.csv, ranks.csv, timeline.json,
// report.html.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "io/results/events_csv.hpp"
#include "io/results/report_html.hpp"
#include "muster/io/results.hpp"
#include "muster/metrics/books.hpp"
#include "unit/ledger/world.hpp"

using namespace muster;
using namespace muster::test;

namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& file) {
  std::ifstream in{file};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Two nodes of 4 GPUs. a runs on both nodes from 0 to 2 and, preempted for c, from 3 to 5; b is a half GPU
/// beside c, which holds the other half of the same GPU.
struct Told {
  Told() : world{Fleet::uniform(2, 4)} {
    a = world.job(8000);
    b = world.job(500);
    c = world.job(500);
    fs::create_directories(folder);
    Results results{folder, world.jobs, {.events = true, .timeline = true, .ranks = true}};
    Books books{world.fleet, world.jobs, world.demands};
    books.send_lines_to(results.jobs());
    Observer* const history = results.history(world.fleet);
    REQUIRE(history != nullptr);
    tell(books);
    tell(*history);
    RunSummary run;
    run.end = at(6s);
    run.warnings.push_back("odd: a <b> & \"c\"");
    books.close(run);
    results.commit(books.summary(), books.series());
  }
  ~Told() { fs::remove_all(folder); }
  void tell(Observer& observer) {
    Feed feed{world, observer};
    feed.submit(0s, a).start(0s, a).decide(0s);
    feed.submit(1s, b).submit(1s, c).decide(1s, {{b, Cause::capacity}});
    feed.stop(2s, a, {.lost = 2s}).start(2s, b).start(2s, c).decide(2s, {{a, Cause::capacity}});
    feed.end(3s, b).end(3s, c).start(3s, a).decide(3s);
    using Ranks = std::vector<PaceRecord::Rank>;
    const Ranks two{{NodeId{0}, 0b0001, 1.5}, {NodeId{1}, 0b1111, 2}}, one{{NodeId{1}, 0b1111, 2}};
    observer.paced({at(3s), a, two, 0.5, 8});
    observer.paced({at(3s + 500ms), a, two, 0.5, 8});  // nothing new
    observer.paced({at(4s), a, one, 1, 0});
    observer.paced({at(4s + 500ms), a, Ranks{}, 1, 0});
    observer.paced({at(4s + 800ms), a, one, 1, 0});
    feed.end(5s, a, JobState::failed).decide(5s);
    observer.node({at(5s), NodeId{1}, Service::up, Service::down, 4000});
    observer.node({at(6s), NodeId{1}, Service::down, Service::up, 4000});
  }

  fs::path folder = fs::temp_directory_path() / ("muster-history-" + std::to_string(::getpid()));
  World world;
  JobId a, b, c;
};

}  // namespace

TEST_CASE("GPUs by number") {
  CHECK(gpus_text(0b1) == "0");
  CHECK(gpus_text(0b1111) == "0-3");
  CHECK(gpus_text(0b1001101) == "0,2-3,6");
  CHECK(gpus_text(~GpuMask{0}) == "0-63");
  CHECK(gpus_text(GpuMask{1} << 63) == "63");
}

TEST_CASE("events.csv says what happened, when and where") {
  const Told told;
  CHECK(read(told.folder / "events.csv") ==
        "at_s,event,job,state,gpus,by,kept_s,lost_s,overhead_s,checkpoint_s,interrupted,where\n"
        "0,submit,a,PENDING,,,0,0,0,0,,\n"
        "0,start,a,RUNNING,8,,0,0,0,0,,n0:0-3 n1:0-3\n"
        "1,submit,b,PENDING,,,0,0,0,0,,\n"
        "1,submit,c,PENDING,,,0,0,0,0,,\n"
        "2,stop,a,PENDING,8,,0,2,0,0,,n0:0-3 n1:0-3\n"
        "2,start,b,RUNNING,1,,0,0,0,0,,n0:0\n"
        "2,start,c,RUNNING,1,,0,0,0,0,,n0:0\n"
        "3,end,b,COMPLETED,1,,1,0,0,0,,n0:0\n"
        "3,end,c,COMPLETED,1,,1,0,0,0,,n0:0\n"
        "3,start,a,RUNNING,8,,0,0,0,0,,n0:0-3 n1:0-3\n"
        "5,end,a,FAILED,8,,2,0,0,0,,n0:0-3 n1:0-3\n"
        "5,node,,down,,,,,,,,n1\n"
        "6,node,,up,,,,,,,,n1\n");
}

TEST_CASE(
    "ranks.csv says which GPUs of a job were slow, from when to when, and what a step took there") {
  const Told told;
  CHECK(read(told.folder / "ranks.csv") ==
        "job,node,gpus,from_s,to_s,slowdown,longer,step_s,sets_pace\n"
        "a,n0,0,3,4,1.5,1.25,10,\n"
        "a,n1,0-3,3,4,2,1.5,12,true\n"
        "a,n1,0-3,4,4.5,2,2,,true\n"
        "a,n1,0-3,4.8,5,2,2,,true\n");  // it ends by then
}

TEST_CASE("timeline.json is in the Trace Event Format, and no two slices of a track overlap") {
  const Told told;
  const auto json = nlohmann::json::parse(read(told.folder / "timeline.json"));
  struct Span {
    double from, to;
    std::string name;
  };
  std::map<std::pair<int, int>, std::vector<Span>> tracks;
  std::map<int, std::string> nodes;
  double held_us = 0;
  for (const auto& e : json.at("traceEvents")) {
    if (e.at("ph") == "M" && e.at("name") == "process_name")
      nodes[e.at("pid")] = e.at("args").at("name");
    if (e.at("ph") != "X") continue;
    const double from = e.at("ts"), length = e.at("dur");
    tracks[{e.at("pid"), e.at("tid")}].push_back({from, from + length, e.at("name")});
    if (e.at("name") != "down") held_us += length;
  }
  CHECK(nodes == std::map<int, std::string>{{0, "cluster"}, {1, "n0"}, {2, "n1"}});
  CHECK(tracks.size() == 8 + 1 + 1);  // all GPUs, the second half of one of them, the outage
  CHECK(held_us == (8 * 2 + 8 * 2 + 2 * 1) * 1e6);
  for (const auto& [track, spans] : tracks)
    for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].from >= spans[i - 1].to);
  const std::vector<Span>& first = tracks.at({1, 1});
  REQUIRE(first.size() == 3);
  CHECK(first[0].name == "a");
  CHECK(first[1].name == "b");
  CHECK(first[2].to == 5e6);
}

TEST_CASE("report.html is one page with everything in it") {
  const Told told;
  const std::string page = read(told.folder / "report.html");
  CHECK_THAT(page, Contains("<!DOCTYPE html>") && Contains("</html>"));
  CHECK_THAT(page, Contains("<b>3</b>jobs"));
  CHECK_THAT(page, Contains("odd: a &lt;b&gt; &amp; &quot;c&quot;"));
  CHECK_THAT(page, Contains("<td>run.compute</td>") && Contains("<td>lost</td>"));
  CHECK_THAT(page, Contains("<svg") && Contains("held by jobs"));
  CHECK_THAT(page, !Contains("http") && !Contains("nan") && !Contains("inf<"));
}

TEST_CASE("a report of a run in which nothing happened") {
  const std::string page = report_html(Summary{}, Series{});
  CHECK_THAT(page, Contains("Nobody waited") && !Contains("<svg") && !Contains("nan"));
}
