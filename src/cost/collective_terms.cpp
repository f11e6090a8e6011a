// The terms of a collective in words, for reports: nothing here decides.

#include <spdlog/fmt/fmt.h>

#include "muster/cost/collective.hpp"

namespace muster {
namespace {

std::string number(double value) { return fmt::format("{:.4g}", value); }

struct Words {
  const Calibration& calibration;
  const GpuGroup& group;
  const CollectiveTime& time;
  std::string links;  // "links/hopper/"

  std::string source(const std::string& name) const { return calibration.source(links + name); }
  std::string net(const std::string& name) const { return calibration.source("network/" + name); }
  bool across() const { return group.domains > 1; }
};

/// Which numbers the algorithm took: those of the network, of NVLS or of the ring.
std::string latency_source(const Words& w) {
  switch (w.time.algorithm) {
    case Algorithm::hierarchical:
    case Algorithm::rail:
      return w.net("hop_us");
    case Algorithm::tree:
      return w.across() ? w.net("hop_us") : w.source("latency_us");
    case Algorithm::direct:
      return w.across() ? w.net("p2p_latency_us") : w.source("p2p_latency_us");
    case Algorithm::nvls:
      return w.source("nvls_latency_us");
    case Algorithm::small:
      return w.source("small_latency_us");
    case Algorithm::ring:
    case Algorithm::none:
      break;
  }
  return w.source("latency_us");
}

std::string rate_source(const Words& w) {
  switch (w.time.algorithm) {
    case Algorithm::hierarchical:
      return w.net("efficiency");
    case Algorithm::rail:
      return w.net("alltoall_efficiency");
    case Algorithm::tree:
      return w.across() ? w.net("efficiency") : w.source("ring_efficiency");
    case Algorithm::direct:
      return w.across() ? w.net("efficiency") : w.source("p2p_efficiency");
    case Algorithm::nvls:
      return w.source("nvls_efficiency");
    case Algorithm::small:
      return w.source("small_gbytes_per_s");
    case Algorithm::ring:
    case Algorithm::none:
      break;
  }
  return w.source("ring_efficiency");
}

std::string fill_source(const Words& w) {
  if (w.across()) return w.net("fill_us");
  return w.source(w.time.algorithm == Algorithm::nvls ? "nvls_fill_us" : "fill_us");
}

std::string rate_inputs(const Words& w) {
  const GpuGroup& g = w.group;
  std::string text = number(w.time.sent_kbytes) + " kB at " + number(w.time.rate) + " GB/s (";
  if (w.across()) {
    text += number(g.rails_rate) + " GB/s of NICs where they are fewest";
    if (g.spine_share < 1) text += ", " + number(g.spine_share) + " of it beyond the leaf";
    if (g.most > 1) text += "; links inside " + number(g.link_rate) + " GB/s per GPU";
  } else {
    text += "links of " + number(g.link_rate) + " GB/s per GPU";
  }
  return text + ")";
}

}  // namespace

std::vector<CostTerm> terms(const Calibration& calibration, const GpuGroup& group, Collective op,
                            const CollectiveTime& time) {
  if (time.algorithm == Algorithm::none) return {};
  const Words w{calibration, group, time, "links/" + calibration.links[group.links].name + "/"};
  std::string who = fmt::format("{} of {} GPUs on {} node{}", name(op), group.gpus, group.nodes,
                                group.nodes == 1 ? "" : "s");
  std::vector<CostTerm> out;
  out.push_back({"latency", time.latency_us, who, latency_source(w)});
  out.push_back({"transfer", time.transfer_us, rate_inputs(w), rate_source(w)});
  if (time.fill_us > 0)
    out.push_back({"pipeline fill", time.fill_us,
                   fmt::format("grows with the root of {} kB", number(time.sent_kbytes)),
                   fill_source(w)});
  return out;
}

}  // namespace muster
