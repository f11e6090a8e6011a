# install -> configure -> build -> run, each of which must succeed.

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_version program)
  step(${program})
  if(NOT output MATCHES "${VERSION}")
    message(FATAL_ERROR "${program} printed \"${output}\", which does not name version ${VERSION}")
  endif()
endfunction()

set(flags "")
if(SANITIZE)
  set(flags -fsanitize=address,undefined)
endif()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/prefix)
# Moved, so that nothing can depend on where it was installed first.
file(RENAME ${WORK}/prefix ${WORK}/moved)
step(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_FLAGS=${flags}
  -DCMAKE_PREFIX_PATH=${WORK}/moved)
step(${CMAKE_COMMAND} --build ${WORK}/build)
expect_version(${WORK}/build/consumer)
step(${WORK}/moved/bin/muster --version)
file(REMOVE_RECURSE ${WORK})
