// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of processors, held against CUDA's documented limits.

#include "tilec/Support/Processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tilec;

static const Processor &get(llvm::StringRef name) { return *llvm::cantFail(findProcessor(name)); }

TEST(Processor, LimitsAreThoseOfTheProgrammingGuide) {
  struct {
    const char *name;
    int kilobytesPerCta, kilobytes, threads, ctas;
  } rows[] = {
      {"sm_70", 96, 96, 2048, 32},    {"sm_75", 64, 64, 1024, 16},
      {"sm_80", 163, 164, 2048, 32},  {"sm_86", 99, 100, 1536, 16},
      {"sm_87", 163, 164, 1536, 16},  {"sm_88", 99, 100, 1536, 16},
      {"sm_89", 99, 100, 1536, 24},   {"sm_90", 227, 228, 2048, 32},
      {"sm_90a", 227, 228, 2048, 32}, {"sm_100a", 227, 228, 2048, 32},
      {"sm_103", 227, 228, 2048, 32}, {"sm_110", 227, 228, 1536, 24},
      {"sm_120", 99, 100, 1536, 24},  {"sm_121", 99, 100, 1536, 24},
  };
  for (const auto &row : rows) {
    const Processor &processor = get(row.name);
    EXPECT_EQ(processor.maxSharedBytesPerCta(), row.kilobytesPerCta * 1024) << row.name;
    EXPECT_EQ(processor.sharedBytes, row.kilobytes * 1024) << row.name;
    EXPECT_EQ(processor.maxThreads, row.threads) << row.name;
    EXPECT_EQ(processor.maxCtas, row.ctas) << row.name;
  }
}

TEST(Processor, FeaturesBeginWithAProcessor) {
  EXPECT_FALSE(get("sm_70").has(Feature::MatrixLoad));
  EXPECT_TRUE(get("sm_75").has(Feature::MatrixLoad));
  EXPECT_FALSE(get("sm_75").has(Feature::AsyncCopy));
  EXPECT_TRUE(get("sm_121f").has(Feature::AsyncCopy));
  EXPECT_FALSE(get("sm_86").has(Feature::Float8Mma));
  EXPECT_TRUE(get("sm_89").has(Feature::Float8Mma));
  EXPECT_FALSE(get("sm_89").has(Feature::MatrixStore));
  EXPECT_TRUE(get("sm_90").has(Feature::MatrixStore));
  EXPECT_TRUE(get("sm_120").has(Feature::MatrixStore));
  // Instructions of one processor alone.
  EXPECT_TRUE(get("sm_90a").has(Feature::Wgmma));
  EXPECT_FALSE(get("sm_90").has(Feature::Wgmma));
  EXPECT_FALSE(get("sm_100a").has(Feature::Wgmma));
  EXPECT_EQ(get("sm_90a").maxAccessBytes(), 16u);
  EXPECT_EQ(get("sm_100").maxAccessBytes(), 32u);
}

TEST(Processor, ASimulatorHasTheProcessorsFeatures) {
  EXPECT_EQ(llvm::cantFail(findTarget("sim")).processor, &defaultProcessor());
  CompileTarget target = llvm::cantFail(findTarget("sim:sm_90a"));
  EXPECT_EQ(target.kind, CompileTarget::Kind::Simulator);
  EXPECT_TRUE(target.processor->has(Feature::TensorCopy));
  EXPECT_EQ(llvm::cantFail(findTarget("sm_80")).kind, CompileTarget::Kind::Gpu);
  EXPECT_EQ(llvm::cantFail(findTarget("interp")).kind, CompileTarget::Kind::Interpreter);
  EXPECT_THAT(llvm::toString(findTarget("sim:sm_99").takeError()),
              testing::StartsWith("unknown target 'sm_99', expected one of sm_70, "));

  EXPECT_EQ(simulatorOf("sm_90a"), "sim");
  EXPECT_EQ(simulatorOf("sm_80"), "sim:sm_80");
  EXPECT_EQ(simulatorOf("sim:sm_80"), "sim:sm_80");
  EXPECT_TRUE(isSimulator("sim:sm_80"));
  EXPECT_FALSE(isSimulator("simple"));
}

TEST(Processor, AGpuGetsTheCodeWithItsOwnInstructions) {
  EXPECT_EQ(processorOfGpu(8, 0)->name, "sm_80");
  EXPECT_EQ(processorOfGpu(9, 0)->name, "sm_90a");
  EXPECT_EQ(processorOfGpu(10, 0)->name, "sm_100a");
  EXPECT_EQ(processorOfGpu(12, 1)->name, "sm_121a");
  // Not in the table: code of the next older one runs, or is assembled by the driver.
  EXPECT_EQ(processorOfGpu(8, 8)->name, "sm_88");
  EXPECT_EQ(processorOfGpu(9, 1)->name, "sm_90");
  EXPECT_EQ(processorOfGpu(13, 0)->name, "sm_121");
  EXPECT_EQ(processorOfGpu(6, 1), nullptr);
}

TEST(Processor, PtxVersionsHaveABeginningAndAnEnd) {
  EXPECT_EQ(llvm::cantFail(choosePTXVersion(get("sm_90a"), 0)), 84u);
  EXPECT_EQ(llvm::cantFail(choosePTXVersion(get("sm_90a"), 80)), 80u);
  EXPECT_EQ(llvm::toString(choosePTXVersion(get("sm_100"), 84).takeError()),
            "target 'sm_100' needs PTX 8.6 or newer, got 8.4");
  EXPECT_THAT(llvm::toString(choosePTXVersion(get("sm_80"), 99).takeError()),
              testing::HasSubstr("is newer than the newest version known"));
}
