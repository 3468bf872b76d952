// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of two programs over the C interface: which code a call gets, and what launches are
// asked of the driver, a fake one.

#include "ProductLaunch.h"

#include "gmock/gmock.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;

namespace {

/// Load warps fill its slots.
const std::string productSource = productText(", warp_specialize=True");

Options productOptions(const char *target = "sm_90a") {
  Options options = optionsOfProduct(target);
  options.numCtas = 2;
  return options;
}

Compilation compileProduct(const Options &options) {
  return test::compileProduct(productSource.c_str(), options);
}

class ApiClusters : public ProductLaunch {
protected:
  void create(int32_t numCtas, uint32_t flags = 0, const std::string &text = productSource,
              const char *database = nullptr) {
    createFrom(text.c_str(), database, [&](tilec_options &options) {
      options.num_ctas = numCtas;
      options.flags = flags;
    });
  }
  tilec_call callOf(uint32_t programs, int32_t numCtas) {
    tilec_call call = callOfPrograms(programs);
    call.num_ctas = numCtas;
    return call;
  }
  using ProductLaunch::launch;
  uint32_t launch(uint32_t programs, int32_t numCtas = 0) {
    return launch(callOf(programs, numCtas));
  }
};

} // namespace

TEST(ApiNumCtas, compiles) {
  EXPECT_EQ(compileProduct(productOptions()).kernel.info().num_ctas, 2u);
  Options one = productOptions();
  one.numCtas = 1;
  EXPECT_EQ(compileProduct(one).kernel.info().num_ctas, 1u);
  one.numCtas = 0;
  EXPECT_EQ(compileProduct(one).kernel.info().num_ctas, 1u);
  // Processors without clusters, or without what copies for both, have one program each.
  for (const char *target : {"sm_80", "sm_90", "sm_100a"})
    EXPECT_EQ(compileProduct(productOptions(target)).kernel.info().num_ctas, 1u) << target;
  for (int32_t wrong : {3, 16, -1}) {
    Options options = productOptions();
    options.numCtas = wrong;
    Compiler compiler;
    Compilation refused = compiler.compileText("product.tile", productSource, options);
    EXPECT_EQ(refused.status, TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(refused.message, "options: num_ctas is " + std::to_string(wrong) +
                                   ", expected 1, 2, 4 or 8 programs of a cluster");
  }
}

TEST_F(ApiClusters, aHintOfTheCall) {
  create(0);
  EXPECT_EQ(launch(16), 0u);
  EXPECT_EQ(launchedCluster(), 1u);
  EXPECT_EQ(launch(16, 1), 0u) << "the same code as without a word";
  EXPECT_EQ(launch(16, 2), 1u);
  EXPECT_EQ(launchedCluster(), 2u);
  // A grid of an odd number of programs has no clusters, whatever comes before and after.
  EXPECT_EQ(launch(15, 2), 0u);
  EXPECT_EQ(launchedCluster(), 1u);
  EXPECT_EQ(fakeCuda().launch.gridDimX, 15u);
  EXPECT_EQ(launch(14, 2), 1u);
  EXPECT_EQ(launchedCluster(), 2u);
  EXPECT_EQ(launch(13, 2), 0u);
  EXPECT_EQ(tilec_jit_num_variants(jit), 2u);
  // Clusters of four take a grid of whole ones, too.
  EXPECT_EQ(launch(14, 4), 0u);
  EXPECT_EQ(launch(16, 4), 2u);
  EXPECT_EQ(launchedCluster(), 4u);
  // So has one that asks for other clusters itself.
  tilec_call own = callOf(16, 2);
  own.cluster[0] = 4;
  own.cluster[1] = own.cluster[2] = 1;
  EXPECT_EQ(launch(own), 0u);
  EXPECT_EQ(launchedCluster(), 4u);
  own.cluster[0] = 2;
  EXPECT_EQ(launch(own), 1u);
  tilec_call wrong = callOf(16, 3);
  EXPECT_EQ(tilec_jit_launch(jit, &wrong, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(),
               "call: num_ctas is 3, expected 1, 2, 4 or 8 programs of a cluster");
}

TEST_F(ApiClusters, anOptionOfAllCalls) {
  create(2);
  EXPECT_EQ(launch(15), 1u) << "the code with clusters was made first";
  EXPECT_EQ(launchedCluster(), 1u);
  EXPECT_EQ(launch(16), 0u);
  EXPECT_EQ(launchedCluster(), 2u);
  EXPECT_EQ(launch(16, 1), 1u) << "a call may do without";
  EXPECT_EQ(launchedCluster(), 1u);
}

TEST_F(ApiClusters, kernelsThatCannotHaveThem) {
  create(2, 0, R"(@triton.jit
def add(a, b, c, M, N, K, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i) + tl.load(b + i))
)");
  EXPECT_EQ(launch(16), 0u);
  EXPECT_EQ(launchedCluster(), 1u);
  EXPECT_EQ(launch(15), 0u);
  EXPECT_EQ(tilec_jit_num_variants(jit), 1u);
}

TEST_F(ApiClusters, persistentKernelsTakeAnyGrid) {
  create(2, TILEC_COMPILE_PERSISTENT);
  EXPECT_EQ(launch(15), 0u);
  EXPECT_EQ(launchedCluster(), 2u);
  EXPECT_EQ(fakeCuda().launch.gridDimX, 16u) << "whole clusters";
  EXPECT_EQ(launch(1), 0u);
  EXPECT_EQ(fakeCuda().launch.gridDimX, 2u);
  EXPECT_EQ(tilec_jit_num_variants(jit), 1u);
  // As many as the driver says fit at once, in whole clusters.
  resetFakeCuda();
  fakeCuda().activeClusters = 33;
  tilec_device_destroy(std::exchange(device, openDevice("cuda")));
  create(2, TILEC_COMPILE_PERSISTENT);
  EXPECT_EQ(launch(101), 0u);
  EXPECT_EQ(fakeCuda().launch.gridDimX, 66u);
  EXPECT_EQ(launchedCluster(), 2u);
}

TEST_F(ApiClusters, preparedLaunches) {
  create(2);
  tilec_call call = callOf(15, 0);
  tilec_prepared *prepared = nullptr;
  ASSERT_EQ(tilec_jit_prepare(jit, &call, &prepared), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK);
  EXPECT_EQ(launchedCluster(), 1u);
  tilec_prepared_destroy(prepared);
  call.grid[0] = 16;
  ASSERT_EQ(tilec_jit_prepare(jit, &call, &prepared), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK);
  EXPECT_EQ(launchedCluster(), 2u);
  // The code is that of the first grid.
  EXPECT_EQ(tilec_prepared_set_grid(prepared, 15, 1, 1), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(),
              HasSubstr("the grid is 15 x 1 x 1, not a multiple of the cluster 2 x 1 x 1"));
  tilec_prepared_destroy(prepared);
}

TEST_F(ApiClusters, launchesOfLoadedKernels) {
  Options options = productOptions();
  options.numCtas = 2;
  Compilation compiled = compileProduct(options);
  tilec_function *function = nullptr;
  ASSERT_EQ(tilec_function_load(device, compiled.kernel.handle(), &function), TILEC_OK)
      << tilec_last_error();
  const void *memory = reinterpret_cast<const void *>(uintptr_t(0x7f0000000000));
  int32_t size = 512;
  tilec_value given[] = {{&memory, 8}, {&memory, 8}, {&memory, 8},
                         {&size, 4},   {&size, 4},   {&size, 4}};
  auto request = sizedStruct<tilec_device_launch>();
  request.grid[0] = 15;
  request.grid[1] = request.grid[2] = 1;
  request.arguments = given;
  request.num_arguments = 6;
  fakeCalls();
  EXPECT_EQ(tilec_function_launch(function, &request), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(),
              HasSubstr("the grid is 15 x 1 x 1, not a multiple of the cluster 2 x 1 x 1"));
  request.grid[0] = 16;
  request.cluster[0] = 4;
  request.cluster[1] = request.cluster[2] = 1;
  EXPECT_EQ(tilec_function_launch(function, &request), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(),
              HasSubstr("the cluster is 4 x 1 x 1, the code is for clusters of 2 x 1 x 1"));
  tilec_prepared *prepared = nullptr;
  EXPECT_EQ(tilec_function_prepare(function, &request, &prepared), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(fakeCalls(), "") << "refused before the driver is asked";
  request.cluster[0] = 2;
  EXPECT_EQ(tilec_function_launch(function, &request), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launchedCluster(), 2u);
  tilec_function_destroy(function);
}

TEST_F(ApiClusters, tunedConfigurations) {
  DeviceOptions deviceOptions;
  deviceOptions.driver = TILEC_TEST_FAKE_DRIVER;
  Device gpu = Device::open("cuda", deviceOptions);
  DeviceBuffer<uint16_t> a(gpu, 512 * 256), b(gpu, 256 * 512);
  DeviceBuffer<float> c(gpu, 512 * 512);
  Options options = productOptions();
  options.numCtas = 0;
  options.ptxas = "/nonexistent";
  std::string path = testing::TempDir() + "tilec-clusters-" + std::to_string(getpid()) + ".json";
  std::remove(path.c_str());
  TuneOptions how;
  how.space = R"({"num_ctas": [2]})";
  how.jobs = 1;
  how.database = path;
  auto tuneOn = [&](uint32_t programs) {
    how.again = true;
    return tune(gpu, Source::text("product.tile", productSource), options, how, {{programs, 1, 1}},
                a, b, c, int32_t(512), int32_t(512), int32_t(256));
  };
  EXPECT_EQ(tuneOn(15).kernel.info().num_ctas, 1u) << "no whole clusters";
  Tuning tuning = tuneOn(16);
  ASSERT_TRUE(tuning) << tuning.status.message;
  EXPECT_EQ(tuning.best()->config.text, "num_warps=8, num_ctas=2");
  EXPECT_EQ(tuning.best()->config.numCtas, 2);
  EXPECT_EQ(tuning.best()->config.applyTo(Options()).numCtas, 2);
  for (int32_t size : {1, 2, 3, 4, 8, 16}) {
    Config config;
    config.numCtas = size;
    bool isCluster = size == 2 || size == 4 || size == 8;
    EXPECT_EQ(config.applyTo(Options()).numCtas, isCluster ? size : 0);
  }
  EXPECT_EQ(tuning.kernel.info().num_ctas, 2u);
  // A kernel that takes what the database has, as far as its launch can.
  create(0, 0, productSource, path.c_str());
  EXPECT_EQ(launch(16), 0u);
  EXPECT_EQ(launchedCluster(), 2u);
  EXPECT_EQ(launch(15), 1u);
  EXPECT_EQ(launchedCluster(), 1u);
  EXPECT_EQ(launch(16, 1), 1u);
  std::remove(path.c_str());
}

/// Two entries of one kernel, the first one with clusters.
static const char pairSpecification[] = R"json({"name": "pair", "targets": ["sm_90a"], "kernels": [
  {"file": "product.tile", "name": "paired", "num_ctas": 2, "num_warps": 8,
   "grid": "cdiv(M, BLOCK) * cdiv(N, BLOCK)", "constants": {"BLOCK": 128},
   "arguments": {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16",
                 "M": "i32:16", "N": "i32:16", "K": "i32:16"}},
  {"file": "product.tile", "name": "single", "num_warps": 8,
   "grid": "cdiv(M, BLOCK) * cdiv(N, BLOCK)", "constants": {"BLOCK": 128},
   "arguments": {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16",
                 "M": "i32:16", "N": "i32:16", "K": "i32:16"}}]})json";

