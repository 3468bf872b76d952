// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a kernel on the simulator with memory of the program, and the report of what happened. A
// part of tilec.h, whose rules hold here too.

#ifndef TILEC_SIMULATE_H
#define TILEC_SIMULATE_H

#include "tilec/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The report of one simulation: findings, printed lines, counters.
typedef struct tilec_report tilec_report;

TILEC_API void tilec_report_destroy(tilec_report *report);

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
TILEC_API tilec_status tilec_kernel_simulate(const tilec_kernel *kernel, const tilec_launch *launch,
                                             tilec_report **report);
TILEC_API TILEC_DEPRECATED("use tilec_kernel_simulate") tilec_status
    tilec_simulate(const tilec_kernel *kernel, const tilec_launch *launch, tilec_report **report);

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
  /// memory, other; and multiplications of integers, in those of 32 bits.
  uint64_t instructions[9];
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

#ifdef __cplusplus
}
#endif

#endif // TILEC_SIMULATE_H
