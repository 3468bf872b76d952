# Finds LLVM/MLIR 22 and says how to link them, once, for the whole project.
#
# Debian's MLIR targets name the shared libLLVM in their interface; mixing them with static archives puts two LLVMs in
# one process. So the imported targets are not linked: development links the two shared libraries, the portable build
# links the archives inside one --start-group.
find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(MLIR REQUIRED CONFIG HINTS ${LLVM_DIR}/../mlir)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(TILEC_LLVM_BINDIR ${LLVM_TOOLS_BINARY_DIR})
set(TILEC_LLVM_LIBDIR ${LLVM_LIBRARY_DIRS})

add_library(TilecLLVM INTERFACE)
target_include_directories(TilecLLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(tilec_llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(TilecLLVM INTERFACE ${tilec_llvm_definitions})

if(TILEC_PORTABLE)
  file(GLOB tilec_mlir_archives ${TILEC_LLVM_LIBDIR}/libMLIR*.a)
  list(FILTER tilec_mlir_archives EXCLUDE REGEX "libMLIRCAPI|libMLIRTest|Test.*\\.a$|ExecutionEngineShared")
  file(GLOB tilec_llvm_archives ${TILEC_LLVM_LIBDIR}/libLLVM*.a)
  # The system's own compression libraries are not on every machine: they are linked statically as well.
  find_library(TILEC_LIBZ libz.a REQUIRED)
  find_library(TILEC_LIBZSTD libzstd.a REQUIRED)
  # Functions with the same code become one, which nothing in LLVM minds: its Windows builds are linked like that. Data
  # keeps its addresses, which are what LLVM and MLIR tell passes, analyses and types apart by.
  target_link_options(TilecLLVM INTERFACE -Wl,--gc-sections -Wl,--icf=all -Wl,-O2 -static-libstdc++ -static-libgcc)
  target_link_libraries(TilecLLVM INTERFACE
    -Wl,--start-group ${tilec_mlir_archives} ${tilec_llvm_archives} -Wl,--end-group
    ${TILEC_LIBZ} ${TILEC_LIBZSTD} tilec-arc4random dl m pthread)
  add_library(tilec-arc4random STATIC ${CMAKE_SOURCE_DIR}/cmake/portable/arc4random.c)
else()
  target_link_libraries(TilecLLVM INTERFACE
    ${TILEC_LLVM_LIBDIR}/libMLIR.so ${TILEC_LLVM_LIBDIR}/libLLVM.so)
endif()
