// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling kernels: options, caches, diagnostics, compiled kernels, and what is in a source. A
// part of tilec.h, whose rules hold here too.

#ifndef TILEC_COMPILE_H
#define TILEC_COMPILE_H

#include "tilec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Compiles kernels; holds what is costly to set up.
typedef struct tilec_compiler tilec_compiler;
/// One compiled kernel. Immutable, and independent of the compiler that made it.
typedef struct tilec_kernel tilec_kernel;
/// The messages of one compilation.
typedef struct tilec_diagnostics tilec_diagnostics;
/// The kernels and functions of a source.
typedef struct tilec_source tilec_source;
/// A cache of compiled kernels.
typedef struct tilec_cache tilec_cache;

TILEC_API tilec_status tilec_compiler_create(tilec_compiler **compiler);
TILEC_API void tilec_compiler_destroy(tilec_compiler *compiler);
TILEC_API void tilec_kernel_destroy(tilec_kernel *kernel);
TILEC_API void tilec_diagnostics_destroy(tilec_diagnostics *diagnostics);
TILEC_API void tilec_source_destroy(tilec_source *source);
TILEC_API void tilec_cache_destroy(tilec_cache *cache);

//===----------------------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------------------===//

/// The stages of a compilation, in order.
typedef TILEC_ENUM(tilec_stage){TILEC_STAGE_DEFAULT = 0,   TILEC_STAGE_AST = 1,
                                TILEC_STAGE_TILE = 2,      TILEC_STAGE_TILEGPU = 3,
                                TILEC_STAGE_LLVM_MLIR = 4, TILEC_STAGE_LLVM = 5,
                                TILEC_STAGE_PTX = 6,       TILEC_STAGE_CUBIN = 7} tilec_stage;

/// A stage in tilec_options.keep_stages.
#define TILEC_KEEP(stage) (UINT32_C(1) << (stage))

/// Keeps device assertions, and adds some: sums, differences and products of integers of less than
/// 64 bits must not overflow.
#define TILEC_COMPILE_DEBUG UINT32_C(1)
/// Leaves source lines out of the PTX.
#define TILEC_COMPILE_NO_LINE_INFO UINT32_C(2)
/// Does not contract multiply and add into fma.
#define TILEC_COMPILE_NO_FMA UINT32_C(4)
/// Reports optimisation remarks among the diagnostics.
#define TILEC_COMPILE_REMARKS UINT32_C(8)
/// Counts instructions by class on the simulator.
#define TILEC_COMPILE_COUNT_INSTRUCTIONS UINT32_C(16)
/// Leaves the checks of integers out of what TILEC_COMPILE_DEBUG does.
#define TILEC_COMPILE_NO_OVERFLOW_CHECKS UINT32_C(32)
/// Has exp, exp2 and sigmoid of fp32 give subnormal numbers, which are 0 otherwise.
#define TILEC_COMPILE_KEEP_SUBNORMALS UINT32_C(64)
/// Leaves loads through pointers to the threads, so that a kernel takes tensor maps for descriptors
/// of its source alone: for launchers that cannot make them.
#define TILEC_COMPILE_NO_TENSOR_COPIES UINT32_C(128)
/// Makes the kernel persistent where that is possible: it is launched with as many CTAs as fit at
/// once, which run one program after the other. Launches with tilec give grids as ever. Where
/// neither this nor the next flag is given, kernels that are compiled for a launch (tilec_jit) are
/// persistent by cost: where each program makes one tile of a product, or those of attention with
/// load warps, and the grid has more programs than run at once; others are not.
#define TILEC_COMPILE_PERSISTENT UINT32_C(256)
/// Makes it so never, not even where it pays: for launchers that give a grid to the driver.
#define TILEC_COMPILE_NO_PERSISTENT UINT32_C(512)
/// Has each warp of the first four CTAs write what it does and waits for. The kernel's last
/// argument is a buffer for that, of tilec_kernel_timeline_size bytes, all of them zero before the
/// launch. Not for tuning, nor for kernels that specialise themselves: tilec_jit_launch_timeline
/// gives those their buffer.
#define TILEC_COMPILE_TIMELINE UINT32_C(1024)

/// The type or value of one kernel parameter. As an argument, `text` is a type: "*fp32", "*kfp16"
/// (read only), "*fp32:16" (a multiple of 16), "i32", "fp64", "u1"; of a tuple "(*fp32, i32)", or
/// its elements one by one as "x.0", "x.1", which are what a launch is given. As a constant, it is
/// a Python literal or the name of a type: "1024", "None", "tl.float16".
typedef struct tilec_binding {
  const char *name;
  const char *text;
} tilec_binding;

