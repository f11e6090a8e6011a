#include "muster/policy/parts/quota_tree.hpp"

#include "catch.hpp"
#include "muster/core/random.hpp"

using namespace muster;

TEST_CASE("what a queue may use: its own, and what others lend") {
  QuotaTree tree;
  const std::size_t a = tree.add({"a", QuotaTree::kRoot, 9});
  const std::size_t b = tree.add({"b", QuotaTree::kRoot, 12, /*lending_limit=*/1});
  CHECK(tree.available(a) == 10);
  CHECK(tree.available(b) == 21);
  CHECK(tree.most(a) == 10);

  tree.charge(a, 10);
  CHECK(tree.available(a) == 0);
  CHECK(tree.available(b) == 11);  // what it keeps, and nothing of a's
  CHECK(tree.borrows(a));
  CHECK(!tree.borrows(b));

  tree.charge(b, 11);
  CHECK(tree.available(b) == 0);
  tree.release(a, 10);
  CHECK(tree.available(b) == 10);
  CHECK(tree.available(a) == 10);
}

TEST_CASE("a limit holds whatever is lent, and a cohort's own limit binds its queues together") {
  QuotaTree tree(100);
  const std::size_t cohort = tree.add({"cohort", QuotaTree::kRoot, 0, QuotaTree::kUnlimited, 30});
  const std::size_t a = tree.add({"a", cohort, 10, QuotaTree::kUnlimited, 25});
  const std::size_t b = tree.add({"b", cohort, 10});
  CHECK(tree.available(a) == 25);
  CHECK(tree.available(b) == 30);
  tree.charge(a, 25);
  CHECK(tree.available(a) == 0);
  CHECK(tree.available(b) == 5);
}

TEST_CASE("shares are compared by weight, without rounding") {
  QuotaTree tree(8);
  const std::size_t a = tree.add(
      {"a", QuotaTree::kRoot, 0, QuotaTree::kUnlimited, QuotaTree::kUnlimited, /*weight=*/3});
  const std::size_t b = tree.add(
      {"b", QuotaTree::kRoot, 0, QuotaTree::kUnlimited, QuotaTree::kUnlimited, /*weight=*/1});
  CHECK(tree.share_at_most(a, 6, b, 2));
  CHECK(!tree.share_at_most(a, 7, b, 2));
}

TEST_CASE("whatever is charged and released, a flat cohort agrees with the definition") {
  Stream r(3, "quota tree");
  for (int round = 0; round < 200; ++round) {
    const auto pool = static_cast<std::int64_t>(r.below(20));
    QuotaTree tree(pool);
    struct Queue {
      std::size_t node;
      std::int64_t guaranteed, lends, used = 0;
    };
    std::vector<Queue> queues;
    for (int q = 0; q < 4; ++q) {
      const auto guaranteed = static_cast<std::int64_t>(r.below(15));
      const auto limit = static_cast<std::int64_t>(r.below(15));
      queues.push_back({tree.add({"", QuotaTree::kRoot, guaranteed, limit}), guaranteed,
                        std::min(limit, guaranteed)});
    }
    for (int step = 0; step < 50; ++step) {
      Queue& q = queues[r.below(queues.size())];
      const bool back = q.used > 0 && r.chance(0.5);
      const auto amount = static_cast<std::int64_t>(
          back ? 1 + r.below(static_cast<std::uint64_t>(q.used)) : r.below(6));
      q.used += back ? -amount : amount;
      back ? tree.release(q.node, amount) : tree.charge(q.node, amount);
      std::int64_t lent = pool, borrowed = 0;
      for (const Queue& o : queues) {
        lent += o.lends;
        borrowed += std::max<std::int64_t>(0, o.used - (o.guaranteed - o.lends));
      }
      for (const Queue& o : queues) {
        const std::int64_t kept = o.guaranteed - o.lends;
        CHECK(tree.available(o.node) == std::max<std::int64_t>(0, kept - o.used) +
                                            std::max<std::int64_t>(0, lent - borrowed));
        CHECK(tree.within(o.node) == (o.used <= kept || borrowed <= lent));
      }
    }
  }
}
