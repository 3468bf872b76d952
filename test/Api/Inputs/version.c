// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the library's version.

#include <tilec/tilec.h>

#include <stdio.h>

int main(void) {
  puts(tilec_version());
  return 0;
}
