// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc has arc4random since 2.36, and LLVM and libstdc++ take it where they find it. With this one
// the portable build runs with glibc 2.35 as well.

#include <stdint.h>
#include <sys/random.h>
#include <time.h>

__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value = 0;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value))
    value = (uint32_t)time(0) ^ (uint32_t)(uintptr_t)&value; // Names of temporary files; no secrets.
  return value;
}