TEST_F(ApiClusters, bundles) {
  std::string folder = testing::TempDir() + "tilec-cluster-test-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/product.tile") << productSource;
  std::ofstream(folder + "/pair.json") << pairSpecification;
  std::string build = std::string(TILEC_TEST_TOOL) + " build " + folder + "/pair.json -o " +
                      folder + " --emit bundle --ptxas /nowhere 2> /dev/null";
  ASSERT_EQ(std::system(build.c_str()), 0);
  tilec_bundle *bundle = nullptr;
  ASSERT_EQ(tilec_bundle_open((folder + "/pair.tilec").c_str(), &bundle), TILEC_OK)
      << tilec_last_error();
  std::filesystem::remove_all(folder);
  ASSERT_EQ(tilec_bundle_create_jit(bundle, "product", device, &jit), TILEC_OK);
  EXPECT_EQ(launch(16), 0u);
  EXPECT_EQ(launchedCluster(), 2u);
  EXPECT_EQ(launch(15), 1u);
  EXPECT_EQ(launchedCluster(), 1u);
  launch(16, 1);
  EXPECT_EQ(launchedCluster(), 1u);
  // On the bundle's own grid, of 4 times 4 programs, and of 5 times 3.
  tilec_call own = callOf(0, 0);
  own.flags = TILEC_LAUNCH_BUNDLED_GRID;
  launch(own);
  EXPECT_EQ(fakeCuda().launch.gridDimX, 16u);
  EXPECT_EQ(launchedCluster(), 2u);
  values[3].value.integer = 640;
  values[4].value.integer = 384;
  launch(own);
  EXPECT_EQ(fakeCuda().launch.gridDimX, 15u);
  EXPECT_EQ(launchedCluster(), 1u);
  // One entry has no other code.
  tilec_jit_destroy(std::exchange(jit, nullptr));
  ASSERT_EQ(tilec_bundle_create_jit(bundle, "paired", device, &jit), TILEC_OK);
  EXPECT_EQ(tilec_jit_launch(jit, &own, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(),
              HasSubstr("the grid is 15 x 1 x 1, not a multiple of the cluster 2 x 1 x 1"));
  own.num_ctas = 1;
  EXPECT_EQ(tilec_jit_launch(jit, &own, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("num_ctas is 1, the code has 2"));
  tilec_bundle_destroy(bundle);
}
