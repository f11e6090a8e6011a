// GPU schedules of peers on the first jobs of Philly: every job starts when theirs does.

#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

struct Peer {
  const char* jobs;
  const char* file;
  std::uint32_t nodes;
  const char* policy;
};

void same_as(const Peer& peer) {
  const auto jobs = oracles() / "gpu/input" / peer.jobs, file = oracles() / "gpu" / peer.file;
  if (!present(jobs) || !present(file)) return;
  ReadOptions read;
  read.format = "gpu-list";
  const Workload w = read_trace(jobs, read).workload;
  const Timetable ours = timetable(Fleet::uniform(peer.nodes, 8), w,
                                   std::string{"batch:estimates=perfect,"} + peer.policy, {});
  const auto theirs = peer_starts(file, "job_id", 1s);
  const Differences d = compare(w, ours, theirs);
  INFO(peer.policy << " against " << peer.file << ": " << d.first);
  CHECK(d.compared == theirs.size());
  CHECK(d.compared > 1'900);
  CHECK(d.differ == 0);
}

}  // namespace

TEST_CASE("Tiresias, by count") {
  same_as({"philly_2000.csv", "tiresias_count/n32g8_2000_fifo.csv.gz", 32, "span=any"});
  same_as({"philly_5000.csv.gz", "tiresias_count/n32g8_5000_fifo.csv.gz", 32, "span=any"});
  same_as({"philly_2000.csv", "tiresias_count/n32g8_2000_fjf.csv.gz", 32, "span=any,skip=true"});
  same_as({"philly_5000.csv.gz", "tiresias_count/n32g8_5000_fjf.csv.gz", 32, "span=any,skip=true"});
}

TEST_CASE("Tiresias, by count: SRTF and SRSF, first starts and ends") {
  for (const auto& [rank, name] : {std::pair{"srtf", "shortest"}, {"srsf", "shortest-gpu"}})
    for (const auto& [jobs, n] :
         {std::pair{"philly_2000.csv", "2000"}, {"philly_5000.csv.gz", "5000"}}) {
      const auto input = oracles() / "gpu/input" / jobs;
      const auto file =
          oracles() / "gpu/tiresias_count" / (std::string{"n32g8_"} + n + "_" + name + ".csv.gz");
      if (!present(input) || !present(file)) return;
      ReadOptions read;
      read.format = "gpu-list";
      const Workload w = read_trace(input, read).workload;
      const std::string spec = std::string{"ranked:estimates=perfect,span=any,rank="} + rank;
      const Timetable ours = timetable(Fleet::uniform(32, 8), w, spec, {});
      const Differences starts = compare(w, ours.start, peer_starts(file, "job_id", 1s));
      const Differences ends = compare(w, ours.end, peer_starts(file, "job_id", 1s, "finish"));
      INFO(spec << " against " << file << ": " << starts.first << "; " << ends.first);
      CHECK(starts.compared == w.size());
      CHECK(starts.differ == 0);
      CHECK(ends.differ == 0);
    }
}

TEST_CASE("Alibaba's simulator of gpu-v2020") {
  same_as({"philly_2000.csv", "alibaba/g512_2000_fifo.csv.gz", 64, "span=any,skip=true"});
  same_as({"philly_5000.csv.gz", "alibaba/g512_5000_fifo.csv.gz", 64, "span=any,skip=true"});
  same_as({"philly_2000.csv", "alibaba/g512_2000_sjf.csv.gz", 64, "span=any,skip=true,order=sjf"});
  same_as(
      {"philly_5000.csv.gz", "alibaba/g512_5000_sjf.csv.gz", 64, "span=any,skip=true,order=sjf"});
}

TEST_CASE("gpu_scheduler, on nodes") {
  same_as({"philly_2000.csv", "squad_node/o32_2000_fifo.csv.gz", 32, "span=idle_nodes"});
  same_as({"philly_5000.csv.gz", "squad_node/o32_5000_fifo.csv.gz", 32, "span=idle_nodes"});
  same_as({"philly_10000.csv.gz", "squad_node/o64_10000_fifo.csv.gz", 64, "span=idle_nodes"});
  same_as({"philly_2000.csv", "squad_node/o32_2000_sjf.csv.gz", 32,
           "span=idle_nodes,skip=true,order=sjf"});
  same_as({"philly_5000.csv.gz", "squad_node/o32_5000_sjf.csv.gz", 32,
           "span=idle_nodes,skip=true,order=sjf"});
  same_as({"philly_10000.csv.gz", "squad_node/o64_10000_sjf.csv.gz", 64,
           "span=idle_nodes,skip=true,order=sjf"});
  same_as({"philly_2000.csv", "squad_node/o32_2000_las.csv.gz", 32, "span=idle_nodes,skip=true"});
  same_as(
      {"philly_5000.csv.gz", "squad_node/o32_5000_las.csv.gz", 32, "span=idle_nodes,skip=true"});
}

TEST_CASE("gpu_scheduler's EASY, which promises numbers where nodes decide") {
  const std::string easy = "span=idle_nodes,backfill=easy,promise=count,spare=false";
  same_as({"philly_2000.csv", "squad_node/o32_2000_easy.csv.gz", 32, easy.c_str()});
  same_as({"philly_5000.csv.gz", "squad_node/o32_5000_easy.csv.gz", 32, easy.c_str()});
}

TEST_CASE("Lucid's engine, consolidating") {
  same_as({"philly_2000.csv", "lucid/n64g8_2000_fifo.csv.gz", 64, "span=most_free"});
  same_as({"philly_5000.csv.gz", "lucid/n64g8_5000_fifo.csv.gz", 64, "span=most_free"});
}
