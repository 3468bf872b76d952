// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of several CTAs over the C interface: which code a call gets, and what launches are
// asked of the driver, a fake one; and the same on the simulator, with numbers.

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

const char productSource[] = R"(@triton.jit
def product(a, b, c, M, N, K, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK, 64])
    y = tl.make_tensor_descriptor(b, [K, N], [N, 1], [64, BLOCK])
    z = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK, BLOCK])
    m = tl.program_id(0) // tl.cdiv(N, BLOCK) * BLOCK
    n = tl.program_id(0) % tl.cdiv(N, BLOCK) * BLOCK
    sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K, 64):
        sums = tl.dot(x.load([m, k]), y.load([k, n]), sums)
    z.store([m, n], sums)
)";

Options productOptions(const char *target = "sm_90a") {
  Options options = optionsOfProduct(target);
  options.splitK = 4;
  return options;
}

Compilation compileProduct(const Options &options) {
  return test::compileProduct(productSource, options);
}

class ApiSplitK : public ProductLaunch {
protected:
  void create(int32_t splitK, int32_t numCtas = 0, const char *text = productSource,
              const char *database = nullptr) {
    createFrom(text, database, [&](tilec_options &options) {
      options.num_ctas = numCtas;
      options.split_k = splitK;
    });
  }
  tilec_call callOf(uint32_t programs, int32_t splitK) {
    tilec_call call = callOfPrograms(programs);
    call.split_k = splitK;
    return call;
  }
  using ProductLaunch::launch;
  uint32_t launch(uint32_t programs, int32_t splitK = 0) {
    return launch(callOf(programs, splitK));
  }
  void expectLaunched(unsigned ctas, unsigned cluster) {
    EXPECT_EQ(fakeCuda().launch.gridDimX, ctas);
    EXPECT_EQ(launchedCluster(), cluster);
  }
};

} // namespace

