// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the warps of a launch do and wait for (docs/timeline.md). A part of the C interface, whose
// rules hold here too; tilec.h includes it.
//
//   tilec_jit_launch_timeline(jit, &call, NULL, NULL, &timeline);
//   puts(tilec_timeline_text(timeline));
//   fputs(tilec_timeline_svg(timeline), file);
//   tilec_timeline_destroy(timeline);

#ifndef TILEC_TIMELINE_H
#define TILEC_TIMELINE_H

#include "tilec/jit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The timeline of one launch.
typedef struct tilec_timeline tilec_timeline;
TILEC_API void tilec_timeline_destroy(tilec_timeline *timeline);

typedef struct tilec_timeline_options {
  size_t struct_size;
  /// The CTAs that are seen, at most 1024, numbered with x counting fastest: `num_ctas` of them
  /// from `first_cta` on; 0: 4.
  uint32_t first_cta;
  uint32_t num_ctas;
  /// The room of each warp, 2 to 1048576: two marks for each span; 0: 4096.
  uint32_t marks;
  /// As in tilec_options, for the code that writes the timeline.
  const char *ptxas;
  const char *cuda_home;
  const char *search_path;
  const char *libclc;
  const char *libdevice;
} tilec_timeline_options;

/// Launches as tilec_jit_launch does, with code that writes a timeline beside what it computes, and
/// waits for it: `*timeline` becomes a new handle, NULL where a bundle's grid has nothing to
/// launch. That code is compiled from the source for the first such launch, and kept for the next
/// ones with the same options; a bundle has to have the sources ('tilec build --keep-sources').
/// Launches that are recorded for a graph, and grids with none of the CTAs, are
/// TILEC_INVALID_ARGUMENT. `options` and `variant` may be NULL.
TILEC_API tilec_status tilec_jit_launch_timeline(tilec_jit *jit, const tilec_call *call,
                                                 const tilec_timeline_options *options,
                                                 uint32_t *variant, tilec_timeline **timeline);
/// `*timeline` becomes a new handle of what a launch of a kernel with TILEC_COMPILE_TIMELINE has
/// left in its buffer, as for tilec_kernel_write_timeline.
TILEC_API tilec_status tilec_kernel_read_timeline(const tilec_kernel *kernel,
                                                  const uint32_t grid[3], const void *buffer,
                                                  size_t size, tilec_timeline **timeline);

/// What there is, in a few lines: warps and spans, and what the warps of each role wait for.
TILEC_API const char *tilec_timeline_text(const tilec_timeline *timeline);
/// The same as JSON: `kernel`, `isOrder` (of the simulator, whose lengths mean nothing), `warps`,
/// `spans`, `droppedMarks` that found no room, and `waits`: for each role its `role`, empty where
/// all warps do the same, and `shares` of the warps' time by kind of wait; none for the simulator.
TILEC_API const char *tilec_timeline_json(const tilec_timeline *timeline);
/// Trace events, which Perfetto and chrome://tracing open.
TILEC_API const char *tilec_timeline_trace(const tilec_timeline *timeline);
/// A picture.
TILEC_API const char *tilec_timeline_svg(const tilec_timeline *timeline);

#ifdef __cplusplus
}
#endif

#endif // TILEC_TIMELINE_H
