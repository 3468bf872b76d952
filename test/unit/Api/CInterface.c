// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C program as it would use the library, compiled as strict C11: the header is C. CompileTest.cpp
// calls it.

#include "CInterface.h"
#include "Layouts.h"

#include <string.h>

static const char source[] = "@triton.jit\n"
                             "def scale(x, factor, n, BLOCK: tl.constexpr):\n"
                             "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                             "    value = tl.load(x + at, mask=at < n)\n"
                             "    tl.store(x + at, value * factor, mask=at < n)\n";

static tilec_status compileScale(tilec_compiler *compiler, tilec_kernel **kernel) {
  const tilec_binding arguments[] = {{"x", "*fp32"}, {"factor", "fp32"}, {"n", "i32"}};
  const tilec_binding constants[] = {{"BLOCK", "128"}};
  const tilec_options options = {.struct_size = sizeof options,
                                 .target = "sim",
                                 .arguments = arguments,
                                 .num_arguments = 3,
                                 .constants = constants,
                                 .num_constants = 1};
  return tilec_compile_text(compiler, "scale.tile", source, strlen(source), &options, kernel, NULL);
}

int scaleFromC(float *values, int count, float factor) {
  tilec_compiler *compiler = NULL;
  tilec_kernel *kernel = NULL;
  tilec_status status = tilec_compiler_create(&compiler);
  if (status == TILEC_OK)
    status = compileScale(compiler, &kernel);
  if (status == TILEC_OK) {
    const int32_t n = count;
    const tilec_value arguments[] = {
        {&values, sizeof values}, {&factor, sizeof factor}, {&n, sizeof n}};
    const tilec_buffer buffers[] = {{values, (size_t)count * sizeof *values, "x", 0}};
    const tilec_launch launch = {.struct_size = sizeof launch,
                                 .grid = {(uint32_t)(count + 127) / 128, 1, 1},
                                 .flags = TILEC_SIMULATE_CHECK,
                                 .arguments = arguments,
                                 .num_arguments = 3,
                                 .buffers = buffers,
                                 .num_buffers = 1};
    status = tilec_kernel_simulate(kernel, &launch, NULL);
  }
  tilec_kernel_destroy(kernel);
  tilec_compiler_destroy(compiler);
  return (int)status;
}