TEST(ApiSplitKOption, compiles) {
  tilec_kernel_info info = compileProduct(productOptions()).kernel.info();
  EXPECT_EQ(info.split_k, 4u);
  EXPECT_EQ(info.num_ctas, 1u) << "a cluster is one program";
  for (int32_t none : {0, 1}) {
    Options one = productOptions();
    one.splitK = none;
    EXPECT_EQ(compileProduct(one).kernel.info().split_k, 1u);
  }
  // Processors without clusters run each program by one CTA.
  EXPECT_EQ(compileProduct(productOptions("sm_80")).kernel.info().split_k, 1u);
  for (int32_t wrong : {3, 16, -1}) {
    Options options = productOptions();
    options.splitK = wrong;
    Compilation refused = Compiler().compileText("product.tile", productSource, options);
    EXPECT_EQ(refused.status, TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(refused.message, "options: split_k is " + std::to_string(wrong) +
                                   ", expected 1, 2, 4 or 8 CTAs of a program");
  }
  Options both = productOptions();
  both.numCtas = 2;
  EXPECT_EQ(
      Compiler().compileText("product.tile", productSource, both).message,
      "options: num_ctas is 2 and split_k is 4: a cluster is for several programs or for one");
}

TEST_F(ApiSplitK, anOptionOfTheCall) {
  create(0);
  EXPECT_EQ(launch(15), 0u);
  expectLaunched(15, 1);
  EXPECT_EQ(launch(15, 1), 0u) << "the same code as without a word";
  EXPECT_EQ(launch(15, 2), 1u);
  expectLaunched(30, 2);
  EXPECT_EQ(launch(15, 4), 2u);
  expectLaunched(60, 4);
  EXPECT_EQ(launch(16, 2), 1u);
  EXPECT_EQ(tilec_jit_num_variants(jit), 3u);
  // A launch that asks for clusters itself has the code without.
  tilec_call own = callOf(16, 4);
  own.cluster[0] = own.cluster[1] = own.cluster[2] = 1;
  EXPECT_EQ(launch(own), 0u);
  expectLaunched(16, 1);
  tilec_call wrong = callOf(16, 3);
  EXPECT_EQ(tilec_jit_launch(jit, &wrong, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "call: split_k is 3, expected 1, 2, 4 or 8 CTAs of a program");
  wrong = callOf(16, 2);
  wrong.num_ctas = 2;
  EXPECT_EQ(tilec_jit_launch(jit, &wrong, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("call: num_ctas is 2 and split_k is 2"));
  wrong = callOf(uint32_t(1) << 29, 4);
  EXPECT_EQ(tilec_jit_launch(jit, &wrong, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("the grid is 536870912 x 1 x 1 programs of 4 blocks"));
}

TEST_F(ApiSplitK, anOptionOfAllCalls) {
  create(2);
  EXPECT_EQ(launch(15), 0u);
  expectLaunched(30, 2);
  EXPECT_EQ(launch(15, 1), 1u) << "a call may do without";
  expectLaunched(15, 1);
  // What the call says of clusters counts more than what the options say of the other.
  tilec_call paired = callOf(16, 0);
  paired.num_ctas = 2;
  launch(paired);
  EXPECT_EQ(fakeCuda().launch.gridDimX, 16u);
  create(0, 2);
  launch(15, 4);
  expectLaunched(60, 4);
}

TEST_F(ApiSplitK, kernelsThatCannotBeSplit) {
  create(4, 0, R"(@triton.jit
def add(a, b, c, M, N, K, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i) + tl.load(b + i))
)");
  EXPECT_EQ(launch(15), 0u);
  expectLaunched(15, 1);
  EXPECT_EQ(tilec_jit_num_variants(jit), 1u);
}

TEST_F(ApiSplitK, preparedLaunches) {
  create(2);
  tilec_call call = callOf(15, 0);
  tilec_prepared *prepared = nullptr;
  ASSERT_EQ(tilec_jit_prepare(jit, &call, &prepared), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK);
  expectLaunched(30, 2);
  ASSERT_EQ(tilec_prepared_set_grid(prepared, 7, 1, 1), TILEC_OK);
  ASSERT_EQ(tilec_prepared_launch(prepared, nullptr), TILEC_OK);
  expectLaunched(14, 2);
  EXPECT_EQ(tilec_prepared_set_grid(prepared, uint32_t(1) << 30, 1, 1), TILEC_INVALID_ARGUMENT);
  tilec_prepared_destroy(prepared);
}

TEST_F(ApiSplitK, launchesOfLoadedKernels) {
  Compilation compiled = compileProduct(productOptions());
  tilec_function *function = nullptr;
  ASSERT_EQ(tilec_function_load(device, compiled.kernel.handle(), &function), TILEC_OK)
      << tilec_last_error();
  const void *memory = reinterpret_cast<const void *>(uintptr_t(0x7f0000000000));
  int32_t size = 512;
  tilec_value given[] = {{&memory, 8}, {&memory, 8}, {&memory, 8},
                         {&size, 4},   {&size, 4},   {&size, 4}};
  auto request = sizedStruct<tilec_device_launch>();
  request.grid[0] = 5;
  request.grid[1] = request.grid[2] = 1;
  request.arguments = given;
  request.num_arguments = 6;
  EXPECT_EQ(tilec_function_launch(function, &request), TILEC_OK) << tilec_last_error();
  expectLaunched(20, 4);
  tilec_function_destroy(function);
}

TEST_F(ApiSplitK, tunedConfigurations) {
  DeviceOptions deviceOptions;
  deviceOptions.driver = TILEC_TEST_FAKE_DRIVER;
  Device gpu = Device::open("cuda", deviceOptions);
  DeviceBuffer<uint16_t> a(gpu, 512 * 256), b(gpu, 256 * 512);
  DeviceBuffer<float> c(gpu, 512 * 512);
  Options options = productOptions();
  options.splitK = 0;
  options.ptxas = "/nonexistent";
  std::string path = testing::TempDir() + "tilec-split-k-" + std::to_string(getpid()) + ".json";
  std::remove(path.c_str());
  TuneOptions how;
  how.space = R"({"split_k": [2]})";
  how.jobs = 1;
  how.database = path;
  Tuning tuning = tune(gpu, Source::text("product.tile", productSource), options, how, {{15, 1, 1}},
                       a, b, c, int32_t(512), int32_t(512), int32_t(256));
  ASSERT_TRUE(tuning) << tuning.status.message;
  EXPECT_EQ(tuning.best()->config.text, "num_warps=8, split_k=2");
  EXPECT_EQ(tuning.best()->config.splitK, 2);
  EXPECT_EQ(tuning.best()->config.applyTo(Options()).splitK, 2);
  Options paired;
  paired.numCtas = 2;
  EXPECT_EQ(tuning.best()->config.applyTo(paired).splitK, 0);
  EXPECT_EQ(tuning.kernel.info().split_k, 2u);
  // A kernel that takes what the database has.
  create(0, 0, productSource, path.c_str());
  EXPECT_EQ(launch(15), 0u);
  expectLaunched(30, 2);
  EXPECT_EQ(launch(15, 1), 1u);
  expectLaunched(15, 1);
  std::remove(path.c_str());
}

TEST_F(ApiSplitK, bundles) {
  std::string folder = testing::TempDir() + "tilec-split-test-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/product.tile") << productSource;
  std::ofstream(folder + "/split.json") << R"json({"name": "split", "targets": ["sm_90a"],
    "kernels": [{"file": "product.tile", "split_k": 2, "num_warps": 8,
                 "grid": "cdiv(M, BLOCK) * cdiv(N, BLOCK)", "constants": {"BLOCK": 128},
                 "arguments": {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16",
                               "M": "i32:16", "N": "i32:16", "K": "i32:16"}}]})json";
  std::string build = std::string(TILEC_TEST_TOOL) + " build " + folder + "/split.json -o " +
                      folder + " --emit bundle --ptxas /nowhere 2> /dev/null";
  ASSERT_EQ(std::system(build.c_str()), 0);
  tilec_bundle *bundle = nullptr;
  ASSERT_EQ(tilec_bundle_open((folder + "/split.tilec").c_str(), &bundle), TILEC_OK)
      << tilec_last_error();
  std::filesystem::remove_all(folder);
  ASSERT_EQ(tilec_bundle_create_jit(bundle, "product", device, &jit), TILEC_OK);
  launch(15);
  expectLaunched(30, 2);
  tilec_call own = callOf(0, 2);
  own.flags = TILEC_LAUNCH_BUNDLED_GRID;
  launch(own);
  expectLaunched(32, 2);
  for (int32_t other : {1, 4}) {
    own = callOf(16, other);
    EXPECT_EQ(tilec_jit_launch(jit, &own, nullptr), TILEC_INVALID_ARGUMENT);
    EXPECT_THAT(tilec_last_error(),
                HasSubstr("split_k is " + std::to_string(other) + ", the code has 2"));
  }
  tilec_bundle_destroy(bundle);
}
