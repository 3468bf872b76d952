# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cmake --install` puts where: the compiler, the library, its headers, the example kernels, the open math
# library's bitcode, and what other projects need to find all that: a CMake package and a pkg-config file. The folder
# is lib on every system, because the library looks for share/tilec beside it.
include(CMakePackageConfigHelpers)

set(tilec_cmake_folder lib/cmake/tilec)
# Development builds use LLVM's shared libraries where they are.
set(tilec_llvm_rpath)
if(NOT TILEC_PORTABLE)
  set(tilec_llvm_rpath ${TILEC_LLVM_LIBDIR})
endif()

set_target_properties(tilec-shared PROPERTIES EXPORT_NAME tilec INSTALL_RPATH "${tilec_llvm_rpath}")
install(TARGETS tilec-shared EXPORT tilecTargets LIBRARY DESTINATION lib)
if(TILEC_PORTABLE)
  install(PROGRAMS $<TARGET_FILE:tilec-portable> DESTINATION bin RENAME tilec)
else()
  set_target_properties(tilec tile-lsp PROPERTIES INSTALL_RPATH "${tilec_llvm_rpath}")
  install(TARGETS tilec RUNTIME DESTINATION bin)
  install(TARGETS tile-lsp RUNTIME DESTINATION bin OPTIONAL)
endif()
install(EXPORT tilecTargets NAMESPACE tilec:: DESTINATION ${tilec_cmake_folder})

file(GLOB tilec_public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/tilec/*.h ${CMAKE_SOURCE_DIR}/include/tilec/*.hpp)
install(FILES ${tilec_public_headers} DESTINATION include/tilec)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/ DESTINATION share/tilec/examples FILES_MATCHING PATTERN "*.tile"
  PATTERN host EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/share/tilec/nvptx64--.bc DESTINATION share/tilec OPTIONAL)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/tilec)

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/tilecConfig.cmake.in
  ${CMAKE_BINARY_DIR}/tilecConfig.cmake INSTALL_DESTINATION ${tilec_cmake_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tilecConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tilecConfig.cmake ${CMAKE_BINARY_DIR}/tilecConfigVersion.cmake
  ${CMAKE_SOURCE_DIR}/cmake/TilecAddBundle.cmake ${CMAKE_SOURCE_DIR}/cmake/TilecAddKernels.cmake
  ${CMAKE_SOURCE_DIR}/cmake/TilecEmbed.cmake
  DESTINATION ${tilec_cmake_folder})
configure_file(${CMAKE_SOURCE_DIR}/cmake/tilec.pc.in ${CMAKE_BINARY_DIR}/tilec.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tilec.pc DESTINATION lib/pkgconfig)
