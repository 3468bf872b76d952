// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment says, for callers who ask: the one place of the library that reads it.

#include "Status.h"

#include <cstdlib>

const char *tilec_save_folder(void) {
  thread_local std::string folder;
  const char *named = std::getenv("TILEC_SAVE_LAUNCHES");
  if (!named || !*named)
    return nullptr;
  folder = named;
  return folder.c_str();
}
