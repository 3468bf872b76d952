# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels as part of a program.
#
#   tilec_add_kernels(<target> SOURCES <file>...
#     [KERNEL <name>] [ARGUMENTS <name=type>...] [CONSTANTS <name=value>...] [NUM_WARPS <n>] [NUM_STAGES <n>]
#     [TARGETS <sm_...>...] [EMIT ptx|cubin])
#
# Every source is checked when the target is built (an error in it is a build error with its place) and its text becomes
# part of the target. With TARGETS it is compiled for them as well, as the other words say, and the results become part
# of the target. softmax.tile comes with the header "tilec_kernels/softmax.h":
#
#   tilec_kernels_softmax, tilec_kernels_softmax_size                 the text
#   tilec_kernels_softmax_images, tilec_kernels_softmax_num_images    a tilec_image for each of TARGETS
#   tilec_kernels::softmax()                                          C++: the text as a tilec::Source

set(TILEC_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/TilecEmbed.cmake)

function(tilec_add_kernels target)
  cmake_parse_arguments(ARG "" "KERNEL;NUM_WARPS;NUM_STAGES;EMIT" "SOURCES;ARGUMENTS;CONSTANTS;TARGETS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tilec_add_kernels: unknown words: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "tilec_add_kernels: no SOURCES for '${target}'")
  endif()
  if(NOT ARG_EMIT)
    set(ARG_EMIT ptx)
  endif()
  if(NOT ARG_EMIT MATCHES "^(ptx|cubin)$")
    message(FATAL_ERROR "tilec_add_kernels: EMIT is '${ARG_EMIT}', expected ptx or cubin")
  endif()
  set(flags)
  if(ARG_KERNEL)
    list(APPEND flags --kernel ${ARG_KERNEL})
  endif()
  if(ARG_NUM_WARPS)
    list(APPEND flags --num-warps ${ARG_NUM_WARPS})
  endif()
  if(ARG_NUM_STAGES)
    list(APPEND flags --num-stages ${ARG_NUM_STAGES})
  endif()
  foreach(argument ${ARG_ARGUMENTS})
    list(APPEND flags --arg ${argument})
  endforeach()
  foreach(constant ${ARG_CONSTANTS})
    list(APPEND flags --const ${constant})
  endforeach()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(extension c)
  if(CXX IN_LIST languages)
    set(extension cpp)
  endif()

  set(root ${CMAKE_CURRENT_BINARY_DIR}/${target}.tilec)
  set(folder ${root}/tilec_kernels)
  foreach(source ${ARG_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(stem ${source} NAME_WE)
    # 05-softmax.tile is softmax.
    string(REGEX REPLACE "^[0-9]+[-_]" "" stem ${stem})
    string(MAKE_C_IDENTIFIER ${stem} name)
    set(images)
    foreach(processor ${ARG_TARGETS})
      set(image ${folder}/${name}.${processor}.${ARG_EMIT})
      add_custom_command(OUTPUT ${image} ${image}.json
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
        COMMAND tilec::compiler compile ${source} ${flags} --target ${processor} --emit ${ARG_EMIT} -o ${image}
        DEPENDS ${source} tilec::compiler VERBATIM
        COMMENT "Compiling ${stem} for ${processor}")
      list(APPEND images ${image})
    endforeach()
    add_custom_command(OUTPUT ${folder}/${name}.${extension} ${folder}/${name}.h
      COMMAND tilec::compiler kernels --json ${source} > ${folder}.${name}.json
      COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DSOURCE=${source} "-DIMAGES=${images}" -DFOLDER=${folder}
        -DEXTENSION=${extension} -P ${TILEC_EMBED_SCRIPT}
      DEPENDS ${source} ${images} ${TILEC_EMBED_SCRIPT} tilec::compiler VERBATIM
      COMMENT "Embedding ${stem}")
    file(MAKE_DIRECTORY ${folder})
    target_sources(${target} PRIVATE ${folder}/${name}.${extension} ${folder}/${name}.h)
  endforeach()
  target_include_directories(${target} PRIVATE ${root})
endfunction()
