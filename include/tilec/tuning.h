// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The autotuner's part of the C interface, whose rules hold here too; tilec.h includes it.
//
//   tilec_tune_options options = {.struct_size = sizeof options, .options = &compile,
//                                 .launch = &launch, .grid = "cdiv(n, BLOCK)",
//                                 .database = "tuned.json"};
//   tilec_tune_file(device, "add.py", &options, &tuning, NULL);
//   tilec_tuning_get_kernel(tuning, &kernel);
//
// Tries configurations of a kernel (values of constants, warps, stages, clusters) with a launch of
// the program's own and says which is the fastest. Threads compile; each configuration is then
// timed on the device, on the launch's stream, with what the program's memory held at first, and
// with zeros in the arrays that `reset_to_zero` of @triton.autotune names. In the end the memory is
// as it was. On "sim" a weighted sum of counters stands for the time: the same on every machine,
// and no prediction.
//
// A configuration that faults is reported and the search goes on: on "sim" always, on a GPU where
// it is isolated (TILEC_TUNE_ISOLATE), for a fault makes the context of a process unusable. Without
// isolation such a fault is TILEC_DEVICE_ERROR, with a message that names the configuration, and a
// configuration that never ends keeps the call from ending.

#ifndef TILEC_TUNING_H
#define TILEC_TUNING_H

#include "tilec/jit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The result of a search.
typedef struct tilec_tuning tilec_tuning;
TILEC_API void tilec_tuning_destroy(tilec_tuning *tuning);

/// Values of constants, as text, and launch options; a 0 was left to the kernel.
typedef struct tilec_config {
  size_t struct_size;
  /// "BLOCK=64, num_warps=4".
  const char *text;
  const tilec_binding *constants;
  size_t num_constants;
  int32_t num_warps;
  int32_t num_stages;
  int32_t max_registers;
  int32_t num_ctas;
  int32_t split_k;
} tilec_config;

typedef enum tilec_candidate_state {
  /// A budget was used up before, or the device was lost.
  TILEC_CANDIDATE_WAITING = 0,
  /// Pruned: it cannot win by the model, or does not fit.
  TILEC_CANDIDATE_PRUNED = 1,
  /// It does not compile, or did not run to its end.
  TILEC_CANDIDATE_FAILED = 2,
  /// Compiled to the code of another one, whose cost it has.
  TILEC_CANDIDATE_SAME = 3,
  TILEC_CANDIDATE_MEASURED = 4
} tilec_candidate_state;

/// The progress of a search.
typedef struct tilec_tune_progress {
  size_t struct_size;
  size_t done;
  size_t total;
  /// The configuration that is done now, as text, and what became of it.
  const char *last;
  tilec_candidate_state last_state;
  double last_cost;
  const char *last_reason;
  /// The best one so far; NULL without any.
  const char *best;
  double best_cost;
} tilec_tune_progress;

/// Searches even if the database has a configuration.
#define TILEC_TUNE_AGAIN UINT32_C(1)
/// No pruning: tries what the model of the GPU would leave out, too.
#define TILEC_TUNE_NO_PRUNE UINT32_C(2)
/// Leaves the L2 cache as the launch before left it; otherwise every timed launch finds it cold.
#define TILEC_TUNE_WARM_L2 UINT32_C(4)
/// Measures in a process of its own, with copies of the memory.
#define TILEC_TUNE_ISOLATE UINT32_C(8)

typedef struct tilec_tune_options {
  size_t struct_size;
  /// What all configurations have: the kernel, the types of arguments, constants, tools, a cache.
  /// The target is the device's unless it is given.
  const tilec_options *options;
  /// The launch: arguments, stream, flags; its grid, unless one of the next two gives one.
  const tilec_device_launch *launch;
  /// The grid as one to three expressions over the integer arguments and the constants,
  /// "cdiv(M, BLOCK_M), N", with cdiv, min, max and next_power_of_2.
  const char *grid;
  /// Or a function that gives a configuration's grid; other results than 0 leave it out. Called by
  /// one thread at a time, which need not be the caller's.
  int (*make_grid)(void *context, const tilec_config *config, uint32_t grid[3]);
  void *grid_context;
  /// Configurations to try, as JSON (docs/tuning.md); NULL: those of @triton.autotune.
  const char *space;
  /// The file that the best one is put into. What it has already is taken without any search. NULL:
  /// none.
  const char *database;
  /// TILEC_TUNE_... flags.
  uint32_t flags;
  /// Budgets: configurations to compile, and seconds after which nothing new is begun; 0: none.
  uint32_t max_configs;
  double max_seconds;
  /// Threads that compile; 0: one for each core.
  uint32_t jobs;
  /// Most timed launches of a configuration, and milliseconds that they take together; 0: 100 and
  /// 20.
  uint32_t repeats;
  double milliseconds;
  /// Memory that the kernel may change. Not needed for what the arguments point to, if that came
  /// from tilec_memory_alloc or cuMemAlloc: the whole allocation is saved then.
  const tilec_buffer *buffers;
  size_t num_buffers;
  /// Called after each configuration, by one thread at a time; other results than 0 end the search.
  int (*progress)(void *context, const tilec_tune_progress *progress);
  void *progress_context;
  /// With TILEC_TUNE_ISOLATE: the program `tilec` of the same version; NULL: ../bin/tilec beside
  /// the library. Kernels that find addresses in memory cannot be isolated.
  const char *worker;
  /// With TILEC_TUNE_ISOLATE: seconds after which a configuration hangs; 0: 10.
  double timeout_seconds;
} tilec_tune_options;

