// 300 jobs that Fluxion planned at t = 0 (allocate, or else reserve) on 4 racks of 8 nodes of 8 GPUs,
// nodes exclusive: every start, and every GPU.

#include "muster/io/fleet.hpp"
#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// When and where each job first started: "600 2:0/1/2/3/4/5/6/7".
class Started final : public Observer {
 public:
  void on(const Record& r) override {
    if (r.what != Record::What::start) return;
    std::string text = std::to_string(
        std::chrono::duration_cast<std::chrono::seconds>(r.at.time_since_epoch()).count());
    for (const Slice& s : r.placement)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
        text += " " + std::to_string(n) + ":";
        for (std::uint32_t g = 0; g < 64; ++g)
          if ((s.gpus >> g) & 1) text += (text.back() == ':' ? "" : "/") + std::to_string(g);
      }
    where.push_back({r.job, text});
  }
  std::vector<std::pair<JobId, std::string>> where;
};

void same_as(const char* file_name, const std::string& placer) {
  const auto file = oracles() / "hpc/fluxion-gpu" / file_name;
  if (!present(file)) return;
  TraceReport report;
  WorkloadBuilder builder(report);
  std::map<std::string, std::string> theirs;
  LineReader lines(open_bytes(file));
  TraceTable table(lines);
  table.read_header();
  const auto job = table.column("job"), nodes = table.column("nodes"),
             gpus = table.column("gpus_per_node"), duration = table.column("duration"),
             start = table.column("start"), placement = table.column("placement");
  while (table.next()) {
    JobRow row;
    row.job = table[job].text;
    row.shape.nodes = static_cast<std::uint32_t>(parse_integer(table[nodes].text).value());
    row.shape.gpus_per_node = static_cast<std::uint32_t>(parse_integer(table[gpus].text).value());
    row.duration = row.estimate = parse_integer(table[duration].text).value() * 1s;
    builder.add(row);
    theirs[std::string{row.job}] =
        std::string{table[start].text} + " " + std::string{table[placement].text};
  }
  const Workload w = builder.finish();
  const Fleet fleet = load_fleet("32x8:h100/8");
  const auto p = policy("batch:backfill=conservative,promise=pinned,placer=" + placer);
  Started ours;
  simulate(fleet, w, *p, {}, ours);
  REQUIRE(ours.where.size() == 300);
  std::size_t differ = 0;
  for (const auto& [j, where] : ours.where) {
    const std::string& expected = theirs.at(std::string{w.id_text(j)});
    if (where == expected) continue;
    if (differ++ == 0)
      UNSCOPED_INFO("job " << w.id_text(j) << ": Fluxion " << expected << ", here " << where);
  }
  CHECK(differ == 0);
}

}  // namespace

TEST_CASE("Fluxion's plans, lowest node ids") { same_as("low_excl_s1.csv", "first"); }
TEST_CASE("Fluxion's plans, highest node ids") { same_as("high_excl_s1.csv", "last"); }