/// A source text that imports find as if it were a file of that path: "pkg/tools.py" for
/// `import pkg.tools`, or for `from . import tools` in a source named "pkg/kernels.py".
typedef struct tilec_module {
  const char *path;
  const char *text;
  size_t length;
} tilec_module;

typedef struct tilec_options {
  size_t struct_size;
  /// The kernel's name; NULL: the only entry kernel of the source.
  const char *kernel;
  /// "sm_80" .. "sm_120", "sm_90a", "sm_100a", or "sim" for the simulator ("sim:sm_80": with
  /// the code of that processor); NULL: "sm_90a".
  const char *target;
  /// Types of the run-time arguments, by name, in any order.
  const tilec_binding *arguments;
  size_t num_arguments;
  /// Values of the compile-time constants, by name, in any order.
  const tilec_binding *constants;
  size_t num_constants;
  /// Warps of a program (a power of two up to 32) and pipeline stages (up to 16); 0: what the
  /// source says, else 4 and 3.
  int32_t num_warps;
  int32_t num_stages;
  /// TILEC_COMPILE_... flags.
  uint32_t flags;
  /// The last stage wanted; default: PTX, for the simulator host code.
  tilec_stage stop_after;
  /// Stages that tilec_kernel_stage can return: TILEC_KEEP(stage), combined with |.
  uint32_t keep_stages;
  /// The assembler; NULL: looked for in `cuda_home`, then in `search_path`, then in the usual
  /// place.
  const char *ptxas;
  const char *cuda_home;
  /// Folders separated by ':', as in PATH.
  const char *search_path;
  /// Bitcode of the math libraries; NULL: beside libtilec, then in the usual places.
  const char *libclc;
  const char *libdevice;
  /// Where results are looked for and kept; NULL: nowhere. Kernels for "sim", and compilations that
  /// keep stages, are compiled every time.
  const tilec_cache *cache;
  /// Folders that imported modules are looked for in, besides the package of the source's own file.
  const char *const *import_roots;
  size_t num_import_roots;
  /// Modules in memory, which come before files.
  const tilec_module *modules;
  size_t num_modules;
  /// Most registers of a thread, 16 to 255; 0: the assembler's choice.
  int32_t max_registers;
  /// A tuning database (a file that tilec_tune_text or `tilec tune` wrote): where it has a
  /// configuration for such a launch, that gives the constants, warps, stages, clusters and
  /// registers that are not given here; where it has none, a remark says so. NULL: none.
  const char *tuning_database;
  /// tilec_device_info.name of the device; NULL: the simulator, for target "sim".
  const char *tuning_device;
  /// The integer arguments of the launch, by name: {"n", "4096"}. Those count that `key` of
  /// @triton.autotune names, else all. For a kernel without any: {"x.size", "4096"}, the elements
  /// of the arrays.
  const tilec_binding *tuning_sizes;
  size_t num_tuning_sizes;
  /// The -W options of `tilec compile`, without the -W: "no-unused-variable", "error=missing-mask",
  /// "all".
  const char *const *warnings;
  size_t num_warnings;
  /// Limits of what runs at compile time: steps of evaluation, operations of the kernel, iterations
  /// of one loop; 0: the usual ones.
  uint64_t max_steps;
  uint64_t max_ops;
  uint64_t max_unroll;
  /// Programs of a cluster, neighbours along x, which copy blocks that several load for each other:
  /// 1, 2, 4 or 8; 0: 1. Where the kernel or the target does not allow it, the kernel has no
  /// clusters. One that has takes grids whose first size is a multiple, unless it is persistent.
  int32_t num_ctas;
  /// CTAs of a cluster that run one program together, each a part of the iterations of its loop of
  /// dots: 1, 2, 4 or 8; 0: 1. Where the kernel or the target does not allow it, a remark says why,
  /// and programs run alone. Launches with tilec give grids of programs as ever. Not together with
  /// num_ctas above 1.
  int32_t split_k;
} tilec_options;

/// Compiles one kernel of a source text of `length` bytes. `name` stands for the file in messages
/// (NULL: "<text>"); where it ends in ".py", the source has to import what it uses, as in Python.
/// `options` may be NULL.
///
/// On TILEC_OK `*kernel` is a new handle. It is one on TILEC_UNAVAILABLE, too, when only the cubin
/// is missing, and NULL in every other case. `diagnostics` may be NULL; unless the call itself is
/// wrong, `*diagnostics` becomes a new handle, after success as well (warnings, remarks).
TILEC_API tilec_status tilec_compile_text(tilec_compiler *compiler, const char *name,
                                          const char *text, size_t length,
                                          const tilec_options *options, tilec_kernel **kernel,
                                          tilec_diagnostics **diagnostics);