/// Tunes one kernel of a source text; the first parameters are those of tilec_compile_text. Work
/// that is queued on the launch's stream is waited for.
///
/// On TILEC_OK there is a best configuration. `*tuning` becomes a handle, with what was tried, also
/// on TILEC_INPUT_ERROR when no configuration works and on TILEC_DEVICE_ERROR when the device was
/// lost. `diagnostics` may be NULL.
TILEC_API tilec_status tilec_tune_text(tilec_device *device, const char *name, const char *text,
                                       size_t length, const tilec_tune_options *options,
                                       tilec_tuning **tuning, tilec_diagnostics **diagnostics);
TILEC_API tilec_status tilec_tune_file(tilec_device *device, const char *path,
                                       const tilec_tune_options *options, tilec_tuning **tuning,
                                       tilec_diagnostics **diagnostics);

/// Tunes a kernel that has a signature, from a source text, with a call. The options' `options` and
/// `launch` are NULL: the jit and the call say what they would. On TILEC_OK `*tuned` becomes the
/// kernel with the best configuration, which has the code for such values already.
TILEC_API tilec_status tilec_jit_tune(tilec_jit *jit, const tilec_call *call,
                                      const tilec_tune_options *options, tilec_tuning **tuning,
                                      tilec_diagnostics **diagnostics, tilec_jit **tuned);
/// 1: `key` of @triton.autotune names the parameter that value number `index` of a call is for.
TILEC_API int32_t tilec_jit_is_tuning_key(const tilec_jit *jit, size_t index);

/// A matrix product C = A x B, with A of m x k and B of k x n elements.
typedef struct tilec_product {
  size_t struct_size;
  int64_t m;
  int64_t n;
  int64_t k;
  /// Of an element of A and B: 8 or 16; 0: 16.
  int32_t element_bits;
  /// Other than 0: A, B, lies by columns in memory: elements along m, along k, are together. By
  /// rows otherwise.
  int32_t a_by_columns;
  int32_t b_by_columns;
  /// Other than 0: the order of the kernel's programs is its own. It does not depend on a constant
  /// as `group_m` of tilec_product_plan.
  int32_t has_own_order;
  /// The GPU: its target and its multiprocessors. NULL: sm_90a, which is the only one that the
  /// model knows; 0: an H200's.
  const char *target;
  uint32_t multiprocessors;
} tilec_product;

/// A configuration of a product.
typedef struct tilec_product_plan {
  size_t struct_size;
  /// The extents of a tile.
  int64_t block_m;
  int64_t block_n;
  int64_t block_k;
  /// Rows of tiles that programs in a row go down before they go on along n.
  int32_t group_m;
  int32_t num_warps;
  int32_t num_stages;
  /// 1: no clusters, no split.
  int32_t num_ctas;
  int32_t split_k;
  /// The time that is predicted for a launch.
  double microseconds;
} tilec_product_plan;

/// The configurations of a product that should take the least time, the likeliest first, by a model
/// (docs/tuning.md): nothing is compiled or measured. `plans` has room for `most`, all with the
/// struct_size of the first; `*num_plans` becomes how many there are. TILEC_UNAVAILABLE: a target
/// that the model does not know.
TILEC_API tilec_status tilec_plan_product(const tilec_product *product, size_t most,
                                          tilec_product_plan *plans, size_t *num_plans);

typedef struct tilec_tuning_info {
  size_t struct_size;
  const char *kernel;
  const char *device;
  /// Of the costs: "us", or "cost" on the simulator.
  const char *unit;
  double seconds;
  size_t num_candidates;
  size_t num_measured;
  /// 1: nothing was tried, the database had it.
  int32_t from_database;
  /// NULL without any.
  const tilec_config *best;
  double best_cost;
} tilec_tuning_info;

/// One configuration.
typedef struct tilec_candidate {
  size_t struct_size;
  const tilec_config *config;
  tilec_candidate_state state;
  /// Why it was not measured; empty where it was.
  const char *reason;
  double cost;
  /// What it cannot be faster than, in microseconds; 0: not known.
  double bound;
  uint32_t grid[3];
  /// Of its code, where it was compiled; registers and spilled bytes of a thread are -1 where they
  /// are not known.
  int32_t registers;
  int32_t spill_bytes;
  uint32_t shared_bytes;
} tilec_candidate;

TILEC_API tilec_status tilec_tuning_get_info(const tilec_tuning *tuning, tilec_tuning_info *info);
/// Candidate number `index`: the measured ones by their cost, then the others.
TILEC_API tilec_status tilec_tuning_get_candidate(const tilec_tuning *tuning, size_t index,
                                                  tilec_candidate *candidate);
/// A new handle of the best configuration's kernel.
TILEC_API tilec_status tilec_tuning_get_kernel(const tilec_tuning *tuning, tilec_kernel **kernel);
/// All of it as a table for people, and as JSON.
TILEC_API const char *tilec_tuning_text(const tilec_tuning *tuning);
TILEC_API const char *tilec_tuning_json(const tilec_tuning *tuning);

#ifdef __cplusplus
}
#endif

#endif // TILEC_TUNING_H
