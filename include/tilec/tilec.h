// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of libtilec: compile a tile kernel from text or a file, read every stage and
// every diagnostic, run the kernel on the simulator or on a GPU. C11 and C++; tilec.hpp is a C++17
// wrapper around it.
//
//   tilec_compiler *compiler = NULL;
//   tilec_kernel *kernel = NULL;
//   tilec_compiler_create(&compiler);
//   tilec_options options = {.struct_size = sizeof options, .target = "sim"};
//   if (tilec_compile_file(compiler, "add.tile", &options, &kernel, NULL) != TILEC_OK)
//     fprintf(stderr, "%s\n", tilec_last_error());
//   tilec_kernel_destroy(kernel);
//   tilec_compiler_destroy(compiler);
//
// Rules that hold for every function:
//
// * A function that can fail returns a tilec_status, or NULL or 0; tilec_last_error then says why.
//   Nothing throws, prints or ends the process, and only tilec_save_folder reads the environment.
// * Handles are numbers, not addresses, and are never used twice in a process. A null, destroyed or
//   foreign handle, or one of another type, is TILEC_INVALID_ARGUMENT; destroying NULL or a
//   destroyed handle does nothing.
// * Every function may be called from any thread at any time; a thread that compiles needs 1 MiB of
//   stack. One compiler may compile for several threads at the same time.
// * Texts are UTF-8 and end in a NUL. What a function returns, or writes into a struct, belongs to
//   the handle it came from and lives until that handle is destroyed.
// * Structs that begin with `struct_size` may grow at their end. Set all members to zero and
//   `struct_size` to sizeof: a zero asks for the default. A program and a library of different age
//   then understand each other.

#ifndef TILEC_TILEC_H
#define TILEC_TILEC_H

#include <stddef.h>
#include <stdint.h>

/// The version of this header; tilec_version is the library's.
#define TILEC_VERSION_MAJOR 0
#define TILEC_VERSION_MINOR 1
#define TILEC_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define TILEC_API __attribute__((visibility("default")))
#else
#define TILEC_API
#endif

/// Status of a call.
typedef enum tilec_status {
  TILEC_OK = 0,
  /// The kernel or its options are wrong, or the simulator found a fault in it; diagnostics or the
  /// report say where.
  TILEC_INPUT_ERROR = 1,
  /// This machine lacks something: ptxas, a math library, a driver, a device, host memory.
  TILEC_UNAVAILABLE = 2,
  /// A bug in tilec.
  TILEC_INTERNAL = 3,
  /// The call itself is wrong: a bad handle, a null pointer, wrong counts or sizes, unknown flags.
  /// Nothing was done.
  TILEC_INVALID_ARGUMENT = 4,
  /// The device or its driver refused or failed.
  TILEC_DEVICE_ERROR = 5,
  /// The device's memory, or another thing that it has a number of, has run out.
  TILEC_OUT_OF_RESOURCES = 6
} tilec_status;

/// The library's version, "MAJOR.MINOR.PATCH".
TILEC_API const char *tilec_version(void);
/// Identifies this build of the library, in digits: a key for caches outside of it.
TILEC_API const char *tilec_build_id(void);
/// "ok", "input error", ...; "unknown status" for other numbers.
TILEC_API const char *tilec_status_name(int status);
/// Why the last failing call of this thread failed; empty when none did. Lives until this thread's
/// next failing call.
TILEC_API const char *tilec_last_error(void);

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
/// The report of one simulation: findings, printed lines, counters.
typedef struct tilec_report tilec_report;
/// A GPU, or the simulator as a device.
typedef struct tilec_device tilec_device;
/// A kernel loaded on a device.
typedef struct tilec_function tilec_function;
/// A prepared launch: a kernel with its arguments packed.
typedef struct tilec_prepared tilec_prepared;
/// A graph: a recorded sequence of launches and copies.
typedef struct tilec_graph tilec_graph;

