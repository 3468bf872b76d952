/* Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A program that uses a bundle, and nothing else of tilec. */
#include "ops.h"

#include <stdio.h>

static void say(ops_status status) {
  fflush(stdout);
  if (status == ops_OK)
    puts("ok");
  else
    printf("%d: %s\n", (int)status, ops_error());
}

int main(void) {
  float *aligned = (float *)(uintptr_t)4096;
  ops_grid grid = {7, 2, 1};
  say(ops_add_f32(aligned, aligned, aligned, 1000, NULL));
  say(ops_add_f32(aligned, aligned, aligned, 1025, NULL));
  say(ops_add_f32(aligned + 1, aligned, aligned, 1000, NULL));
  say(ops_add_f32(aligned, aligned, aligned, 0, NULL));
  say(ops_add_f32(aligned, aligned, aligned, -5000, NULL));
  say(ops_any_grid(grid, aligned, aligned, aligned, 3, NULL));
  return 0;
}
