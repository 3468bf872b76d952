// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library as a plug-in: opened at run time, closed, opened again.

#include "Kernels.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace tilec::test;

TEST(ApiLoad, openedAtRunTime) {
  for (int round = 0; round < 2; ++round) {
    void *library = dlopen(TILEC_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto version = reinterpret_cast<decltype(&tilec_version)>(dlsym(library, "tilec_version"));
    ASSERT_NE(version, nullptr);
    EXPECT_STREQ(version(), TILEC_VERSION);
    EXPECT_EQ(dlsym(library, "tilec_sim_tid"), nullptr);
    EXPECT_EQ(dlclose(library), 0);
  }
  EXPECT_TRUE(tilec::Compiler().compileText("add.tile", addSource, addOptions("sm_90a")));
}