TILEC_API tilec_status tilec_compiler_create(tilec_compiler **compiler);
TILEC_API void tilec_compiler_destroy(tilec_compiler *compiler);
TILEC_API void tilec_kernel_destroy(tilec_kernel *kernel);
TILEC_API void tilec_diagnostics_destroy(tilec_diagnostics *diagnostics);
TILEC_API void tilec_source_destroy(tilec_source *source);
TILEC_API void tilec_cache_destroy(tilec_cache *cache);
TILEC_API void tilec_report_destroy(tilec_report *report);
TILEC_API void tilec_device_destroy(tilec_device *device);
TILEC_API void tilec_function_destroy(tilec_function *function);
TILEC_API void tilec_prepared_destroy(tilec_prepared *prepared);
TILEC_API void tilec_graph_destroy(tilec_graph *graph);

//===----------------------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------------------===//

/// The stages of a compilation, in order.
typedef enum tilec_stage {
  TILEC_STAGE_DEFAULT = 0,
  TILEC_STAGE_AST = 1,
  TILEC_STAGE_TILE = 2,
  TILEC_STAGE_TILEGPU = 3,
  TILEC_STAGE_LLVM_MLIR = 4,
  TILEC_STAGE_LLVM = 5,
  TILEC_STAGE_PTX = 6,
  TILEC_STAGE_CUBIN = 7
} tilec_stage;

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
/// Has exp and exp2 of fp32 give subnormal numbers, which are 0 otherwise.
#define TILEC_COMPILE_KEEP_SUBNORMALS UINT32_C(64)

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
  /// The last stage wanted, a tilec_stage; default: PTX, for the simulator host code.
  uint32_t stop_after;
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
  /// configuration for such a launch, that gives the constants, warps, stages and registers that
  /// are not given here; where it has none, a remark says so. NULL: none.
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
/// The text of a stage (a tilec_stage) that was kept and, unless `size` is NULL, its length; NULL
/// for other stages.
TILEC_API const char *tilec_kernel_stage(const tilec_kernel *kernel, uint32_t stage, size_t *size);
/// Everything that is known about the kernel, as JSON.
TILEC_API const char *tilec_kernel_metadata(const tilec_kernel *kernel);

//===----------------------------------------------------------------------------------===//
// Simulating
//===----------------------------------------------------------------------------------===//

/// Looks for races, reads of uninitialised shared memory and writes to read-only buffers. Bounds
/// and alignment are checked always, except in a launch without this flag and without buffers.
#define TILEC_SIMULATE_CHECK UINT32_C(1)
/// Counts memory accesses and warp operations.
#define TILEC_SIMULATE_COUNTERS UINT32_C(2)

/// The kernel may not write to the buffer.
#define TILEC_BUFFER_READ_ONLY UINT32_C(1)

/// The value of one argument: `size` bytes at `data`, the argument's own size. For a pointer that
/// is the size of a pointer, and what lies at `data` is an address in this process.
typedef struct tilec_value {
  const void *data;
  size_t size;
} tilec_value;

/// Memory that the kernel may touch. Buffers may overlap.
typedef struct tilec_buffer {
  void *data;
  size_t size;
  /// How findings call it; may be NULL.
  const char *name;
  /// TILEC_BUFFER_... flags.
  uint32_t flags;
} tilec_buffer;

typedef struct tilec_launch {
  size_t struct_size;
  /// Programs in x, y, z; each at least 1.
  uint32_t grid[3];
  /// TILEC_SIMULATE_... flags.
  uint32_t flags;
  /// Run-time arguments in launch order.
  const tilec_value *arguments;
  size_t num_arguments;
  const tilec_buffer *buffers;
  size_t num_buffers;
  /// Host threads to use; 0: one for each core.
  uint32_t host_threads;
} tilec_launch;

/// Runs a kernel that was compiled for "sim", and returns when all is done. TILEC_OK: it ran to its
/// end and nothing was found. TILEC_INPUT_ERROR: it ran, and there are findings. `report` may be
/// NULL; unless the call itself is wrong,
/// `*report` becomes a new handle.
TILEC_API tilec_status tilec_simulate(const tilec_kernel *kernel, const tilec_launch *launch,
                                      tilec_report **report);

