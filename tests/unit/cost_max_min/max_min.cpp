#include "muster/cost/max_min.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "muster/core/random.hpp"

using namespace muster;
using muster::test::Approx;

namespace {

using Uses = std::vector<MaxMin::Use>;

Uses over(std::initializer_list<MaxMin::Link> links) {
  Uses uses;
  for (const MaxMin::Link l : links) uses.push_back({l, 1});
  return uses;
}

}  // namespace

TEST_CASE("two flows on one link get exactly half each") {
  MaxMin net;
  net.add_link(10);
  const auto a = net.add(1, over({0}));
  net.solve();
  CHECK(net.rate(a) == 10);
  const auto b = net.add(2, over({0}));
  CHECK(net.solve().size() == 2);
  CHECK(net.rate(a) == 5);
  CHECK(net.rate(b) == 5);
  net.remove(a);
  CHECK(net.solve().size() == 1);
  CHECK(net.rate(b) == 10);
}

TEST_CASE("what a flow can't use is for the others") {
  MaxMin net;
  net.add_link(10);
  net.add_link(3);
  const auto narrow = net.add(1, over({0, 1}));
  const auto wide = net.add(2, over({0}));
  SECTION("because of another link") {
    net.solve();
    CHECK(net.rate(narrow) == 3);
    CHECK(net.rate(wide) == 7);
  }
  SECTION("because of its own limit") {
    net.set_limit(narrow, 2);
    net.solve();
    CHECK(net.rate(narrow) == 2);
    CHECK(net.rate(wide) == 8);
    net.set_limit(narrow, 50);
    net.solve();
    CHECK(net.rate(narrow) == 3);
  }
  SECTION("because a link is broken") {
    net.set_capacity(1, 0);
    net.solve();
    CHECK(net.rate(narrow) == 0);
    CHECK(net.rate(wide) == 10);
  }
  CHECK(net.load(0) == 10);
}

TEST_CASE("weights and factors") {
  MaxMin net;
  net.add_link(12);
  const auto a = net.add(1, over({0}), 1);
  const auto b = net.add(2, over({0}), 3);
  net.solve();
  CHECK(net.rate(a) == 3);
  CHECK(net.rate(b) == 9);
  net.remove(b);
  const auto twice = net.add(3, Uses{{0, 2}});  // sends twice its rate over the link
  net.solve();
  CHECK(net.rate(a) == 4);
  CHECK(net.rate(twice) == 4);
  CHECK(net.load(0) == 12);
}

TEST_CASE("only what is connected to a change is solved again") {
  MaxMin net;
  for (int i = 0; i < 4; ++i) net.add_link(1);
  net.add(10, over({0}));
  net.add(11, over({1, 2}));
  net.add(12, over({2}));
  net.add(13, over({3}));
  CHECK(net.solve().size() == 4);
  CHECK(net.solve().empty());
  const auto more = net.add(5, over({1}));
  const auto touched = net.solve();  // 5, and by way of links 1 and 2: 11 and 12
  CHECK(touched.size() == 3);
  CHECK(touched[0] == more);
  const auto free = net.add(20, Uses{}, 1, 7);  // on no link
  CHECK(net.solve().size() == 1);
  CHECK(net.rate(free) == 7);
}

TEST_CASE("a link that can carry all that its flows may have connects nothing") {
  MaxMin net;
  for (int i = 0; i < 3; ++i) net.add_link(10);
  const auto a = net.add(1, over({0, 1}), 1, 5);
  const auto b = net.add(2, over({1, 2}), 1, 5);
  net.solve();
  net.add(3, over({0}));
  CHECK(net.solve().size() == 2);  // 1 and 3: link 1 has enough for 1 and 2
  CHECK(net.rate(a) == 5);
  net.set_capacity(1, 8);
  CHECK(net.solve().size() == 3);
  CHECK(net.rate(b) == 4);
  net.set_capacity(1, 10);
  CHECK(net.solve().size() == 3);  // they were connected until now
  CHECK(net.rate(b) == 5);
  net.set_limit(b, 6);
  CHECK(net.solve().size() == 3);
  CHECK(net.rate(a) == 5);
  CHECK(net.rate(b) == 5);
}

namespace {

/// Progressive filling as a textbook has it: no heap, no components.
std::map<std::uint64_t, double> textbook(const std::vector<double>& capacity,
                                         const std::map<std::uint64_t, Uses>& flows,
                                         const std::map<std::uint64_t, double>& weight,
                                         const std::map<std::uint64_t, double>& limit) {
  std::map<std::uint64_t, double> rate;
  while (rate.size() < flows.size()) {
    double least = INFINITY;
    const auto link_level = [&](std::size_t l) {
      double left = capacity[l], asking = 0;
      for (const auto& [key, uses] : flows)
        for (const auto& use : uses)
          if (use.link == l) {
            if (rate.contains(key))
              left -= rate[key] * use.factor;
            else
              asking += weight.at(key) * use.factor;
          }
      return asking > 0 ? std::max(0.0, left) / asking : INFINITY;
    };
    std::vector<double> levels;
    for (std::size_t l = 0; l < capacity.size(); ++l) {
      levels.push_back(link_level(l));
      least = std::min(least, levels.back());
    }
    for (const auto& [key, uses] : flows)
      if (!rate.contains(key)) least = std::min(least, limit.at(key) / weight.at(key));
    std::map<std::uint64_t, double> fixed;
    for (const auto& [key, uses] : flows) {
      if (rate.contains(key)) continue;
      bool stops = limit.at(key) / weight.at(key) <= least * (1 + 1e-12);
      for (const auto& use : uses) stops |= levels[use.link] <= least * (1 + 1e-12);
      if (stops) fixed[key] = least * weight.at(key);
    }
    rate.merge(fixed);
  }
  return rate;
}

struct Drawn {
  std::vector<double> capacity;
  std::map<std::uint64_t, Uses> flows;
  std::map<std::uint64_t, double> weight, limit;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed, "max-min") {}
  double real(double least, double most) { return least + (most - least) * random_.uniform(); }
  std::size_t below(std::size_t n) { return random_.below(n); }

