// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, their memory and streams, and launches of compiled kernels. A part of tilec.h, whose
// rules hold here too.

#ifndef TILEC_DEVICE_H
#define TILEC_DEVICE_H

#include "tilec/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A GPU, or the simulator as a device.
typedef struct tilec_device tilec_device;
/// A kernel loaded on a device.
typedef struct tilec_function tilec_function;
/// A prepared launch: a kernel with its arguments packed.
typedef struct tilec_prepared tilec_prepared;
/// A graph: a recorded sequence of launches and copies.
typedef struct tilec_graph tilec_graph;

TILEC_API void tilec_device_destroy(tilec_device *device);
TILEC_API void tilec_function_destroy(tilec_function *function);
TILEC_API void tilec_prepared_destroy(tilec_prepared *prepared);
TILEC_API void tilec_graph_destroy(tilec_graph *graph);

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
/// launch): only for kernels that do not touch what that one writes. Persistent kernels whose CTAs
/// take programs from a counter wait for its end.
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
  /// Not used by tilec_function_prepare.
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
  /// Programs that one multiprocessor can hold at once, of a kernel with split_k their CTAs; 0 on
  /// "sim".
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
TILEC_API tilec_status tilec_function_prepare(tilec_function *function,
                                              const tilec_device_launch *launch,
                                              tilec_prepared **prepared);
TILEC_API TILEC_DEPRECATED("use tilec_function_prepare") tilec_status
    tilec_prepare(tilec_function *function, const tilec_device_launch *launch,
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

#endif // TILEC_DEVICE_H
