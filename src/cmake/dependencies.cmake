# Every library muster uses; docs/dependencies.md says what for. A missing one is named with its
# Debian package.

function(muster_missing what package)
  message(FATAL_ERROR "${what} was not found. On Debian or Ubuntu: apt-get install ${package}")
endfunction()

# muster_find(NAME PACKAGE [find_package arguments])
macro(muster_find name package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    muster_missing(${name} ${package})
  endif()
endmacro()

muster_find(Threads libc6-dev)
muster_find(Boost libboost-graph-dev 1.74)
muster_find(nlohmann_json nlohmann-json3-dev 3.11)
muster_find(spdlog libspdlog-dev 1.10)
muster_find(CLI11 libcli11-dev 2.1)
muster_find(ZLIB zlib1g-dev)

muster_find(PkgConfig pkg-config)
pkg_check_modules(ZSTD QUIET IMPORTED_TARGET libzstd)
if(NOT ZSTD_FOUND)
  muster_missing(zstd libzstd-dev)
endif()
pkg_check_modules(CLP QUIET IMPORTED_TARGET clp)
if(NOT CLP_FOUND)
  muster_missing(CLP coinor-libclp-dev)
endif()
# Loaded when it is needed (src/policy/rounds/clp.hpp), by the name that other programs have it linked by:
# libClp.so leads to libClp.so.1.14.6, whose first number says what it is compatible with.
find_library(CLP_LIBRARY Clp HINTS ${CLP_LIBRARY_DIRS})
mark_as_advanced(CLP_LIBRARY)
file(REAL_PATH "${CLP_LIBRARY}" clp_file)
get_filename_component(clp_file "${clp_file}" NAME)
string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" MUSTER_CLP "${clp_file}")

if(MUSTER_TESTS)
  muster_find(Catch2 catch2)
endif()
if(MUSTER_BENCH)
  muster_find(benchmark libbenchmark-dev)
endif()
