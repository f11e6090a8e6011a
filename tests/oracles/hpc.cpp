// Batch schedules of peers on KTH-SP2 (28,481 jobs, 100 processors): every job starts when theirs does.

#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

struct Peer {
  const char* policy;
  const char* file;
  Passes passes = Passes::instant;
};

Workload jobs_of(const char* folder, const char* unit) {
  ReadOptions options;
  options.format = "hpc-list";
  options.extra["unit"] = unit;
  return read_trace(oracles() / "hpc" / folder / "jobs.csv.gz", options).workload;
}

void same_as(const Workload& w, const Peer& peer, const char* folder, Duration unit) {
  const auto file = oracles() / "hpc" / folder / peer.file;
  if (!present(file)) return;
  EngineOptions options;
  options.passes = peer.passes;
  const Timetable ours = timetable(Fleet::uniform(100, 1), w, peer.policy, options);
  const Differences d = compare(w, ours, peer_starts(file, "job", unit));
  INFO(peer.policy << " against " << peer.file << ": " << d.first);
  CHECK(d.compared == w.size());
  CHECK(d.differ == 0);
}

}  // namespace

TEST_CASE("KTH-SP2: no job starts at another time than in the schedules of peers") {
  if (!present(oracles() / "hpc/KTH-SP2/jobs.csv.gz")) return;
  const Workload w = jobs_of("KTH-SP2", "s");
  REQUIRE(w.size() == 28'481);
  for (const Peer& peer : std::initializer_list<Peer>{
           {"batch:backfill=none", "fcfs.ref-batch.csv.gz"},
           {"batch:backfill=easy", "easy.ref-batch.csv.gz"},
           {"batch:backfill=easy,candidates=shortest", "sjbf.ref-batch.csv.gz"},
           {"batch:backfill=conservative,conservative=compress", "cons.ref-batch.csv.gz"},
           {"batch:backfill=easy,promise=pinned,placer=first", "easy_pinned.ref.csv.gz"},
           {"batch:backfill=easy,promise=pinned,placer=first",
            "easy_bf.batsim421-batsched140.csv.gz"},
           {"batch:backfill=none", "fcfs.pyss.csv.gz", Passes::event},
           {"batch:backfill=easy", "easy.pyss.csv.gz", Passes::event},
           {"batch:backfill=easy,candidates=shortest", "sjbf.pyss.csv.gz", Passes::event},
           {"batch:backfill=conservative,conservative=compress", "cons.pyss.csv.gz",
            Passes::event}})
    same_as(w, peer, "KTH-SP2", 1s);
}

TEST_CASE("KTH-SP2 without two events at one instant: the same under every order of events") {
  if (!present(oracles() / "hpc/KTH-SP2-tiefree/jobs.csv.gz")) return;
  const Workload w = jobs_of("KTH-SP2-tiefree", "ms");
  REQUIRE(w.size() == 28'481);
  for (const Peer& peer : std::initializer_list<Peer>{
           {"batch:backfill=none", "fcfs.ref-batch.csv.gz"},
           {"batch:backfill=easy", "easy.ref-batch.csv.gz"},
           {"batch:backfill=easy,candidates=shortest", "sjbf.ref-batch.csv.gz"},
           {"batch:backfill=conservative,conservative=compress", "cons.ref-batch.csv.gz"},
           {"batch:backfill=conservative,conservative=replan", "cons_replan.ref-batch.csv.gz"},
           {"batch:backfill=easy,promise=pinned,placer=first", "easy_pinned.ref.csv.gz"},
           {"batch:backfill=conservative,conservative=compress,promise=pinned,placer=first",
            "cons_pinned.ref.csv.gz"},
           {"batch:backfill=easy", "easy.ref-batch.csv.gz", Passes::event}})
    same_as(w, peer, "KTH-SP2-tiefree", 1ms);
}
