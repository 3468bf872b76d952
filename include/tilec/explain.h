// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a kernel is slow, as 'tilec explain' says it (docs/explain.md). A part of the C interface,
// whose rules hold here too; tilec.h includes it. No GPU is needed: the kernel is compiled for one,
// and runs on the simulator, which counts. One that is there says how long it takes, and what its
// warps wait for.
//
//   tilec_jit_explain(jit, &call, NULL, &explanation);
//   puts(tilec_explanation_text(explanation));
//   tilec_explanation_destroy(explanation);

#ifndef TILEC_EXPLAIN_H
#define TILEC_EXPLAIN_H

#include "tilec/jit.h"
#include "tilec/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is known of one launch: its time as predicted, what it is bound by, and where.
typedef struct tilec_explanation tilec_explanation;
TILEC_API void tilec_explanation_destroy(tilec_explanation *explanation);

/// Simulates all programs of a large grid, however long it takes, rather than a sample.
#define TILEC_EXPLAIN_ALL_PROGRAMS UINT32_C(1)
/// Adds what the warps of one CTA do and wait for, in the simulator's order.
#define TILEC_EXPLAIN_TIMELINE UINT32_C(2)

typedef struct tilec_explain_options {
  size_t struct_size;
  /// The GPU that times are predicted for, by a part of its name: "A100". NULL: that of a saved
  /// launch, else an H200.
  const char *gpu;
  /// TILEC_EXPLAIN_... flags.
  uint32_t flags;
  /// As in tilec_options. Without the assembler there are no registers and no SASS, without
  /// nvdisasm beside it or in `search_path` no SASS.
  const char *ptxas;
  const char *cuda_home;
  const char *search_path;
  const char *libclc;
  const char *libdevice;
  /// The GPU that the kernel is launched on as well, for its time and for samples of what its warps
  /// wait for: "cuda", or "cuda:1". It is compiled for it then, and its time predicted; `gpu` has
  /// to be NULL. The launch is made on copies of the memory. What cannot be had (no GPU, no CUPTI,
  /// no permission) is no failure: "samples" of the JSON say why. NULL: none.
  const char *device;
  /// The libraries of the driver, as in tilec_device_options, and of CUPTI. NULL: libcupti.so where
  /// the loader looks, in `cuda_home` and in /usr/local/cuda.
  const char *driver;
  const char *cupti;
  /// The folder that Triton's cache has for the same kernel: what it has compiled stands beside
  /// ours, as with tilec_explanation_compare, launched with the same arguments where there is a
  /// `device`. Files that cannot be used are TILEC_INPUT_ERROR. NULL: none.
  const char *triton;
} tilec_explain_options;

/// `*target` becomes what a kernel is explained for with such options, "sm_90a": what its code for
/// a comparison is to be made for. The text is static.
TILEC_API tilec_status tilec_explain_target(const tilec_explain_options *options,
                                            const char **target);

/// Explains a launch of a kernel that was compiled from its source, for whatever target: with the
/// options that it was compiled with it is compiled again. The launch's flags make no difference.
/// The memory is what the kernel may touch, as for tilec_kernel_simulate; the kernel runs several
/// times, and each time it has the contents that it had, also in the end. A kernel that does what
/// it must not is TILEC_OK, with its findings in the explanation. `options` may be NULL.
TILEC_API tilec_status tilec_kernel_explain(const tilec_kernel *kernel, const tilec_launch *launch,
                                            const tilec_explain_options *options,
                                            tilec_explanation **explanation);
/// Explains what tilec_jit_launch would launch with such a call, which may also compile. The memory
/// is what the jit's device has allocated and the call's buffers; that of a GPU is copied. A bundle
/// has to have the sources ('tilec build --keep-sources').
TILEC_API tilec_status tilec_jit_explain(tilec_jit *jit, const tilec_call *call,
                                         const tilec_explain_options *options,
                                         tilec_explanation **explanation);
/// Explains a saved launch (docs/debugging.md): `path` is its folder. What cannot be read is
/// TILEC_INPUT_ERROR. Its memory is for the simulator: no `device`.
TILEC_API tilec_status tilec_explain_saved(const char *path, const tilec_explain_options *options,
                                           tilec_explanation **explanation);
/// `*both` becomes a new handle: what is known of one launch, with what is known of another one
/// beside it, and in its text what differs.
TILEC_API tilec_status tilec_explanation_compare(const tilec_explanation *explanation,
                                                 const tilec_explanation *against,
                                                 tilec_explanation **both);

/// Everything that is known, as JSON: docs/explain.md has the names.
TILEC_API const char *tilec_explanation_json(const tilec_explanation *explanation);
/// The same as a page for a browser: HTML that loads nothing.
TILEC_API const char *tilec_explanation_html(const tilec_explanation *explanation);
/// The verdict, in a few lines.
TILEC_API const char *tilec_explanation_text(const tilec_explanation *explanation);

#ifdef __cplusplus
}
#endif

#endif // TILEC_EXPLAIN_H
