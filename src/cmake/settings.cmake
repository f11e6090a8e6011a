# How every target is compiled. Link muster_settings to get it.

include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Programs find libmuster beside themselves, wherever the build tree is moved to.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

# ccache, where there is one. The two kinds of sloppiness are what it needs to cache a compilation
# that uses a precompiled header.
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# What the code may ask of the processor. The default on x86 is what all new ones have had for ten years:
# it counts the bits of a GPU mask in one instruction. No level has FMA contracted (see below), so the
# results are the same bits with any of them.
set(default_arch "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(default_arch x86-64-v2)
endif()
set(MUSTER_ARCH "${default_arch}" CACHE STRING
  "For -march=, unless CMAKE_CXX_FLAGS has one; empty: the compiler's default")

add_library(muster_settings INTERFACE)
target_compile_features(muster_settings INTERFACE cxx_std_20)
target_compile_options(muster_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  -ffp-contract=off              # the same bits with and without FMA
  -fno-semantic-interposition)   # calls within libmuster may be inlined, though it is shared
if(MUSTER_ARCH AND NOT CMAKE_CXX_FLAGS MATCHES "-march=")
  target_compile_options(muster_settings INTERFACE -march=${MUSTER_ARCH})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # g++ does not count signedness as -Wconversion; both compilers shall ask for the same.
  target_compile_options(muster_settings INTERFACE -Wno-sign-conversion)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 takes `"text" + std::string` for overlapping copies at -O3 (GCC bug 105651).
  target_compile_options(muster_settings INTERFACE -Wno-restrict)
endif()

if(MUSTER_SANITIZE OR MUSTER_FUZZ)
  target_compile_options(muster_settings INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(muster_settings INTERFACE -fsanitize=address,undefined)
endif()
if(MUSTER_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 sees uninitialised values in libstdc++ and Boost once ASan is on, and only then.
  target_compile_options(muster_settings INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
if(MUSTER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "MUSTER_FUZZ needs clang: cmake --preset fuzz, or -DCMAKE_CXX_COMPILER=clang++")
  endif()
  target_compile_options(muster_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()
