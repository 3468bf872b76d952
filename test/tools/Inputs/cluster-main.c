/* Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Launches a product of blocks on so many programs in m and n. */
#include "pair.h"
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  uint16_t *memory = (uint16_t *)0x10000;
  int m = count > 1 ? atoi(arguments[1]) : 1, n = count > 2 ? atoi(arguments[2]) : 1;
  pair_status status = pair_paired(memory, memory, (float *)0x20000, 128 * m, 128 * n, 256, NULL);
  puts(status == pair_OK ? "ok" : pair_error());
  return 0;
}
