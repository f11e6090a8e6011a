#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "muster/core/time.hpp"

namespace muster {

/// The largest fleet that can be described. A typo such as 10^9 nodes is refused instead of
/// eating all memory; 4 million nodes is 30 times the largest cluster announced.
inline constexpr std::uint32_t kMostNodes = 1u << 22;
inline constexpr std::uint32_t kMostGpusPerNode = 64;  // one bit each in a GpuMask
inline constexpr std::uint32_t kMostGpuTypes = 64;     // one bit each in a PoolMask

struct Wiring;

/// What a link can carry. Both ends of it see the same numbers.
struct Link {
  std::optional<double> bytes_per_s;  // per direction; empty: the description does not say
  Duration latency = kUnknown;
};

/// The wiring of a fleet as it was described: one vertex per node, NVLink switch domain, leaf, pod
/// (its spines taken together) and core (one per fabric), and an edge per link. It exists while a
/// fleet is loaded, checked and routed on; a run sees the flat Fleet that compile() makes of it.
///
/// Links go  node - leaf - pod - core  and  node - nvlink. The order in which links are made is the
/// order of siblings.
class FleetGraph {
 public:
  enum class Part : std::uint8_t { node, nvlink, leaf, pod, core };
  using Vertex = std::uint32_t;

  FleetGraph();
  ~FleetGraph();
  FleetGraph(FleetGraph&&) noexcept;
  FleetGraph& operator=(FleetGraph&&) noexcept;

  /// The number of the GPU type of that name, new or known. `mig`: "" for whole GPUs, or the layout of
  /// those in MIG mode (see mig.hpp), which are a type of their own.
  std::uint32_t gpu_type(std::string_view type, std::string_view mig = {});
  /// The number of that wiring, new or known. Number 0 is: as usual for the node's type of GPU.
  std::uint16_t wiring(const Wiring& wiring);
  const Wiring& wiring(std::uint16_t number) const;
  /// An empty name: nodes are then called n0, n1, ... and switches by their number.
  Vertex add_node(std::string name, std::uint32_t gpus, std::uint32_t gpu_type,
                  std::uint16_t wiring = 0);
  Vertex add_switch(Part part, std::string name);
  void connect(Vertex a, Vertex b, const Link& link = {});
  /// What the storage of a fabric gives in all, bytes/s.
  void set_storage(Vertex core, double bytes_per_s);
  /// The same; empty if nothing is said of it.
  std::optional<double> storage(Vertex core) const;
  void reserve(std::uint32_t nodes);

  std::uint32_t nodes() const;
  std::uint32_t vertices() const;
  std::uint32_t links() const;
  const std::string& name(Vertex v) const;
  /// Links in the order in which they were made.
  void for_each_link(const std::function<void(Vertex, Vertex, const Link&)>& visit) const;

  /// Throws InputError, with `where` in front, at the first way in which the graph is not a fleet:
  /// see docs/fleets.md for the list.
  void validate(std::string_view where) const;

  /// The Boost.Graph inside, for topology's own files (src/topology/boost_graph.hpp).
  struct Inside;
  const Inside& inside() const { return *inside_; }

 private:
  std::unique_ptr<Inside> inside_;
};

/// "node", "NVLink domain", "leaf", "pod", "fabric": as messages call them.
std::string_view name(FleetGraph::Part part);

}  // namespace muster
