// The logs with wall times and the pods: the first byte says which.
#include <array>

#include "fuzz/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array options{muster::fuzz::lenient("helios"), muster::fuzz::lenient("acme"),
                                  muster::fuzz::lenient("alibaba-openb2023"),
                                  muster::fuzz::lenient("hpc-list")};
  if (size == 0) return 0;
  return muster::fuzz::read_anything(data + 1, size - 1, options[data[0] % options.size()]);
}