/// A finding: a fault, in the first program that has it.
typedef struct tilec_finding {
  size_t struct_size;
  /// "out-of-bounds", "shared-race-raw", "assert-failed", ...
  const char *kind;
  const char *message;
  /// How often it occurred.
  uint64_t count;
  /// Where in the source; empty and 0 when not known.
  const char *file;
  uint32_t line;
  uint32_t column;
  uint32_t program[3];
  uint32_t thread;
  /// Place, message, thread and the other party of a race, on several lines.
  const char *rendered;
  /// Of a failed assertion about a tile: the coordinates of the element; none for a scalar.
  const int32_t *coordinates;
  size_t num_coordinates;
} tilec_finding;

/// One line that the kernel printed.
typedef struct tilec_printed_line {
  size_t struct_size;
  uint32_t program[3];
  uint32_t thread;
  const char *text;
  /// Of the printed element of a tile; none for a scalar.
  const int32_t *coordinates;
  size_t num_coordinates;
  /// Where in the source; empty and 0 when not known.
  const char *file;
  uint32_t line;
  uint32_t column;
} tilec_printed_line;

/// Sums over the launch; zero without TILEC_SIMULATE_COUNTERS. They do not depend on the machine.
typedef struct tilec_counters {
  size_t struct_size;
  /// Of a warp: requests, and 32-byte sectors they touch, as they are and if the same bytes were
  /// contiguous.
  uint64_t global_load_requests, global_load_sectors, global_load_ideal_sectors, global_load_bytes;
  uint64_t global_store_requests, global_store_sectors, global_store_ideal_sectors,
      global_store_bytes;
  /// Of a warp: requests, and wavefronts they take, as they are and without bank conflicts.
  uint64_t shared_load_requests, shared_load_wavefronts, shared_load_ideal_wavefronts,
      shared_load_bytes;
  uint64_t shared_store_requests, shared_store_wavefronts, shared_store_ideal_wavefronts,
      shared_store_bytes;
  /// Barriers of a program, for each warp that arrives.
  uint64_t barriers;
  uint64_t shuffles;
  /// Of a thread.
  uint64_t global_atomics, shared_atomics;
  /// With TILEC_COMPILE_COUNT_INSTRUCTIONS: integer, float, special, conversion, control, tensor,
  /// memory, other.
  uint64_t instructions[8];
} tilec_counters;

TILEC_API size_t tilec_report_num_findings(const tilec_report *report);
TILEC_API tilec_status tilec_report_get_finding(const tilec_report *report, size_t index,
                                                tilec_finding *finding);
TILEC_API size_t tilec_report_num_lines(const tilec_report *report);
TILEC_API tilec_status tilec_report_get_line(const tilec_report *report, size_t index,
                                             tilec_printed_line *line);
TILEC_API tilec_status tilec_report_get_counters(const tilec_report *report,
                                                 tilec_counters *counters);
/// All findings, and what could not be checked, as text; empty when there is nothing to say.
TILEC_API const char *tilec_report_text(const tilec_report *report);

//===----------------------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------------------===//
//
//   tilec_device *device = NULL;
//   void *memory = NULL;
//   tilec_device_open("cuda", NULL, &device);
//   tilec_memory_alloc(device, bytes, &memory);
//   tilec_memory_upload(device, memory, data, bytes, NULL);
//   tilec_function_load(device, kernel, &function);
//   tilec_function_launch(function, &launch);
//   tilec_stream_synchronize(device, NULL);
//
// * A stream is the CUDA driver's CUstream (the runtime's cudaStream_t) as a void *: the program's
//   own or one of tilec_stream_create; NULL is the default stream. What is queued on a stream runs
//   in order, after the call has returned; a failure of the device itself is reported by a later
//   call.
// * The device "sim" runs kernels compiled for "sim". Its memory is host memory, its calls return
//   when their work is done, and a kernel that touches other memory than the device's own, or is
//   wrong in another way that the simulator sees, is TILEC_INPUT_ERROR. Its streams are NULL and
//   those of tilec_stream_create.
// * Handles may be destroyed in any order: what was made on a device keeps it alive. A function or
//   memory that queued work uses has to live until that work is done.

