# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels that were compiled ahead of time as part of a program that needs no tilec when it runs.
#
#   tilec_add_bundle(<target> <specification.json>)
#
# The bundle that the specification describes (docs/bundles.md) is built with the target, when the specification, a kernel
# or a database of tuned configurations has changed; its header NAME.h can be included.

function(tilec_add_bundle target specification)
  get_filename_component(specification ${specification} ABSOLUTE)
  get_filename_component(root ${specification} DIRECTORY)
  file(READ ${specification} text)
  string(JSON name GET "${text}" name)
  string(JSON last LENGTH "${text}" kernels)
  math(EXPR last "${last} - 1")
  set(sources)
  foreach(index RANGE ${last})
    string(JSON source GET "${text}" kernels ${index} file)
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${root})
    list(APPEND sources ${source})
    string(JSON tuned ERROR_VARIABLE untuned GET "${text}" kernels ${index} tuned database)
    if(NOT untuned)
      get_filename_component(tuned ${tuned} ABSOLUTE BASE_DIR ${root})
      list(APPEND sources ${tuned})
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${specification})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.bundle)
  add_custom_command(OUTPUT ${folder}/${name}.c ${folder}/${name}.h
    COMMAND tilec::compiler build ${specification} -o ${folder}
    DEPENDS ${specification} ${sources} tilec::compiler VERBATIM
    COMMENT "Building the bundle ${name}")
  target_sources(${target} PRIVATE ${folder}/${name}.c ${folder}/${name}.h)
  target_include_directories(${target} PRIVATE ${folder})
  find_package(Threads REQUIRED)
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
endfunction()