/// The same for a file. One that cannot be read is TILEC_INPUT_ERROR.
TILEC_API tilec_status tilec_compile_file(tilec_compiler *compiler, const char *path,
                                          const tilec_options *options, tilec_kernel **kernel,
                                          tilec_diagnostics **diagnostics);

//===----------------------------------------------------------------------------------===//
// Caching
//===----------------------------------------------------------------------------------===//

/// The levels of a cache, the fastest first. What goes wrong with a level while compiling is a
/// remark of the category "cache"; the compilation goes on without it.
typedef struct tilec_cache_options {
  size_t struct_size;
  /// A folder, which any number of processes may share; NULL: none.
  const char *folder;
  /// Bytes in the folder; 0: the default.
  uint64_t disk_limit;
  /// Bytes in memory; 0: the default.
  uint64_t memory_limit;
  /// A store that machines share: a folder or "redis://HOST:PORT"; NULL: none.
  const char *shared;
} tilec_cache_options;

/// Opens a cache, for any number of compilers and threads. `options` may be NULL: memory alone.
/// TILEC_UNAVAILABLE: a level could not be had, as the message says; `*cache` is a handle of the
/// others.
TILEC_API tilec_status tilec_cache_open(const tilec_cache_options *options, tilec_cache **cache);

/// How often something was found in each level, and kept after it was compiled, since the cache was
/// opened.
typedef struct tilec_cache_statistics {
  size_t struct_size;
  uint64_t memory_hits, disk_hits, shared_hits;
  uint64_t stores;
} tilec_cache_statistics;

TILEC_API tilec_status tilec_cache_get_statistics(const tilec_cache *cache,
                                                  tilec_cache_statistics *statistics);

//===----------------------------------------------------------------------------------===//
// Looking into a source
//===----------------------------------------------------------------------------------===//

/// Lists the kernels of a source without compiling any. The arguments are those of
/// tilec_compile_text and tilec_compile_file.
TILEC_API tilec_status tilec_source_text(const char *name, const char *text, size_t length,
                                         tilec_source **source, tilec_diagnostics **diagnostics);
TILEC_API tilec_status tilec_source_file(const char *path, tilec_source **source,
                                         tilec_diagnostics **diagnostics);

typedef struct tilec_source_kernel {
  size_t struct_size;
  const char *name;
  uint32_t line;
  /// 1: a kernel; 0: a function that kernels call.
  int32_t is_entry;
  size_t num_parameters;
  /// The arguments that `key` of @triton.autotune names.
  const char *const *autotune_key;
  size_t num_autotune_key;
} tilec_source_kernel;

typedef enum tilec_parameter_kind {
  TILEC_PARAMETER_PLAIN = 0,
  /// tl.constexpr: takes a constant.
  TILEC_PARAMETER_CONSTEXPR = 1,
  /// Its annotation says the type.
  TILEC_PARAMETER_TYPED = 2
} tilec_parameter_kind;

typedef struct tilec_parameter {
  size_t struct_size;
  const char *name;
  tilec_parameter_kind kind;
  int32_t has_default;
  /// What its annotation says; empty where there is none.
  const char *type;
} tilec_parameter;

TILEC_API size_t tilec_source_num_kernels(const tilec_source *source);
TILEC_API tilec_status tilec_source_get_kernel(const tilec_source *source, size_t index,
                                               tilec_source_kernel *kernel);
/// The number of the kernel that a compilation with this tilec_options.kernel takes: the one of
/// that name, or, when it is NULL or empty, the only one. TILEC_INPUT_ERROR says why there is none.
TILEC_API tilec_status tilec_source_find_kernel(const tilec_source *source, const char *name,
                                                size_t *index);
/// Parameter number `index` of kernel number `kernel`.
TILEC_API tilec_status tilec_source_get_parameter(const tilec_source *source, size_t kernel,
                                                  size_t index, tilec_parameter *parameter);

//===----------------------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------------------===//

typedef enum tilec_severity {
  TILEC_SEVERITY_ERROR = 0,
  TILEC_SEVERITY_WARNING = 1,
  TILEC_SEVERITY_REMARK = 2,
  /// Belongs to the nearest message before it that is not a note.
  TILEC_SEVERITY_NOTE = 3
} tilec_severity;

