# Makes each TEST_CASE of an executable a test of CTest. Catch2's own module does the same, but takes a
# semicolon in a name for the end of the name, and a crash for an executable without tests.

# muster_discover_tests(TARGET FOLDER): tests called "FOLDER: name", labelled FOLDER.
function(muster_discover_tests target folder)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake)
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${list} VERBATIM
    COMMAND ${CMAKE_COMMAND}
      -DEXECUTABLE=$<TARGET_FILE:${target}>
      -DFOLDER=${folder}
      -DCATCH=${Catch2_VERSION}
      -DLIST=${list}
      -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake @ONLY CONTENT [[
if(EXISTS "@list@")
  include("@list@")
else()
  add_test("@target@ is not built" "@target@_is_not_built")
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY
    TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# From here on: the script that runs after the executable is linked.
if(CATCH VERSION_LESS 3)
  execute_process(COMMAND ${EXECUTABLE} --list-test-names-only
    OUTPUT_VARIABLE names ERROR_VARIABLE error RESULT_VARIABLE status)
  set(none_is_failure "--warn NoTests")   # version 3 thinks so by itself
  if(status MATCHES "^[0-9]+$" AND names)
    set(status 0)   # it is the number of tests
  endif()
else()
  execute_process(COMMAND ${EXECUTABLE} --list-tests --verbosity quiet
    OUTPUT_VARIABLE names ERROR_VARIABLE error RESULT_VARIABLE status)
  set(none_is_failure "")
endif()
if(NOT status EQUAL 0 OR NOT names)
  message(FATAL_ERROR "${EXECUTABLE} lists no tests (${status})\n${names}${error}")
endif()

# What means something in a CMake list is put aside while the text is one.
string(ASCII 28 semicolon)
string(ASCII 29 open)
string(ASCII 30 close)
string(ASCII 31 backslash)
string(REGEX REPLACE "\n+$" "" names "${names}")
string(REPLACE ";" "${semicolon}" names "${names}")
string(REPLACE "[" "${open}" names "${names}")
string(REPLACE "]" "${close}" names "${names}")
string(REPLACE "\\" "${backslash}" names "${names}")
string(REPLACE "\n" ";" names "${names}")

set(script "")
foreach(name IN LISTS names)
  string(REPLACE "${semicolon}" ";" name "${name}")
  string(REPLACE "${open}" "[" name "${name}")
  string(REPLACE "${close}" "]" name "${name}")
  string(REPLACE "${backslash}" "\\" name "${name}")
  # What Catch2 would read as a pattern.
  string(REGEX REPLACE "([][,\\\"])" "\\\\\\1" pattern "${name}")
  string(APPEND script
    "add_test([==[${FOLDER}: ${name}]==] [==[${EXECUTABLE}]==] [==[${pattern}]==] ${none_is_failure})\n"
    "set_tests_properties([==[${FOLDER}: ${name}]==] PROPERTIES LABELS [==[${FOLDER}]==])\n")
endforeach()
file(WRITE ${LIST} "${script}")
