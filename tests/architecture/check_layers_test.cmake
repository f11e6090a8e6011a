# Does check_layers.cmake find what it is there to find?
# cmake -DWORK=<scratch folder> -P check_layers_test.cmake

# expect(RESULT FILE LINE): a tree that consists of FILE with this LINE in it passes, or is refused
# with a message that matches RESULT.
function(expect result file line)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/${file} "#pragma once\n#include <vector>\n${line}\nint x[] = {1};  // \"a;b\\\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake
    RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_VARIABLE said)
  if(result STREQUAL passes)
    if(status)
      message(SEND_ERROR "${file} with ${line} should pass, but: ${said}")
    endif()
  elseif(NOT status OR NOT said MATCHES "${result}")
    message(SEND_ERROR "${file} with ${line} should be refused with \"${result}\", but: ${said}")
  endif()
endfunction()

expect(passes src/engine/a.cpp "#include \"muster/policy/plan.hpp\"")
expect(passes src/engine/a.cpp "#include \"muster/engine/simulate.hpp\"")
expect(passes src/engine/parts/a.cpp "#include \"engine/event.hpp\"")
expect("engine/a.cpp:3: engine may not use metrics" src/engine/a.cpp "#include \"muster/metrics/jct.hpp\"")
expect("engine may not use io" src/engine/deep/a.hpp "#  include <io/json.hpp>")
expect("core may not use topology" include/muster/core/a.hpp "#include \"muster/topology/fleet.hpp\"")
expect("there is no layer engin" src/cli/a.cpp "#include \"muster/engin/simulate.hpp\"")
expect(passes src/policy/builtin/a.cpp "#include \"../batch/core.hpp\"")
expect("policy may not use engine" src/policy/builtin/a.cpp "#include \"../../engine/event.hpp\"")
expect("is in no layer" src/misc/a.cpp "")
expect("is in no layer" include/muster/all.hpp "")

expect(passes src/io/traces/a.cpp "#include <nlohmann/json.hpp>")
expect("only io may include <nlohmann/json.hpp>" src/lab/a.cpp "#include <nlohmann/json.hpp>")
expect("only io may include <zlib.h>" src/cli/a.cpp "#include <zlib.h>")
expect("only io may include <zstd.h>" src/core/a.cpp "#include <zstd.h>")
expect(passes src/policy/rounds/a.cpp "#include <coin/Clp_C_Interface.h>")
expect("only policy may include <coin/Clp_C_Interface.h>" src/engine/a.cpp "#include <coin/Clp_C_Interface.h>")
expect("a public header may include only" include/muster/policy/a.hpp "#include <coin/Clp_C_Interface.h>")
expect(passes src/cli/a.cpp "#include <CLI/CLI.hpp>")
expect("only cli may include <CLI/CLI.hpp>" src/io/a.cpp "#include <CLI/CLI.hpp>")
expect(passes src/io/a.cpp "#include <spdlog/fmt/fmt.h>")
expect("only cli may include <spdlog/sinks" src/io/a.cpp "#include <spdlog/sinks/stdout_sinks.h>")
expect(passes src/topology/a.cpp "#include <boost/graph/adjacency_list.hpp>")
expect("only topology may include <boost/" src/cost/a.cpp "#include <boost/graph/adjacency_list.hpp>")
expect("a public header may include only" include/muster/topology/a.hpp "#include <boost/graph/graph_traits.hpp>")

file(REMOVE_RECURSE ${WORK})
