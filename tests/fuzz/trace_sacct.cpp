// Slurm's accounting, printed and dumped.
#include "fuzz/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto options = muster::fuzz::lenient("sacct");
  return muster::fuzz::read_anything(data, size, options);
}