/// One message. Texts are never NULL, except `fix`. Lines and columns (in bytes) count from 1; 0:
/// no place. The end is the first position behind the range.
typedef struct tilec_diagnostic {
  size_t struct_size;
  tilec_severity severity;
  const char *file;
  uint32_t line;
  uint32_t column;
  uint32_t end_line;
  uint32_t end_column;
  const char *message;
  /// What kind of message it is ("syntax", "type", "spill", ...), or empty.
  const char *category;
  /// As a compiler prints it: place, message, source line, caret, then its notes.
  const char *rendered;
  /// Text that would repair the source when it replaces the range that follows; NULL: none is
  /// known.
  const char *fix;
  uint32_t fix_line;
  uint32_t fix_column;
  uint32_t fix_end_line;
  uint32_t fix_end_column;
} tilec_diagnostic;

TILEC_API size_t tilec_diagnostics_count(const tilec_diagnostics *diagnostics);
/// Fills `*diagnostic` with message number `index`. Notes follow what they belong to.
TILEC_API tilec_status tilec_diagnostics_get(const tilec_diagnostics *diagnostics, size_t index,
                                             tilec_diagnostic *diagnostic);
/// All messages as a compiler prints them.
TILEC_API const char *tilec_diagnostics_text(const tilec_diagnostics *diagnostics);
/// All messages as a JSON array.
TILEC_API const char *tilec_diagnostics_json(const tilec_diagnostics *diagnostics);

//===----------------------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------------------===//

/// What is needed to launch a kernel.
typedef struct tilec_kernel_info {
  size_t struct_size;
  /// The entry symbol.
  const char *name;
  const char *target;
  uint32_t num_warps;
  uint32_t num_stages;
  /// Threads of a program.
  uint32_t threads;
  /// Shared memory of a program: asked for at launch, and part of the code.
  uint32_t dynamic_shared_bytes;
  uint32_t static_shared_bytes;
  /// Of a thread, as ptxas reported them; -1: not known.
  int32_t registers;
  int32_t spill_bytes;
  /// Run-time arguments.
  size_t num_arguments;
  /// Programs of a cluster along x; 1: clusters, if there are any, are of one program.
  uint32_t num_ctas;
  /// CTAs of a cluster, all of them, that run one program together. Who launches the code without
  /// tilec gives so many times the programs along x.
  uint32_t split_k;
} tilec_kernel_info;

typedef enum tilec_argument_kind {
  TILEC_ARGUMENT_POINTER = 0,
  TILEC_ARGUMENT_INTEGER = 1,
  TILEC_ARGUMENT_FLOAT = 2
} tilec_argument_kind;

/// One run-time argument.
typedef struct tilec_argument {
  size_t struct_size;
  const char *name;
  /// "*fp32", "i32", ...
  const char *type;
  tilec_argument_kind kind;
  uint32_t size_bytes;
  /// The value (of a pointer: the address) has to be a multiple of this.
  uint32_t divisibility;
  /// 1: the kernel never writes through this pointer.
  int32_t is_const;
} tilec_argument;

TILEC_API tilec_status tilec_kernel_get_info(const tilec_kernel *kernel, tilec_kernel_info *info);
/// Run-time argument number `index`, in launch order. A kernel for sm_90a may have parameters
/// behind its arguments, tensor maps: the metadata's `tensorMaps` says how to encode them.
TILEC_API tilec_status tilec_kernel_get_argument(const tilec_kernel *kernel, size_t index,
                                                 tilec_argument *argument);
/// NULL when the compilation stopped earlier or was for the simulator.
TILEC_API const char *tilec_kernel_ptx(const tilec_kernel *kernel);
/// The bytes of the cubin and, unless `size` is NULL, their number; NULL when it was not asked for
/// or could not be made.
TILEC_API const void *tilec_kernel_cubin(const tilec_kernel *kernel, size_t *size);
/// The text of a stage that was kept and, unless `size` is NULL, its length; NULL
/// for other stages.
TILEC_API const char *tilec_kernel_stage(const tilec_kernel *kernel, tilec_stage stage,
                                         size_t *size);
/// Everything that is known about the kernel, as JSON.
TILEC_API const char *tilec_kernel_metadata(const tilec_kernel *kernel);

/// Bytes of the buffer that a kernel with TILEC_COMPILE_TIMELINE takes; 0 for another one.
TILEC_API size_t tilec_kernel_timeline_size(const tilec_kernel *kernel);
/// Writes what a launch with this grid has left in the buffer, given in the host's memory: as trace
/// events, which Perfetto opens, or as a picture where the path ends in ".svg".
TILEC_API tilec_status tilec_kernel_write_timeline(const tilec_kernel *kernel,
                                                   const uint32_t grid[3], const void *buffer,
                                                   size_t size, const char *path);

#ifdef __cplusplus
}
#endif

#endif // TILEC_COMPILE_H
