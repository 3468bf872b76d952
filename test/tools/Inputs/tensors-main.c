/* Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Uses a bundle whose kernels take tensor maps and short floats by value. */
#include "tensors.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(tensors_status status) {
  fflush(stdout);
  if (status == tensors_OK)
    puts("ok");
  else
    printf("%d: %s\n", (int)status, tensors_error());
}

/* Bits of a float that is rounded by the compiler's own conversion, and by the header's. */
static int compare_roundings(void) {
  uint32_t state = 1, i;
  for (i = 0; i < 2000000; ++i) {
    float value;
    _Float16 half;
    uint16_t bits;
    state = state * 1664525u + 1013904223u;
    /* All binades, and many values between two halves. */
    uint32_t pattern = i % 2 ? state : (state & 0xfffff000u);
    memcpy(&value, &pattern, sizeof value);
    if (value != value)
      continue;
    half = (_Float16)value;
    memcpy(&bits, &half, sizeof bits);
    if (tensors_to_fp16(value).bits != bits) {
      printf("%a is 0x%04x, got 0x%04x\n", (double)value, bits, tensors_to_fp16(value).bits);
      return 0;
    }
  }
  return 1;
}

/* Launches with tensors of its own, each twice. */
static void *launch_many(void *number) {
  uint16_t *data = (uint16_t *)(uintptr_t)(0x10000 * (uintptr_t)number);
  tensors_tensor2_fp16 a = {data, {64, 64}, {64}};
  tensors_tensor2_fp32 c = {(float *)(uintptr_t)0x8000, {64, 64}, {64}};
  int i;
  for (i = 0; i < 40; ++i) {
    a.data = data + 64 * (i / 2);
    if (tensors_product(a, a, c, NULL) != tensors_OK)
      puts(tensors_error());
  }
  return NULL;
}

int main(int count, char **arguments) {
  uint16_t *data = (uint16_t *)(uintptr_t)0x10000;
  tensors_tensor2_fp16 a = {data, {100, 72}, {72}}, b = {data + 0x8000, {130, 72}, {80}};
  tensors_tensor2_fp32 c = {(float *)(uintptr_t)0x80000, {100, 130}, {132}};
  if (count > 1 && strcmp(arguments[1], "product") == 0) {
    say(tensors_product(a, b, c, NULL));
    /* The same tensors, then others, and the first ones again. */
    say(tensors_product(a, b, c, NULL));
    a.shape[0] = 64;
    say(tensors_product(a, b, c, NULL));
    b.strides[0] = 88;
    say(tensors_product(a, b, c, NULL));
    a.shape[0] = 100;
    b.strides[0] = 80;
    say(tensors_product(a, b, c, NULL));
    c.shape[1] = 0;
    say(tensors_product(a, b, c, NULL));
    b.strides[0] = -80;
    c.shape[1] = 130;
    say(tensors_product(a, b, c, NULL));
    b.strides[0] = 81;
    say(tensors_product(a, b, c, NULL));
    b.data += 1;
    say(tensors_product(a, b, c, NULL));
    b.data -= 1;
    b.strides[0] = 80;
    a.shape[0] = 0;
    puts("nothing to do");
    say(tensors_product(a, b, c, NULL));
    return 0;
  }
  if (count > 1 && strcmp(arguments[1], "threads") == 0) {
    pthread_t threads[4];
    int i;
    for (i = 0; i < 4; ++i)
      pthread_create(&threads[i], NULL, launch_many, (void *)(uintptr_t)(i + 1));
    for (i = 0; i < 4; ++i)
      pthread_join(threads[i], NULL);
    return 0;
  }
  printf("roundings: %s\n", compare_roundings() ? "same" : "differ");
  printf("0x%04x 0x%04x 0x%04x\n", tensors_to_bf16(1.00390625f).bits, tensors_to_bf16(1.01171875f).bits,
         tensors_to_bf16(-2.0f).bits);
  say(tensors_shift(data, 64, 32, tensors_to_fp16(1.5f), tensors_to_bf16(0.25f), data, NULL));
  say(tensors_shift(data, 0, 32, tensors_to_fp16(1.5f), tensors_to_bf16(0.25f), data, NULL));
  return 0;
}
