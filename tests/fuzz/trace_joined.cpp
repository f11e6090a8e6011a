// Formats that join several files: a NUL byte separates them; the first byte says which format.
#include <algorithm>

#include "fuzz/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto pai = muster::fuzz::lenient("alibaba-pai2020");
  static const auto gavel = muster::fuzz::lenient("gavel");
  if (size == 0) return 0;
  const std::string_view rest{reinterpret_cast<const char*>(data) + 1, size - 1};
  const std::size_t cut = std::min(rest.find('\0'), rest.size());
  const std::string_view second = rest.substr(std::min(cut + 1, rest.size()));
  const muster::NamedTexts beside{{"pai_task_table.csv", second},
                                  {"simulation_throughputs.json", second}};
  return muster::fuzz::read_anything(data + 1, cut, data[0] % 2 == 0 ? pai : gavel, beside);
}
