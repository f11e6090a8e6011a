# Fails if a file uses a layer that comes after its own, or a library that belongs to another layer.
# cmake -DROOT=<repository> -P check_layers.cmake

# The architecture: a layer may use itself and those before it.
set(layers core topology workload cluster cost policy engine ledger metrics io lab cli)

# Libraries that only one layer may see: a pattern for what is included, and its layer.
set(owned
  "boost/|topology"
  "nlohmann/|io"
  "zlib\\.h|io"
  "zstd\\.h|io"
  "coin/|policy"
  "CLI/|cli"
  "spdlog/sinks/|cli")

string(REPLACE ";" " < " order "${layers}")

file(REAL_PATH "${ROOT}" ROOT)
file(GLOB_RECURSE files RELATIVE ${ROOT}
  ${ROOT}/include/*.hpp ${ROOT}/include/*.h ${ROOT}/src/*.hpp ${ROOT}/src/*.h ${ROOT}/src/*.cpp)
set(wrong 0)
function(refuse text)
  message("${file}:${number}: ${text}")
  math(EXPR wrong "${wrong} + 1")
  set(wrong ${wrong} PARENT_SCOPE)
endfunction()

foreach(file IN LISTS files)
  set(number 1)
  set(own -1)
  if(file MATCHES "^(include/muster|src)/([a-z_]+)/")
    set(layer ${CMAKE_MATCH_2})
    list(FIND layers ${layer} own)
  endif()
  if(own EQUAL -1)
    refuse("is in no layer; put it in src/<layer>/ or include/muster/<layer>/: ${order}")
    continue()
  endif()

  # One list element per line; what would upset a CMake list is replaced first.
  file(READ ${ROOT}/${file} text)
  string(REGEX REPLACE "[][;\\]" " " text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(NOT line MATCHES "^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]")
      continue()
    endif()
    set(included ${CMAKE_MATCH_1})
    if(included MATCHES "^\\.\\.?/")
      cmake_path(GET file PARENT_PATH folder)
      cmake_path(SET included NORMALIZE "${folder}/${included}")
      string(REGEX REPLACE "^(include|src)/" "" included "${included}")
    endif()
    if(included MATCHES "^(muster/)?([a-z_]+)/")
      set(used ${CMAKE_MATCH_2})
      set(public "${CMAKE_MATCH_1}")
      list(FIND layers ${used} other)
      if(other GREATER own)
        refuse("${layer} may not use ${used}: \"${included}\"\n    the order is ${order}")
      elseif(public AND other EQUAL -1)
        refuse("\"${included}\": there is no layer ${used}; the layers are ${order}")
      endif()
    endif()
    if(file MATCHES "^include/" AND included MATCHES "\\.h(pp)?$|^(muster|boost|spdlog|fmt|nlohmann|CLI)/"
       AND NOT included MATCHES "^muster/")
      refuse("a public header may include only muster/... and the standard library, not <${included}>:\n    whoever installs muster would need it too. A private header lives in src/${layer}/")
    endif()
    foreach(rule IN LISTS owned)
      string(REGEX MATCH "^(.*)\\|(.*)$" _ "${rule}")
      set(owner ${CMAKE_MATCH_2})
      if(included MATCHES "^${CMAKE_MATCH_1}" AND NOT layer STREQUAL owner)
        refuse("only ${owner} may include <${included}>; let ${owner} offer what ${layer} needs")
      endif()
    endforeach()
  endforeach()
endforeach()

list(LENGTH files count)
if(NOT count)
  message(FATAL_ERROR "no source file below ${ROOT}")
elseif(wrong)
  message(FATAL_ERROR "${wrong} includes break the architecture")
endif()
message("${count} files keep to the layers")