/// How launches are saved, so that those that fail can be run again: on the simulator, with every
/// check, by `tilec run --check --replay FOLDER`. Before each launch its kernel, its arguments and
/// the memory that they point into are written to a folder of its own; that is slow, and on a GPU
/// every launch is waited for. What a graph launches on a GPU is not saved.
typedef struct tilec_save_options {
  size_t struct_size;
  /// Gets the folders; made when it is not there.
  const char *folder;
  /// Launches that use more memory are not saved; 0: 4 GiB.
  uint64_t max_bytes;
  /// Failed launches that are kept, after which none is saved any more; 0: 16.
  uint32_t max_failures;
  /// Launches that did not fail that are kept, the last ones.
  uint32_t keep_last;
} tilec_save_options;

/// The folder that TILEC_SAVE_LAUNCHES names, for the options above; NULL when it names none. Lives
/// until this thread's next call.
TILEC_API const char *tilec_save_folder(void);

typedef enum tilec_event_kind {
  /// tl.device_print: `text` is the line.
  TILEC_EVENT_PRINTED = 0,
  /// A fault that the simulator found, or an assertion that failed: `text` is the message.
  TILEC_EVENT_FINDING = 1
} tilec_event_kind;

/// A line that a kernel on "sim" printed, or a finding. Pointers are good during the call.
typedef struct tilec_device_event {
  size_t struct_size;
  tilec_event_kind kind;
  const char *kernel;
  /// "assert-failed", "out-of-bounds", ... as in tilec_finding; empty for a printed line.
  const char *finding;
  const char *text;
  /// Where in the source; empty and 0 when not known.
  const char *file;
  uint32_t line;
  uint32_t column;
  uint32_t program[3];
  uint32_t thread;
  /// Of the element of a tile that was printed or asserted; none for a scalar.
  const int32_t *coordinates;
  size_t num_coordinates;
} tilec_device_event;

typedef struct tilec_device_options {
  size_t struct_size;
  /// The CUDA driver's library; NULL: libcuda.so.1.
  const char *driver;
  /// "sim": TILEC_SIMULATE_CHECK looks for races in every launch, too.
  uint32_t simulate_flags;
  /// "sim": host threads of a launch; 0: one for each core.
  uint32_t host_threads;
  /// "sim": called with every line that a kernel prints, from the thread that launches; NULL: such
  /// lines are dropped.
  void (*print)(void *context, const char *line);
  void *print_context;
  /// As tilec_device_save_launches; NULL: launches are not saved.
  const tilec_save_options *save_launches;
  /// "sim": called with everything that `print` is called with and with all findings of a launch
  /// that fails, from the thread that launches, before the launch returns.
  void (*event)(void *context, const tilec_device_event *event);
  void *event_context;
} tilec_device_options;

/// The CUDA version that the driver was made for, 1000 * major + 10 * minor. `driver` as in
/// tilec_device_options. TILEC_UNAVAILABLE: no driver, one without a device, or one too old, which
/// the message names with the version that is needed.
TILEC_API tilec_status tilec_driver_version(const char *driver, int32_t *version);
/// The number of CUDA devices.
TILEC_API tilec_status tilec_device_count(const char *driver, size_t *count);
/// Opens "cuda" (the first device), "cuda:N" or "sim". A CUDA device is used through its primary
/// context, which it shares with the CUDA runtime. `options` may be NULL.
TILEC_API tilec_status tilec_device_open(const char *name, const tilec_device_options *options,
                                         tilec_device **device);

