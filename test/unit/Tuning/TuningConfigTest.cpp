// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search spaces and configurations as JSON.

#include "tilec/Tuning/TuningConfig.h"
#include "tilec/Tuning/SearchSpace.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

std::vector<std::string> spaceOf(llvm::StringRef text) {
  llvm::Expected<std::vector<TuningConfig>> space = parseSearchSpace(text);
  if (!space)
    return {"error: " + llvm::toString(space.takeError())};
  std::vector<std::string> texts;
  for (const TuningConfig &config : *space)
    texts.push_back(config.describe());
  return texts;
}

using Texts = std::vector<std::string>;

TEST(TuningConfig, Describe) {
  TuningConfig config;
  EXPECT_EQ(config.describe(), "the defaults");
  config.set("M", "1");
  config.set("A", "x");
  config.set("M", "2");
  config.numWarps = 4;
  config.maxRegisters = 128;
  EXPECT_EQ(config.describe(), "A=x, M=2, num_warps=4, max_registers=128");
  EXPECT_EQ(*config.find("M"), "2");
  EXPECT_EQ(config.find("B"), nullptr);
}

TEST(TuningConfig, JsonRoundTrip) {
  TuningConfig config;
  config.set("BLOCK", "64");
  config.set("TYPE", "tl.float16");
  config.numStages = 3;
  config.numCtas = 1;
  config.splitK = 4;
  llvm::Expected<TuningConfig> again = configFromJson(toJson(config));
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(*again, config);
}

TEST(TuningConfig, Clusters) {
  auto ctasOf = [](std::optional<int> given, std::optional<int> configured) {
    TuningConfig config;
    config.numCtas = configured;
    CompileOptions options;
    options.numCtas = given;
    applyConfig(config, KernelInfo(), options);
    return options.numCtas.value_or(0);
  };
  EXPECT_EQ(ctasOf({}, 2), 2);
  EXPECT_EQ(ctasOf({}, 1), 0) << "the same code as without a word";
  EXPECT_EQ(ctasOf({}, 8), 8);
  EXPECT_EQ(ctasOf({}, 16), 0) << "larger than there are";
  EXPECT_EQ(ctasOf({}, 3), 0) << "no cluster";
  EXPECT_EQ(ctasOf(1, 2), 1);
}

TEST(TuningConfig, SplitK) {
  auto applied = [](CompileOptions options, std::optional<int> numCtas, std::optional<int> splitK) {
    TuningConfig config;
    config.numCtas = numCtas;
    config.splitK = splitK;
    applyConfig(config, KernelInfo(), options);
    return std::pair(options.numCtas.value_or(0), options.splitK.value_or(0));
  };
  CompileOptions paired, split, alone;
  paired.numCtas = 2;
  split.splitK = 4;
  alone.numCtas = alone.splitK = 1;
  EXPECT_EQ(applied({}, {}, 8), std::pair(0, 8));
  EXPECT_EQ(applied(split, {}, 8), std::pair(0, 4));
  EXPECT_EQ(applied(alone, 2, 8), std::pair(1, 1));
  // One cluster is for several programs or for one: the options' counts.
  EXPECT_EQ(applied(split, 2, {}), std::pair(0, 4));
  EXPECT_EQ(applied(paired, {}, 8), std::pair(2, 0));
}

TEST(SearchSpace, Products) {
  EXPECT_EQ(spaceOf(R"({"constants": {"B": [1, 2], "A": [true, null]}, "num_warps": [4]})"),
            (Texts{"A=True, B=1, num_warps=4", "A=True, B=2, num_warps=4",
                   "A=None, B=1, num_warps=4", "A=None, B=2, num_warps=4"}));
  EXPECT_EQ(spaceOf(R"({"split_k": [1, 8], "num_ctas": [1]})"),
            (Texts{"num_ctas=1, split_k=1", "num_ctas=1, split_k=8"}));
  EXPECT_EQ(spaceOf("{}"), Texts{"the defaults"});
}

TEST(SearchSpace, ConfigsKeepWhatTheySay) {
  EXPECT_EQ(spaceOf(R"({"configs": [{"constants": {"B": 8}, "num_warps": 1}, {}],
                        "constants": {"B": [16, 32]}, "num_warps": [2]})"),
            (Texts{"B=8, num_warps=1", "B=16, num_warps=2", "B=32, num_warps=2"}));
}

TEST(SearchSpace, Errors) {
  auto error = [](llvm::StringRef text) { return spaceOf(text).front(); };
  EXPECT_EQ(error("[]"), "error: a search space is an object");
  EXPECT_EQ(error(R"({"warps": [1]})"), "error: 'warps' is not known in a search space");
  EXPECT_EQ(error(R"({"num_warps": [33]})"), "error: 'num_warps' expects numbers from 1 to 32");
  EXPECT_EQ(error(R"({"split_k": [16]})"), "error: 'split_k' expects numbers from 1 to 8");
  EXPECT_EQ(error(R"({"num_warps": 4})"), "error: 'num_warps' expects a list of values");
  EXPECT_EQ(error(R"({"constants": {"A": [[1]]}})"),
            "error: 'A' expects numbers, strings, true, false or null");
  EXPECT_EQ(error(R"({"configs": [{"blocks": 1}]})"),
            "error: 'blocks' is not known in a configuration");
  EXPECT_EQ(error(R"({"configs": []})"), "error: 'configs' expects a list of configurations");
  EXPECT_EQ(error("{").substr(0, 6), "error:");
  std::string list = "[0";
  for (int i = 1; i < 1000; ++i)
    list += "," + std::to_string(i);
  EXPECT_EQ(error("{\"constants\": {\"A\": " + list + "], \"B\": " + list + "]}}"),
            "error: the space has more than 100000 configurations");
}

} // namespace
