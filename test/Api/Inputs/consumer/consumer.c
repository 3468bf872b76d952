// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the size of its kernel's text and the library's version.

#include "tilec/tilec.h"

#include "tilec_kernels/kernel.h"

#include <stdio.h>

int main(void) {
  printf("%zu bytes, %zu images, tilec %s\n", tilec_kernels_kernel_size,
         tilec_kernels_kernel_num_images, tilec_version());
  return 0;
}
