#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace muster::test {

/// A small network with flows on it, drawn from a seed with integers alone: the same on every machine
/// and for the program that asks SimGrid.
struct DrawnNetwork {
  struct Flow {
    std::vector<std::uint32_t> links;
    std::uint32_t weight = 1;
    double limit = 0;  // bytes/s, 0: none
  };
  std::vector<double> capacity;  // bytes/s
  std::vector<Flow> flows;

  explicit DrawnNetwork(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {
    const std::uint64_t links = 1 + below(25), count = 1 + below(30);
    for (std::uint64_t l = 0; l < links; ++l)
      // Many alike, as in a real fabric; some of any size.
      capacity.push_back(below(2) ? 4e8 : 1e8 + static_cast<double>(below(900'000'000)));
    for (std::uint64_t f = 0; f < count; ++f) {
      Flow flow;
      for (std::uint64_t i = 1 + below(std::min<std::uint64_t>(5, links)); i > 0; --i) {
        const auto link = static_cast<std::uint32_t>(below(links));
        if (std::find(flow.links.begin(), flow.links.end(), link) == flow.links.end())
          flow.links.push_back(link);
      }
      if (below(4) == 0) {
        flow.weight = static_cast<std::uint32_t>(2 + below(3));
      } else if (below(4) == 0) {
        flow.limit = 1e6 + static_cast<double>(below(200'000'000));
      }
      flows.push_back(std::move(flow));
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % n;
  }
  std::uint64_t state_;
};

}  // namespace muster::test
