# <muster/core/abi.hpp>: which muster this is, to the last public header. A plug-in carries what it was
# compiled against (include/muster/policy/plugin.hpp), and one that was not compiled against this is
# refused.

file(GLOB_RECURSE abi_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/muster/*.hpp)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${abi_headers})
set(abi_text "")
foreach(header IN LISTS abi_headers)
  file(SHA256 ${header} abi_hash)
  string(APPEND abi_text ${abi_hash})
endforeach()
string(SHA256 abi_hash "${abi_text}")
string(SUBSTRING ${abi_hash} 0 16 MUSTER_HEADERS)
set(abi_include ${PROJECT_BINARY_DIR}/include)
configure_file(${CMAKE_CURRENT_LIST_DIR}/abi.hpp.in ${abi_include}/muster/core/abi.hpp @ONLY)