  void flow(Drawn& drawn, std::uint64_t key) {
    Uses uses;
    const std::size_t most = std::min<std::size_t>(4, drawn.capacity.size());
    for (std::size_t i = 1 + below(most); i > 0; --i) {
      const auto link = static_cast<MaxMin::Link>(below(drawn.capacity.size()));
      if (std::none_of(uses.begin(), uses.end(), [&](auto& use) { return use.link == link; }))
        uses.push_back({link, below(2) ? 1 : real(0.1, 4)});
    }
    drawn.flows[key] = uses;
    drawn.weight[key] = below(2) ? 1 : real(0.01, 100);
    drawn.limit[key] = below(3) ? MaxMin::kNoLimit : real(0, 20);
  }

 private:
  Stream random_;
};

}  // namespace

TEST_CASE("drawn networks: incremental is from scratch bit for bit, and is the textbook's") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Draw draw(seed);
    Drawn drawn;
    MaxMin net;
    for (std::size_t l = 1 + draw.below(20); l > 0; --l) {
      drawn.capacity.push_back(draw.below(10) ? draw.real(1, 100) : 0);
      net.add_link(drawn.capacity.back());
    }
    std::map<std::uint64_t, MaxMin::Flow> known;
    for (std::uint64_t step = 0; step < 40; ++step) {
      if (known.size() > 3 && draw.below(3) == 0) {
        const auto gone = std::next(known.begin(), static_cast<long>(draw.below(known.size())));
        net.remove(gone->second);
        drawn.flows.erase(gone->first);
        known.erase(gone);
      } else if (draw.below(4) == 0) {
        const std::size_t link = draw.below(drawn.capacity.size());
        drawn.capacity[link] = draw.real(0, 100);
        net.set_capacity(static_cast<MaxMin::Link>(link), drawn.capacity[link]);
      } else {
        // Keys in no order: where a flow stands in memory must not matter.
        const std::uint64_t key = step * 7919 % 1000;
        draw.flow(drawn, key);
        known[key] = net.add(key, drawn.flows[key], drawn.weight[key], drawn.limit[key]);
      }
      if (draw.below(3) == 0) continue;  // several changes at once
      net.solve();
      MaxMin fresh;
      for (const double c : drawn.capacity) fresh.add_link(c);
      std::map<std::uint64_t, MaxMin::Flow> again;
      for (const auto& [key, uses] : drawn.flows)
        again[key] = fresh.add(key, uses, drawn.weight[key], drawn.limit[key]);
      fresh.solve();
      const auto expected = textbook(drawn.capacity, drawn.flows, drawn.weight, drawn.limit);
      for (const auto& [key, flow] : known) {
        REQUIRE(net.rate(flow) == fresh.rate(again[key]));
        REQUIRE(net.rate(flow) == Approx(expected.at(key)).epsilon(1e-9).margin(1e-9));
      }
      for (MaxMin::Link l = 0; l < drawn.capacity.size(); ++l)
        REQUIRE(net.load(l) <= drawn.capacity[l] * (1 + 1e-9) + 1e-9);
      // What one more would get, and change, is what comes of adding it; the network itself stays as it is.
      Drawn more;
      more.capacity = drawn.capacity;
      draw.flow(more, 1000);
      std::vector<MaxMin::Change> changes;
      const double gets =
          net.probe(1000, more.flows[1000], more.weight[1000], more.limit[1000], changes);
      const auto added = fresh.add(1000, more.flows[1000], more.weight[1000], more.limit[1000]);
      std::map<std::uint64_t, double> before;
      for (const auto& [key, flow] : again) before[key] = fresh.rate(flow);
      fresh.solve();
      REQUIRE(gets == fresh.rate(added));
      std::size_t changed = 0;
      for (const auto& [key, flow] : known) {
        REQUIRE(net.rate(flow) == before[key]);
        if (fresh.rate(again[key]) == before[key]) continue;
        ++changed;
        const auto told = std::find_if(changes.begin(), changes.end(),
                                       [f = flow](const auto& c) { return c.flow == f; });
        REQUIRE(told != changes.end());
        REQUIRE(told->before == before[key]);
        REQUIRE(told->after == fresh.rate(again[key]));
      }
      REQUIRE(changes.size() == changed);
      REQUIRE(net.solve().empty());
    }
  }
}