typedef struct tilec_device_info {
  size_t struct_size;
  const char *name;
  /// What to compile for: tilec_options.target.
  const char *target;
  /// The rest is 0 where it is not known: on "sim", nearly everything.
  int32_t compute_major;
  int32_t compute_minor;
  uint32_t multiprocessors;
  /// The most shared memory that a program can have.
  uint32_t shared_bytes;
  uint64_t memory_bytes;
  uint64_t l2_bytes;
  /// As tilec_driver_version has it.
  int32_t driver_version;
  int32_t ordinal;
  /// The CUcontext.
  void *context;
} tilec_device_info;

TILEC_API tilec_status tilec_device_get_info(const tilec_device *device, tilec_device_info *info);
/// Bytes of device memory that are free now, and all; either pointer may be NULL.
TILEC_API tilec_status tilec_device_memory(const tilec_device *device, uint64_t *free_bytes,
                                           uint64_t *total_bytes);
/// Saves the launches from now on, of all functions of the device; with NULL no more.
TILEC_API tilec_status tilec_device_save_launches(tilec_device *device,
                                                  const tilec_save_options *options);
/// The folder of the launch that failed as the last failing call of this thread; empty when it was
/// another call or was not saved. Lives as long as the text of tilec_last_error.
TILEC_API const char *tilec_last_saved_launch(void);
/// Waits for all work of the device's context.
TILEC_API tilec_status tilec_device_synchronize(const tilec_device *device);

/// A stream that does not wait for the default stream. Destroyed with its device at the latest.
TILEC_API tilec_status tilec_stream_create(tilec_device *device, void **stream);
TILEC_API tilec_status tilec_stream_destroy(tilec_device *device, void *stream);
/// Waits for what was queued on the stream.
TILEC_API tilec_status tilec_stream_synchronize(tilec_device *device, void *stream);
/// Has what is queued on `stream` from now on wait for what was queued on `awaited` before. Both
/// are of this device, and may be anybody's on a GPU.
TILEC_API tilec_status tilec_stream_wait(tilec_device *device, void *stream, void *awaited);

/// Memory of the device, aligned to at least 256 bytes; of 0 bytes: NULL. Freed with its device at
/// the latest. Too much is TILEC_OUT_OF_RESOURCES.
TILEC_API tilec_status tilec_memory_alloc(tilec_device *device, size_t bytes, void **memory);
/// Frees what tilec_memory_alloc gave; other addresses, but NULL, are TILEC_INVALID_ARGUMENT.
TILEC_API tilec_status tilec_memory_free(tilec_device *device, void *memory);
/// The number of the CUDA device that memory is of, whoever allocated it. `driver` as in
/// tilec_device_options.
TILEC_API tilec_status tilec_memory_device(const char *driver, const void *memory,
                                           int32_t *ordinal);
/// Queue copies from host memory, to host memory, within the device's, and fill bytes with a value.
/// Host memory has to stay as it is until the work is done. On a GPU
/// device memory may be anybody's.
TILEC_API tilec_status tilec_memory_upload(tilec_device *device, void *to, const void *from,
                                           size_t bytes, void *stream);
TILEC_API tilec_status tilec_memory_download(tilec_device *device, void *to, const void *from,
                                             size_t bytes, void *stream);
TILEC_API tilec_status tilec_memory_copy(tilec_device *device, void *to, const void *from,
                                         size_t bytes, void *stream);
TILEC_API tilec_status tilec_memory_fill(tilec_device *device, void *to, uint8_t value,
                                         size_t bytes, void *stream);

//===----------------------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------------------===//

/// The launch may begin before the one before it in its stream has ended (programmatic dependent
/// launch): only for kernels that do not touch what that one writes.
#define TILEC_LAUNCH_PROGRAMMATIC UINT32_C(1)
/// A cooperative launch: all programs run at once, so that they may wait for each other.
#define TILEC_LAUNCH_COOPERATIVE UINT32_C(2)
/// Of tilec_call, for a kernel of a bundle: the grid is computed as the bundle says, whatever the
/// call has. A grid of no programs launches nothing.
#define TILEC_LAUNCH_BUNDLED_GRID UINT32_C(4)

