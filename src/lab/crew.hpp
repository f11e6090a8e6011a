#pragma once
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace muster {

/// `work` by so many threads at once, this one among them, or by as many as are to be had.
template <class Work>
void by_threads(std::size_t threads, Work work) {
  std::vector<std::thread> others;
  try {
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work);
  } catch (const std::system_error&) {
    // The system has no more: those that there are do it all.
  }
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace muster
