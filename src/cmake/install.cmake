# What a foreign project finds with find_package(muster) and links as muster::muster.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/muster)

install(TARGETS muster EXPORT musterTargets FILE_SET HEADERS)
install(TARGETS muster_exe)
install(EXPORT musterTargets NAMESPACE muster:: DESTINATION ${package_dir})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/src/cmake/musterConfig.cmake.in
  ${PROJECT_BINARY_DIR}/musterConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/musterConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/musterConfig.cmake
  ${PROJECT_BINARY_DIR}/musterConfigVersion.cmake
  DESTINATION ${package_dir})

# Shipped fleets, policies, experiments and schemas: found beside the program, see io/shipped.hpp.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/configs" DESTINATION "${CMAKE_INSTALL_DATADIR}/muster")
