// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product in a bundle: tensors are passed as descriptors, from which the bundle makes the
// tensor maps of Hopper's copy engine; on older devices the same call works with pointers. The
// program needs the CUDA driver and nothing else. Some elements are compared with a product on the
// host, for sizes that are no multiples of a block, too; then the speed is measured.

#include "products.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// What the program itself needs of the driver: memory and time.
static struct {
  int (*init)(unsigned);
  int (*deviceGet)(int *, int);
  int (*retain)(void **, int);
  int (*setCurrent)(void *);
  int (*allocate)(unsigned long long *, size_t);
  int (*release)(unsigned long long);
  int (*upload)(unsigned long long, const void *, size_t);
  int (*download)(void *, unsigned long long, size_t);
  int (*synchronize)(void);
  int (*eventCreate)(void **, unsigned);
  int (*eventRecord)(void *, void *);
  int (*eventSynchronize)(void *);
  int (*eventElapsed)(float *, void *, void *);
} cuda;

static int openDriver(void) {
  struct {
    const char *name;
    void *place;
  } functions[] = {{"cuInit", &cuda.init},
                   {"cuDeviceGet", &cuda.deviceGet},
                   {"cuDevicePrimaryCtxRetain", &cuda.retain},
                   {"cuCtxSetCurrent", &cuda.setCurrent},
                   {"cuMemAlloc_v2", &cuda.allocate},
                   {"cuMemFree_v2", &cuda.release},
                   {"cuMemcpyHtoD_v2", &cuda.upload},
                   {"cuMemcpyDtoH_v2", &cuda.download},
                   {"cuCtxSynchronize", &cuda.synchronize},
                   {"cuEventCreate", &cuda.eventCreate},
                   {"cuEventRecord", &cuda.eventRecord},
                   {"cuEventSynchronize", &cuda.eventSynchronize},
                   {"cuEventElapsedTime", &cuda.eventElapsed}};
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    return 0;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
    if (!(*(void **)functions[i].place = dlsym(library, functions[i].name)))
      return 0;
  int device = 0;
  void *context = NULL;
  return cuda.init(0) == 0 && cuda.deviceGet(&device, 0) == 0 &&
         cuda.retain(&context, device) == 0 && cuda.setCurrent(context) == 0;
}

static double valueOf(uint16_t half) {
  int exponent = half >> 10 & 31;
  double digits = exponent ? 1024 + (half & 1023) : 2 * (half & 1023);
  return (half & 0x8000 ? -1 : 1) * ldexp(digits, exponent - 25);
}

// A matrix of halfs with rows of `stride` elements, on the host and on the device.
typedef struct {
  int32_t rows, columns;
  int64_t stride;
  uint16_t *host;
  unsigned long long device;
} Matrix;

static int makeMatrix(Matrix *matrix, int32_t rows, int32_t columns, uint32_t seed) {
  size_t count;
  matrix->rows = rows;
  matrix->columns = columns;
  // Rows begin at multiples of 16 bytes.
  matrix->stride = (columns + 7) / 8 * 8;
  count = (size_t)rows * (size_t)matrix->stride;
  matrix->host = malloc(count * 2);
  if (!matrix->host || cuda.allocate(&matrix->device, count * 2))
    return 0;
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    matrix->host[i] = products_to_fp16((float)(seed >> 16) / 65536.0f - 0.5f).bits;
  }
  return cuda.upload(matrix->device, matrix->host, count * 2) == 0;
}

static products_tensor2_fp16 tensorOf(const Matrix *matrix) {
  products_tensor2_fp16 tensor = {
      (uint16_t *)(uintptr_t)matrix->device, {matrix->rows, matrix->columns}, {matrix->stride}};
  return tensor;
}

static int failed(products_status status) {
  if (status != products_OK)
    fprintf(stderr, "matmul: %s\n", products_error());
  return status != products_OK;
}

