// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of 512x512x256 on a fake GPU, for tests of what launches with clusters ask of the
// driver.

#ifndef TILEC_TEST_UNIT_API_PRODUCTLAUNCH_H
#define TILEC_TEST_UNIT_API_PRODUCTLAUNCH_H

#include "FakeCuda.h"
#include "ProductText.h"

#include <functional>

namespace tilec::test {

/// Options of a kernel `product(a, b, c, M, N, K, BLOCK)`.
inline Options optionsOfProduct(const char *target) {
  Options options;
  options.target = target;
  options.arguments = {{"a", "*fp16:16"}, {"b", "*fp16:16"}, {"c", "*fp32:16"},
                       {"M", "i32:16"},   {"N", "i32:16"},   {"K", "i32:16"}};
  options.constants = {{"BLOCK", "128"}};
  options.numWarps = 8;
  return options;
}

inline Compilation compileProduct(const char *text, const Options &options) {
  Compiler compiler;
  Compilation made = compiler.compileText("product.tile", text, options);
  EXPECT_TRUE(made) << made.text << made.message;
  return made;
}

/// The CTAs of a cluster in the last launch; 1: it had no such attribute.
inline unsigned launchedCluster() {
  for (const tilecrt::cuda::CUlaunchAttribute &attribute : fakeCuda().launchAttributes)
    if (attribute.id == tilecrt::cuda::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      return attribute.value.clusterDim.x;
  return 1;
}

class ProductLaunch : public testing::Test {
protected:
  void SetUp() override {
    resetFakeCuda();
    device = openDevice("cuda");
    const void *memory = reinterpret_cast<const void *>(uintptr_t(0x7f0000000000));
    for (tilec_type type : {TILEC_TYPE_FP16, TILEC_TYPE_FP16, TILEC_TYPE_FP32}) {
      values.push_back({TILEC_VALUE_POINTER, uint16_t(type), 0, {}});
      values.back().value.pointer = memory;
    }
    for (int64_t size : {512, 512, 256}) {
      values.push_back({TILEC_VALUE_INTEGER, 0, 0, {}});
      values.back().value.integer = size;
    }
  }
  void TearDown() override {
    tilec_jit_destroy(jit);
    tilec_device_destroy(device);
  }

  /// The kernel in `text`, with further options; `database` has tuned configurations.
  void createFrom(const char *text, const char *database,
                  const std::function<void(tilec_options &)> &choose) {
    tilec_jit_destroy(jit);
    tilec_binding block = {"BLOCK", "128"};
    tilec_binding sizes[] = {{"M", "512"}, {"N", "512"}, {"K", "256"}};
    auto compile = sizedStruct<tilec_options>();
    compile.tuning_database = database;
    compile.tuning_device = "Fake H100";
    compile.tuning_sizes = sizes;
    compile.num_tuning_sizes = 3;
    compile.constants = &block;
    compile.num_constants = 1;
    compile.num_warps = 8;
    compile.stop_after = TILEC_STAGE_PTX;
    choose(compile);
    auto options = sizedStruct<tilec_jit_options>();
    options.name = "product.tile";
    options.text = text;
    options.length = std::char_traits<char>::length(text);
    options.options = &compile;
    ASSERT_EQ(tilec_jit_create(device, &options, &jit), TILEC_OK) << tilec_last_error();
  }
  tilec_call callOfPrograms(uint32_t programs) {
    auto call = sizedStruct<tilec_call>();
    call.values = values.data();
    call.num_values = values.size();
    call.grid[0] = programs;
    call.grid[1] = call.grid[2] = 1;
    return call;
  }
  /// The number of the code that is launched.
  uint32_t launch(const tilec_call &call) {
    uint32_t variant = UINT32_MAX;
    EXPECT_EQ(tilec_jit_launch(jit, &call, &variant), TILEC_OK) << tilec_last_error();
    return variant;
  }

  tilec_device *device = nullptr;
  tilec_jit *jit = nullptr;
  std::vector<tilec_call_value> values;
};

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_API_PRODUCTLAUNCH_H
