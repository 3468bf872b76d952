# The three kinds of target in this project: libraries, unit tests, TableGen outputs.
#
# Every library is an OBJECT-free static archive named after its folder (lib/Layout -> TilecLayout). One precompiled
# header per layer (LLVM, MLIR) is built once and reused by all libraries of that layer.

add_library(TilecFlags INTERFACE)
target_include_directories(TilecFlags INTERFACE
  ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/runtime/include)
# Generated headers are system headers: mlir-tblgen's code shadows names.
target_include_directories(TilecFlags SYSTEM INTERFACE ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/include)
target_compile_options(TilecFlags INTERFACE -Wall -Wextra -Wshadow -Wno-unused-parameter
  -fdiagnostics-color -ffunction-sections -fdata-sections)
if(TILEC_WERROR)
  target_compile_options(TilecFlags INTERFACE -Werror)
endif()
target_compile_definitions(TilecFlags INTERFACE TILEC_VERSION="${PROJECT_VERSION}")

foreach(layer LLVM MLIR)
  string(TOLOWER ${layer} layer_file)
  add_library(TilecPch${layer} STATIC ${CMAKE_SOURCE_DIR}/cmake/pch/${layer_file}.cpp)
  target_link_libraries(TilecPch${layer} PUBLIC TilecFlags TilecLLVM)
  target_precompile_headers(TilecPch${layer} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch/${layer_file}.h)
  # One that ccache kept is used beside headers of a fresh checkout, whose times are others.
  target_compile_options(TilecPch${layer} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endforeach()

# tilec_use_pch(<target> LLVM|MLIR|NONE)
function(tilec_use_pch target layer)
  target_link_libraries(${target} PUBLIC TilecFlags)
  if(layer STREQUAL "NONE")
    return()
  endif()
  target_link_libraries(${target} PUBLIC TilecLLVM)
  # Executables would get -fPIE, which the libraries' -fPIC header refuses.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM TilecPch${layer})
endfunction()

# tilec_group_sources(<target>): the target's sources, in their order, as few translation units of at most
# TILEC_UNIT_BYTES, which instantiate what they share once. A source with flags of its own stays alone, as does one with
# SKIP_UNITY_BUILD_INCLUSION. Names that are local to a file are therefore unique in its library.
function(tilec_group_sources target)
  if(NOT TILEC_UNIT_BYTES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(unit 1)
  set(unit_bytes 0)
  foreach(source ${sources})
    get_source_file_property(is_alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(NOT source MATCHES "\\.cpp$" OR is_alone)
      continue()
    endif()
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} bytes)
    math(EXPR unit_bytes "${unit_bytes} + ${bytes}")
    if(unit_bytes GREATER TILEC_UNIT_BYTES)
      math(EXPR unit "${unit} + 1")
      set(unit_bytes ${bytes})
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# tilec_add_library(<name> SOURCES ... [DEPENDS ...] [PCH LLVM|MLIR|NONE])
function(tilec_add_library name)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH LLVM)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  tilec_use_pch(${name} ${ARG_PCH})
  if(ARG_PCH STREQUAL "MLIR")
    add_dependencies(${name} tilec-tablegen)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  tilec_group_sources(${name})
endfunction()

# tilec_add_unittest(<name> SOURCES ... [DEPENDS ...] [PCH LLVM|MLIR|NONE] [GROUPED]): a GoogleTest binary in
# build/test/unit. GROUPED: the sources have no local name twice and are compiled in groups.
find_package(GTest REQUIRED)
function(tilec_add_unittest name)
  cmake_parse_arguments(ARG "GROUPED" "PCH" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH NONE)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  tilec_use_pch(${name} ${ARG_PCH})
  if(ARG_PCH STREQUAL "MLIR")
    add_dependencies(${name} tilec-tablegen)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit)
  set_property(GLOBAL APPEND PROPERTY TILEC_UNITTESTS ${name})
  if(ARG_GROUPED)
    tilec_group_sources(${name})
  endif()
endfunction()

# Every folder below the caller's that has a CMakeLists.txt; those named come last.
macro(tilec_add_subdirectories)
  file(GLOB tilec_children RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  list(SORT tilec_children)
  foreach(last ${ARGN})
    list(REMOVE_ITEM tilec_children ${last}/CMakeLists.txt)
    list(APPEND tilec_children ${last}/CMakeLists.txt)
  endforeach()
  foreach(child ${tilec_children})
    get_filename_component(child_dir ${child} DIRECTORY)
    add_subdirectory(${child_dir})
  endforeach()
endmacro()

# All generated headers; MLIR libraries wait for it.
add_custom_target(tilec-tablegen)
find_program(TILEC_TBLGEN mlir-tblgen HINTS ${TILEC_LLVM_BINDIR} NO_DEFAULT_PATH REQUIRED)

# tilec_tablegen(<td> <out> <mlir-tblgen flags...>): one generated file beside the td's path in the build tree. A td of
# the form tilec/... is looked up below include/, any other one in the calling folder.
function(tilec_tablegen td out)
  if(td MATCHES "^tilec/")
    get_filename_component(folder ${td} DIRECTORY)
    set(source ${CMAKE_SOURCE_DIR}/include/${td})
    set(output ${CMAKE_BINARY_DIR}/include/${folder}/${out})
  else()
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${td})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${out})
  endif()
  get_filename_component(output_dir ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${output_dir})
  add_custom_command(OUTPUT ${output}
    COMMAND ${TILEC_TBLGEN} ${ARGN} -I ${CMAKE_SOURCE_DIR} -I ${CMAKE_SOURCE_DIR}/include
      -I ${LLVM_INCLUDE_DIRS} ${source} -o ${output} --write-if-changed -d ${output}.d
    DEPENDS ${source} DEPFILE ${output}.d
    COMMENT "Generating ${out}")
  string(MAKE_C_IDENTIFIER "tilec-tablegen-${output}" name)
  add_custom_target(${name} DEPENDS ${output})
  add_dependencies(tilec-tablegen ${name})
endfunction()

# tilec_tablegen_ops(<td> <header> <shards> <variable>): declarations and definitions of a dialect's operations. The definitions
# take long to compile, so they are cut into that many .cpp files in the build tree; the variable gets their names.
function(tilec_tablegen_ops td header shards variable)
  get_filename_component(name ${td} NAME_WE)
  tilec_tablegen(${td} ${name}.h.inc --gen-op-decls --op-shard-count=${shards})
  tilec_tablegen(${td} ${name}.cpp.inc --gen-op-defs --op-shard-count=${shards})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.${shard}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"${folder}/${header}\"
#include \"mlir/Dialect/CommonFolders.h\"
#include \"mlir/IR/Builders.h\"
#include \"mlir/IR/DialectImplementation.h\"
using namespace mlir;
#define GET_OP_DEFS_${shard}
#include \"${folder}/${name}.cpp.inc\"
")
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND sources ${source})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