// The largest error among some elements, or a negative number.
static double compare(const Matrix *a, const Matrix *b, const Matrix *c, const Matrix *bias,
                      double scale) {
  double worst = 0;
  size_t bytes = (size_t)c->rows * (size_t)c->stride * 2;
  if (cuda.download(c->host, c->device, bytes))
    return -1;
  for (int sample = 0; sample < 4000; ++sample) {
    // Corners first, then anywhere.
    int64_t row = sample < 4 ? (sample & 1) * (c->rows - 1) : (int64_t)sample * 7919 % c->rows;
    int64_t column =
        sample < 4 ? (sample >> 1) * (c->columns - 1) : (int64_t)sample * 104729 % c->columns;
    double total = 0;
    for (int32_t k = 0; k < a->columns; ++k)
      total += valueOf(a->host[row * a->stride + k]) * valueOf(b->host[column * b->stride + k]);
    total = total * scale + valueOf(bias->host[column]);
    // A half has 11 binary digits.
    double error = fabs(total - valueOf(c->host[row * c->stride + column])) / (1 + fabs(total));
    worst = error > worst ? error : worst;
  }
  return worst;
}

static int multiply(int32_t m, int32_t n, int32_t k) {
  Matrix a, b, c, bias;
  const float scale = 0.75f;
  if (!makeMatrix(&a, m, k, 1) || !makeMatrix(&b, n, k, 2) || !makeMatrix(&c, m, n, 3) ||
      !makeMatrix(&bias, 1, n, 4)) {
    fprintf(stderr, "matmul: there is no memory for %d x %d x %d\n", m, n, k);
    return 1;
  }
  const uint16_t *biases = (const uint16_t *)(uintptr_t)bias.device;
  if (failed(products_matmul_fp16(tensorOf(&a), tensorOf(&b), tensorOf(&c), biases,
                                  products_to_fp16(scale), NULL)))
    return 1;
  if (cuda.synchronize()) {
    fprintf(stderr, "matmul: the kernel failed\n");
    return 1;
  }
  double error = compare(&a, &b, &c, &bias, scale);
  printf("%d x %d x %d: largest relative error %.2g", m, n, k, error);

  void *start = NULL, *end = NULL;
  float milliseconds = 0;
  const int launches = 20;
  cuda.eventCreate(&start, 0);
  cuda.eventCreate(&end, 0);
  cuda.eventRecord(start, NULL);
  for (int i = 0; i < launches; ++i)
    if (failed(products_matmul_fp16(tensorOf(&a), tensorOf(&b), tensorOf(&c), biases,
                                    products_to_fp16(scale), NULL)))
      return 1;
  cuda.eventRecord(end, NULL);
  if (cuda.eventSynchronize(end) || cuda.eventElapsed(&milliseconds, start, end))
    return 1;
  printf(", %.1f us, %.0f TFLOPS\n", 1000.0 * milliseconds / launches,
         2e-9 * m * n * k * launches / milliseconds);
  const Matrix all[] = {a, b, c, bias};
  for (int i = 0; i < 4; ++i) {
    cuda.release(all[i].device);
    free(all[i].host);
  }
  return error >= 0 && error < 2e-3 ? 0 : 1;
}

int main(void) {
  int isOpen = openDriver();
  // Without a driver, or with one that is too old, the bundle says so itself.
  products_tensor2_fp16 none = {NULL, {0, 0}, {0}};
  if (failed(products_matmul_fp16(none, none, none, NULL, products_to_fp16(1), NULL)))
    return 1;
  if (!isOpen) {
    fprintf(stderr, "matmul: the CUDA driver does not work\n");
    return 1;
  }
  int wrong = multiply(128, 256, 64) + multiply(1000, 776, 200) + multiply(333, 77, 1023) +
              multiply(4096, 4096, 4096) + multiply(8192, 8192, 8192);
  printf(wrong ? "matmul: wrong\n" : "matmul: correct\n");
  return wrong != 0;
}
