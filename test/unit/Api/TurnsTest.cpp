// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent kernels by cost over the C interface: which code a call's grid gets. The device is a
// fake one.

#include "ProductLaunch.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// More programs than fit on the fake device at once, and fewer than it has multiprocessors.
constexpr uint32_t kMany = 10000, kFew = 16;

class ApiTurns : public ProductLaunch {
protected:
  void create(uint32_t flags = 0, const std::string &text = productText()) {
    createFrom(text.c_str(), nullptr, [&](tilec_options &options) {
      options.num_stages = 4;
      options.flags = flags;
    });
  }
  using ProductLaunch::launch;
  uint32_t launch(uint32_t programs, uint32_t flags = 0) {
    tilec_call call = callOfPrograms(programs);
    call.compile_flags = flags;
    return launch(call);
  }
  static uint32_t launchedCtas() { return fakeCuda().launch.gridDimX; }
};

} // namespace

TEST_F(ApiTurns, gridsOfManyProgramsOfAProduct) {
  create();
  EXPECT_EQ(launch(kFew), 0u);
  EXPECT_EQ(launchedCtas(), kFew);
  EXPECT_EQ(launch(kMany), 1u);
  EXPECT_LT(launchedCtas(), kMany) << "as many CTAs as fit at once";
  EXPECT_EQ(launch(kFew), 0u);
  EXPECT_EQ(launchedCtas(), kFew);
  EXPECT_EQ(launch(kMany), 1u);
  EXPECT_EQ(tilec_jit_num_variants(jit), 2u);
}

TEST_F(ApiTurns, whicheverComesFirst) {
  create();
  EXPECT_EQ(launch(kMany), 0u);
  EXPECT_LT(launchedCtas(), kMany);
  EXPECT_EQ(launch(kFew), 1u);
  EXPECT_EQ(launchedCtas(), kFew);
  EXPECT_EQ(launch(kMany), 0u);
  EXPECT_EQ(tilec_jit_num_variants(jit), 2u);
}

TEST_F(ApiTurns, aCallMaySay) {
  create();
  EXPECT_EQ(launch(kMany, TILEC_COMPILE_NO_PERSISTENT), 0u);
  EXPECT_EQ(launchedCtas(), kMany);
  EXPECT_EQ(launch(kFew, TILEC_COMPILE_PERSISTENT), 1u);
  EXPECT_EQ(launchedCtas(), kFew) << "a CTA for each program";
  EXPECT_EQ(launch(kMany, TILEC_COMPILE_PERSISTENT), 1u);
  EXPECT_LT(launchedCtas(), kMany);
}

TEST_F(ApiTurns, anOptionOfAllCalls) {
  create(TILEC_COMPILE_NO_PERSISTENT);
  EXPECT_EQ(launch(kFew), 0u);
  EXPECT_EQ(launch(kMany), 0u);
  EXPECT_EQ(launchedCtas(), kMany);
  create(TILEC_COMPILE_PERSISTENT);
  EXPECT_EQ(launch(kFew), 0u);
  EXPECT_EQ(launch(kMany), 0u);
  EXPECT_LT(launchedCtas(), kMany);
}

TEST_F(ApiTurns, otherKernelsHaveOneCode) {
  create(0, R"(@triton.jit
def add(a, b, c, M, N, K, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i) + tl.load(b + i))
)");
  EXPECT_EQ(launch(kFew), 0u);
  EXPECT_EQ(launch(kMany), 0u);
  EXPECT_EQ(launchedCtas(), kMany);
  // Nor has one whose warps are not to be specialised.
  create(0, productText(", warp_specialize=False"));
  EXPECT_EQ(launch(kMany), 0u);
  EXPECT_EQ(launchedCtas(), kMany);
  EXPECT_EQ(launch(kFew), 0u);
}

TEST_F(ApiTurns, pairsWhereRowsOfBBeginBetweenSectors) {
  create();
  launch(kMany);
  EXPECT_EQ(launchedCluster(), 1u);
  // Rows of B are N long.
  values[values.size() - 2].value.integer = 264;
  launch(kMany);
  EXPECT_EQ(launchedCluster(), 2u);
  EXPECT_EQ(launch(kMany - 1), 1u) << "of a persistent kernel clusters are whole for any grid";
  launch(kFew);
  EXPECT_EQ(launchedCluster(), 1u);
  // The same whichever came first.
  create();
  launch(kFew);
  EXPECT_EQ(launchedCluster(), 1u);
  launch(kMany);
  EXPECT_EQ(launchedCluster(), 2u);
  // A launch may have clusters of its own.
  tilec_call own = callOfPrograms(kMany);
  own.cluster[0] = 4;
  own.cluster[1] = own.cluster[2] = 1;
  launch(own);
  EXPECT_EQ(launchedCluster(), 4u);
  EXPECT_EQ(launchedCtas(), kMany);
}

TEST_F(ApiTurns, preparedLaunches) {
  create();
  tilec_call call = callOfPrograms(kMany);
  tilec_prepared *prepared = nullptr;
  ASSERT_EQ(tilec_jit_prepare(jit, &call, &prepared), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_LT(launchedCtas(), kMany);
  tilec_prepared_destroy(prepared);
}
