#pragma once
#include <cstddef>  // for what the C++ library says of itself

#include "muster/core/abi.hpp"  // generated: MUSTER_VERSION, MUSTER_HEADERS

/// A plug-in is a shared library whose parts (a policy, an order, a placer, ...) register themselves
/// as the built-in ones do, see docs/writing-a-policy.md. `muster --plugin FILE.so` loads it.
///
/// The interface is C++, so a plug-in must have been compiled against the very headers of the muster
/// that loads it. It says so by putting `MUSTER_PLUGIN;` once at namespace scope; the loader reads
/// this text before any code of the plug-in runs, and refuses another one.
#define MUSTER_PLUGIN                                                                      \
  extern "C" __attribute__((visibility("default"), used)) const char muster_plugin_abi[] = \
      MUSTER_PLUGIN_ABI

#define MUSTER_PLUGIN_MARK "muster-plugin-abi: "
#define MUSTER_PLUGIN_ABI                                                        \
  MUSTER_PLUGIN_MARK "muster " MUSTER_VERSION ", headers " MUSTER_HEADERS        \
                     ", C++ library " MUSTER_PLUGIN_TEXT(_GLIBCXX_USE_CXX11_ABI) \
                         MUSTER_PLUGIN_DEBUG

#define MUSTER_PLUGIN_TEXT(macro) MUSTER_PLUGIN_QUOTE(macro)
#define MUSTER_PLUGIN_QUOTE(text) #text
#ifdef _GLIBCXX_DEBUG
#define MUSTER_PLUGIN_DEBUG " debug"
#else
#define MUSTER_PLUGIN_DEBUG ""
#endif