typedef struct tilec_device_launch {
  size_t struct_size;
  /// Programs in x, y, z; each at least 1.
  uint32_t grid[3];
  /// TILEC_LAUNCH_... flags; the simulator has no use for them.
  uint32_t flags;
  /// Programs of a cluster; zeros: what the kernel was compiled for.
  uint32_t cluster[3];
  /// Run-time arguments in launch order. On a GPU a pointer is a device address.
  const tilec_value *arguments;
  size_t num_arguments;
  /// Not used by tilec_prepare.
  void *stream;
} tilec_device_launch;

/// Loads a kernel: its cubin, else its PTX, which the driver then compiles; on "sim" its host code.
/// A kernel for another architecture is TILEC_INVALID_ARGUMENT.
TILEC_API tilec_status tilec_function_load(tilec_device *device, const tilec_kernel *kernel,
                                           tilec_function **function);

/// A kernel that was compiled before, in the same or another process.
typedef struct tilec_image {
  /// The text of tilec_kernel_metadata.
  const char *metadata;
  size_t metadata_size;
  /// A cubin, or PTX text.
  const void *code;
  size_t code_size;
} tilec_image;

/// Loads the first of some images of one kernel, for different devices, that runs on this device.
/// There are none for the simulator.
TILEC_API tilec_status tilec_function_load_image(tilec_device *device, const tilec_image *images,
                                                 size_t count, tilec_function **function);

typedef struct tilec_function_info {
  size_t struct_size;
  /// As the driver reports them: registers and bytes of local memory of a thread; -1 on "sim".
  int32_t registers;
  int32_t local_bytes;
  /// Programs that one multiprocessor can hold at once; 0 on "sim".
  int32_t programs_per_multiprocessor;
  /// The CUfunction, for other tools; it lives as long as the function. NULL on "sim".
  void *handle;
} tilec_function_info;

TILEC_API tilec_status tilec_function_get_info(tilec_function *function, tilec_function_info *info);
/// Checks the arguments against the kernel (number, sizes, divisibility) and queues a launch. The
/// values are copied.
TILEC_API tilec_status tilec_function_launch(tilec_function *function,
                                             const tilec_device_launch *launch);

/// Checks and packs a launch that is to be made more than once. A prepared launch costs little more
/// than the driver's own call: its handle is resolved without a lock or a search, nothing is
/// allocated, and tensor maps are encoded again only after an argument that they are made from has
/// changed. Calls of several threads on one prepared launch wait for each other.
TILEC_API tilec_status tilec_prepare(tilec_function *function, const tilec_device_launch *launch,
                                     tilec_prepared **prepared);
/// Changes argument number `index` for the launches to come, after the checks of a launch.
TILEC_API tilec_status tilec_prepared_set_argument(tilec_prepared *prepared, size_t index,
                                                   const void *data, size_t size);
TILEC_API tilec_status tilec_prepared_set_grid(tilec_prepared *prepared, uint32_t x, uint32_t y,
                                               uint32_t z);
/// Queues the launch.
TILEC_API tilec_status tilec_prepared_launch(tilec_prepared *prepared, void *stream);

/// Starts recording: launches, copies and fills on `stream`, of this device and by any thread, are
/// recorded instead of run, with the values that they have now. `stream` is not NULL. A program
/// may record with the driver's own calls as well: every call that queues work can be captured.
TILEC_API tilec_status tilec_graph_begin(tilec_device *device, void *stream);
/// Ends recording. The graph keeps the functions that it launches; the caller keeps the memory.
TILEC_API tilec_status tilec_graph_end(tilec_device *device, void *stream, tilec_graph **graph);
/// Records launches that were prepared on one device, one after the other.
TILEC_API tilec_status tilec_graph_record(tilec_prepared *const *prepared, size_t count,
                                          tilec_graph **graph);
/// Launches the graph.
TILEC_API tilec_status tilec_graph_launch(tilec_graph *graph, void *stream);

#ifdef __cplusplus
}
#endif

// The last parts of the interface.
#include "tilec/bundle.h"
#include "tilec/jit.h"
#include "tilec/tuning.h"

#endif // TILEC_TILEC_H
