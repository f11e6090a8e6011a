// Where a real slurmctld (22.05.8, select/cons_tres, exclusive nodes, topology/tree) put jobs on 32
// nodes under two levels of switches: the same nodes, every time.

#include <fstream>

#include "muster/io/fleet.hpp"
#include "muster/policy/parts/placer.hpp"
#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;

namespace {

std::string whole_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// "0 1 12" as slices of whole nodes.
std::vector<Slice> nodes_of(std::string_view text) {
  std::vector<Slice> slices;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    append(slices, static_cast<std::uint32_t>(parse_integer(word).value()), 1);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return slices;
}

struct Compared {
  std::size_t allocations = 0, differ = 0;
};

/// Replays what was allocated and freed, and asks the placer before each allocation.
Compared compare(const Fleet& fleet, const std::string& placer, const std::filesystem::path& file) {
  const auto p = Placers::all().at(placer).make(1);
  Cluster cluster(fleet, true);
  LineReader lines(open_bytes(file));
  TraceTable table(lines);
  table.read_header();
  const auto op = table.column("op"), k = table.column("k"), nodes = table.column("nodes"),
             busy = table.column("busy_before");
  Compared out;
  while (table.next()) {
    const std::vector<Slice> theirs = nodes_of(table[nodes].text);
    REQUIRE(gpus_in(nodes_of(table[busy].text)) == fleet.gpus - cluster.free_gpus(1));
    if (table[op].text == "free") {
      cluster.give_back(theirs);
      continue;
    }
    Shape shape;
    shape.nodes = static_cast<std::uint32_t>(parse_integer(table[k].text).value());
    std::vector<Slice> ours;
    REQUIRE(p->place(cluster, resolve(shape, Names{}, fleet, {}), ours));
    ++out.allocations;
    if (ours != theirs) ++out.differ;
    cluster.take(theirs);
  }
  return out;
}

}  // namespace

TEST_CASE("Slurm's topology/tree, node for node") {
  const auto folder = oracles() / "hpc/slurm-topology";
  const auto conf = folder / "tree_2level_8x4.topology.conf";
  if (!present(conf)) return;
  const Fleet fleet =
      parse_fleet(whole_text(conf) + "NodeName=n[0-31] Gres=gpu:1\n", "topology.conf");
  REQUIRE(fleet.domains[static_cast<std::size_t>(Level::leaf)].size() == 8);
  REQUIRE(fleet.domains[static_cast<std::size_t>(Level::pod)].size() == 2);

  Compared tree, first;
  for (const char* seed : {"seed1", "seed2"}) {
    const auto file = folder / (std::string{"tree_2level_8x4_"} + seed + ".csv");
    if (!present(file)) return;
    for (const auto& [name, sum] : {std::pair{"topology_tree", &tree}, {"first", &first}}) {
      const Compared c = compare(fleet, name, file);
      sum->allocations += c.allocations;
      sum->differ += c.differ;
    }
  }
  CHECK(tree.allocations == 407);
  CHECK(tree.differ == 0);
  CHECK(first.differ > 100);  // the placer matters on these
}
