#include <algorithm>

#include "muster/cost/group.hpp"

namespace muster {
namespace {

using Links = std::vector<std::vector<std::uint32_t>>;
using Cycle = std::vector<std::uint32_t>;  // GPUs in order, beginning with the first

void cycles_from(const Links& links, Cycle& path, std::vector<bool>& seen,
                 std::vector<Cycle>& all) {
  const std::size_t n = links.size();
  if (path.size() == n) {
    // Each cycle is met once per direction: keep the one whose second GPU is the lower.
    if (links[path.back()][0] > 0 && path[1] < path.back()) all.push_back(path);
    return;
  }
  for (std::uint32_t next = 1; next < n; ++next) {
    if (seen[next] || links[path.back()][next] == 0) continue;
    seen[next] = true;
    path.push_back(next);
    cycles_from(links, path, seen, all);
    path.pop_back();
    seen[next] = false;
  }
}

bool take(Links& links, const Cycle& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i)
    if (links[cycle[i]][cycle[(i + 1) % cycle.size()]] == 0) return false;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const std::uint32_t a = cycle[i], b = cycle[(i + 1) % cycle.size()];
    --links[a][b];
    --links[b][a];
  }
  return true;
}

/// The most cycles from `from` on that do not share a link. At most `bound`.
std::uint32_t most_cycles(const Links& links, const std::vector<Cycle>& all, std::size_t from,
                          std::uint32_t bound) {
  std::uint32_t best = 0;
  for (std::size_t i = from; i < all.size() && best < bound; ++i) {
    Links rest = links;
    if (take(rest, all[i])) best = std::max(best, 1 + most_cycles(rest, all, i, bound - 1));
  }
  return best;
}

}  // namespace

std::uint32_t rings_in_mesh(std::span<const std::vector<std::uint32_t>> given) {
  const Links links(given.begin(), given.end());
  const std::size_t n = links.size();
  if (n < 2) return 0;
  if (n == 2) return links[0][1];  // there and back
  std::uint32_t degree = ~0u;
  for (const auto& row : links) {
    std::uint32_t sum = 0;
    for (const std::uint32_t l : row) sum += l;
    degree = std::min(degree, sum);
  }
  std::vector<Cycle> all;
  Cycle path{0};
  std::vector<bool> seen(n);
  cycles_from(links, path, seen, all);
  return 2 * most_cycles(links, all, 0, degree / 2);  // a cycle is a ring in each direction
}

}  // namespace muster
