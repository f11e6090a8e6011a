// topology.conf, the nodes in the same text. It may be refused; what is taken makes a fleet.
#include "fuzz/trace.hpp"
#include "muster/io/fleet.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const muster::Fleet fleet =
        muster::parse_fleet({reinterpret_cast<const char*>(data), size}, "topology.conf");
    muster::fuzz::require(fleet.gpus > 0);
  } catch (const muster::InputError&) {
  }
  return 0;
}
