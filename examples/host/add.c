// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface: a kernel that was compiled ahead for two processors, or, on the simulator, is
// compiled here; launched on memory of the device.

#include "tilec/tilec.h"

#include "tilec_kernels/scaled_add.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { count = 1000, block = 256 };

/// The kernel's text, compiled for the device.
static tilec_status compileFor(const char *target, tilec_kernel **kernel) {
  const tilec_binding arguments[] = {
      {"x", "*fp32"}, {"y", "*fp32"}, {"out", "*fp32"}, {"scale", "fp32"}, {"n", "i32"}};
  const tilec_binding constants[] = {{"BLOCK", "256"}};
  const tilec_options options = {.struct_size = sizeof options,
                                 .target = target,
                                 .arguments = arguments,
                                 .num_arguments = 5,
                                 .constants = constants,
                                 .num_constants = 1};
  tilec_compiler *compiler = NULL;
  tilec_status status = tilec_compiler_create(&compiler);
  if (status == TILEC_OK)
    status = tilec_compile_text(compiler, "scaled-add.tile", tilec_kernels_scaled_add,
                                tilec_kernels_scaled_add_size, &options, kernel, NULL);
  tilec_compiler_destroy(compiler);
  return status;
}

static tilec_status loadFor(tilec_device *device, tilec_function **function) {
  tilec_device_info info = {.struct_size = sizeof info};
  tilec_status status = tilec_device_get_info(device, &info);
  if (status != TILEC_OK)
    return status;
  if (strcmp(info.target, "sim") != 0)
    return tilec_function_load_image(device, tilec_kernels_scaled_add_images,
                                     tilec_kernels_scaled_add_num_images, function);
  tilec_kernel *kernel = NULL;
  status = compileFor(info.target, &kernel);
  if (status == TILEC_OK)
    status = tilec_function_load(device, kernel, function);
  tilec_kernel_destroy(kernel);
  return status;
}

/// Everything on the device: memory, copies, launch.
static tilec_status run(tilec_device *device, tilec_function *function, const float *x,
                        const float *y, float scale, float *result) {
  void *memory[3] = {NULL, NULL, NULL};
  tilec_status status = TILEC_OK;
  for (int i = 0; i < 3 && status == TILEC_OK; ++i)
    status = tilec_memory_alloc(device, count * sizeof(float), &memory[i]);
  if (status == TILEC_OK)
    status = tilec_memory_upload(device, memory[0], x, count * sizeof(float), NULL);
  if (status == TILEC_OK)
    status = tilec_memory_upload(device, memory[1], y, count * sizeof(float), NULL);
  if (status == TILEC_OK) {
    const int32_t n = count;
    const tilec_value arguments[] = {{&memory[0], sizeof(void *)},
                                     {&memory[1], sizeof(void *)},
                                     {&memory[2], sizeof(void *)},
                                     {&scale, sizeof scale},
                                     {&n, sizeof n}};
    const tilec_device_launch launch = {.struct_size = sizeof launch,
                                        .grid = {(count + block - 1) / block, 1, 1},
                                        .arguments = arguments,
                                        .num_arguments = 5};
    status = tilec_function_launch(function, &launch);
  }
  if (status == TILEC_OK)
    status = tilec_memory_download(device, result, memory[2], count * sizeof(float), NULL);
  if (status == TILEC_OK)
    status = tilec_stream_synchronize(device, NULL);
  for (int i = 0; i < 3; ++i)
    tilec_memory_free(device, memory[i]);
  return status;
}

int main(int argc, char **argv) {
  const char *name = "sim";
  if (argc == 3 && strcmp(argv[1], "--device") == 0) {
    name = argv[2];
  } else if (argc != 1) {
    fprintf(stderr, "usage: %s [--device sim|cuda|cuda:N]\n", argv[0]);
    return 2;
  }
  float x[count], y[count], result[count];
  for (int i = 0; i < count; ++i) {
    x[i] = (float)i / 7;
    y[i] = (float)(count - i) / 3;
  }
  tilec_device *device = NULL;
  tilec_function *function = NULL;
  tilec_status status = tilec_device_open(name, NULL, &device);
  if (status == TILEC_OK)
    status = loadFor(device, &function);
  if (status == TILEC_OK)
    status = run(device, function, x, y, 0.5f, result);
  if (status != TILEC_OK)
    fprintf(stderr, "%s: %s\n", tilec_status_name(status), tilec_last_error());
  tilec_function_destroy(function);
  tilec_device_destroy(device);
  if (status != TILEC_OK)
    return 1;
  float worst = 0;
  for (int i = 0; i < count; ++i)
    worst = fmaxf(worst, fabsf(result[i] - (x[i] * 0.5f + y[i])));
  printf("%d sums on %s: largest error %.2g\n", count, name, worst);
  return worst < 1e-4f ? 0 : 1;
}
