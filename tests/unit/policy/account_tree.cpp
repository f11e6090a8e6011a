// Slurm's Fair Tree (slurm.schedmd.com/fair_tree.html), worked by hand.

#include "muster/policy/parts/account_tree.hpp"
#include "catch.hpp"

using namespace muster;

namespace {

struct Leaf {
  const char* path;
  double used;
  std::int64_t shares = 1;
};

/// Rank times users, by leaf.
std::vector<double> ranks(const std::vector<Leaf>& leaves,
                          const std::vector<std::pair<const char*, std::int64_t>>& accounts = {}) {
  AccountTree tree{AccountTree::Algorithm::fair_tree};
  for (const auto& [path, shares] : accounts) tree[tree.at(path)].shares = shares;
  for (const Leaf& leaf : leaves) {
    AccountTree::Account& a = tree[tree.at(leaf.path)];
    a.used.gpu_seconds = leaf.used;
    a.shares = leaf.shares;
  }
  tree.update(kStart, std::chrono::hours{24});
  std::vector<double> found;
  for (const Leaf& leaf : leaves)
    found.push_back(tree[tree.at(leaf.path)].factor * static_cast<double>(leaves.size()));
  return found;
}

using Ranks = std::vector<double>;

}  // namespace

TEST_CASE("fair tree: users come where their account stands") {
  // L(A) = 1/2 / 0.4 = 1.25 > L(B) = 1/2 / 0.6, so all of A goes before all of B, though b2 has used
  // nothing at all; below A, a1 (1/2 / 1/4) before a2 (1/2 / 3/4).
  CHECK(ranks({{"A/a1", 10}, {"A/a2", 30}, {"B/b1", 60}, {"B/b2", 0}}) == Ranks{4, 3, 1, 2});
  // Three shares to one turn it round: L(A) = 1/4 / 0.4, L(B) = 3/4 / 0.6.
  CHECK(ranks({{"A/a1", 10}, {"A/a2", 30}, {"B/b1", 60}, {"B/b2", 0}}, {{"A", 1}, {"B", 3}}) ==
        Ranks{2, 1, 3, 4});
  // Deeper: the sub-account A/x (5 of 10) equals the user A/u (5 of 10), and users stand first.
  CHECK(ranks({{"A/x/p", 1}, {"A/x/q", 4}, {"A/u", 5}, {"B/b", 90}}) == Ranks{4, 2, 4, 1});
}

TEST_CASE(
    "fair tree: who is equal shares a rank, and children of equal accounts are ranked together") {
  CHECK(ranks({{"A/a1", 0}, {"B/b1", 0}, {"c", 0}}) == Ranks{3, 3, 3});
  CHECK(ranks({{"A/a1", 10}, {"A/a2", 10}, {"B/b1", 80}}) == Ranks{3, 3, 1});
  // A and B have used 50 each: one list of a1 (1/2 / 0.2), b1 (1 / 1), a2 (1/2 / 0.8).
  CHECK(ranks({{"A/a1", 10}, {"A/a2", 40}, {"B/b1", 50}}) == Ranks{3, 1, 2});
}

TEST_CASE("fair tree: without shares, last") {
  CHECK(ranks({{"a", 0, 0}, {"b", 50}, {"c", 50}}) == Ranks{1, 3, 3});
}
