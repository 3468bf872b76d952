// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder for one test, removed with the object.

#ifndef TILEC_TEST_UNIT_CACHE_SCRATCHFOLDER_H
#define TILEC_TEST_UNIT_CACHE_SCRATCHFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <string>

namespace tilec::testing {

class ScratchFolder {
public:
  ScratchFolder() {
    llvm::SmallString<128> name;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-cache-test", name));
    path = std::string(name);
  }
  ~ScratchFolder() { llvm::sys::fs::remove_directories(path); }

  std::string path;
};

} // namespace tilec::testing

#endif // TILEC_TEST_UNIT_CACHE_SCRATCHFOLDER_H
