// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel metadata as JSON: round trip, stable text, and every way the text can be wrong.

#include "tilecrt/KernelMetadata.h"

#include <gtest/gtest.h>

using namespace tilecrt;

namespace {

KernelMetadata sample() {
  KernelMetadata metadata;
  metadata.name = "softmax_kernel";
  metadata.target = "sm_90a";
  metadata.numWarps = 8;
  metadata.numStages = 3;
  metadata.threadsPerCta = 256;
  metadata.dynamicSharedBytes = 98304;
  metadata.staticSharedBytes = 16;
  metadata.registers = 40;
  metadata.spillBytes = 0;
  metadata.clusterX = 2;
  metadata.tilecVersion = "0.1.0";
  metadata.arguments = {{"x", "*fp32", ArgumentKind::pointer, 8, 16, true},
                        {"n", "i32", ArgumentKind::integer, 4, 16, false},
                        {"eps", "fp32", ArgumentKind::floating, 4, 1, false}};
  metadata.constants = {{"BLOCK", "1024"}, {"NAME", "\"a\\b\"\n"}};
  metadata.lineMap = {{17, "kernel.tile", 3, 7, "x = tl.load(ptr)"}, {18, "", 0, 0, ""}};
  metadata.properties = {{"maxRegisters", "128"}, {"empty", ""}};
  metadata.timeline = {4096, 1, 3, {{"compute", 8}, {"load", 4}}, {{7, "dot", "k.tile", 3, 5, 2}}};
  return metadata;
}

TEST(KernelMetadata, round_trip_keeps_every_member) {
  KernelMetadata before = sample();
  Result<KernelMetadata> after = fromJson(toJson(before));
  ASSERT_TRUE(after.ok()) << after.message();
  EXPECT_EQ(after->name, before.name);
  EXPECT_EQ(after->target, before.target);
  EXPECT_EQ(after->numWarps, 8u);
  EXPECT_EQ(after->numStages, 3u);
  EXPECT_EQ(after->threadsPerCta, 256u);
  EXPECT_EQ(after->dynamicSharedBytes, 98304u);
  EXPECT_EQ(after->staticSharedBytes, 16u);
  EXPECT_EQ(after->registers, 40);
  EXPECT_EQ(after->spillBytes, 0);
  EXPECT_EQ(after->clusterX, 2u);
  EXPECT_EQ(after->tilecVersion, "0.1.0");
  ASSERT_EQ(after->arguments.size(), 3u);
  EXPECT_EQ(after->arguments[0].type, "*fp32");
  EXPECT_EQ(after->arguments[0].kind, ArgumentKind::pointer);
  EXPECT_TRUE(after->arguments[0].isConst);
  EXPECT_EQ(after->arguments[1].divisibility, 16u);
  EXPECT_EQ(after->arguments[2].kind, ArgumentKind::floating);
  ASSERT_EQ(after->constants.size(), 2u);
  EXPECT_EQ(after->constants[1].value, "\"a\\b\"\n");
  ASSERT_EQ(after->lineMap.size(), 2u);
  EXPECT_EQ(after->lineMap[0].text, "x = tl.load(ptr)");
  EXPECT_EQ(after->lineMap[0].column, 7u);
  ASSERT_EQ(after->properties.size(), 2u);
  EXPECT_EQ(after->properties[0].second, "128");
  EXPECT_EQ(after->timeline.lastCta, 3u);
  ASSERT_EQ(after->timeline.roles.size(), 2u);
  EXPECT_EQ(after->timeline.roles[1].name, "load");
  ASSERT_EQ(after->timeline.events.size(), 1u);
  EXPECT_EQ(after->timeline.events[0].groups, 2u);
  EXPECT_EQ(toJson(*after), toJson(before));
}

TEST(KernelMetadata, unknown_registers_stay_unknown) {
  KernelMetadata metadata;
  metadata.name = "k";
  metadata.target = "sim";
  Result<KernelMetadata> after = fromJson(toJson(metadata));
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->registers, -1);
  EXPECT_EQ(after->spillBytes, -1);
}

// A name that is not UTF-8 must neither throw nor make unreadable JSON.
TEST(KernelMetadata, invalid_utf8_is_replaced) {
  KernelMetadata metadata = sample();
  metadata.lineMap[0].text = "\xff\xfe";
  EXPECT_TRUE(fromJson(toJson(metadata)).ok());
}

TEST(KernelMetadata, unknown_keys_are_ignored) {
  EXPECT_TRUE(fromJson(R"({"name": "k", "target": "sim", "later": [1, {"a": null}]})").ok());
}

void expectError(const std::string &text, const std::string &part) {
  Result<KernelMetadata> result = fromJson(text);
  ASSERT_FALSE(result.ok()) << text;
  EXPECT_EQ(result.code(), StatusCode::invalidArgument);
  EXPECT_NE(result.message().find(part), std::string::npos) << result.message();
}

TEST(KernelMetadata, errors_name_the_key_and_what_was_expected) {
  expectError("", "not valid JSON");
  expectError("{\"name\": ", "not valid JSON");
  expectError("[1, 2]", "expected a JSON object, got array");
  expectError("{}", "'name' is missing");
  expectError(R"({"name": "k"})", "'target' is missing");
  expectError(R"({"name": 3, "target": "sim"})", "'name' must be a string, got number");
  expectError(R"({"name": "k", "target": "sim", "numWarps": "4"})",
              "'numWarps' must be an integer, got string");
  expectError(R"({"name": "k", "target": "sim", "numWarps": 4.5})",
              "'numWarps' must be an integer, got number");
  expectError(R"({"name": "k", "target": "sim", "numWarps": -1})",
              "'numWarps' is -1, expected 0 to 4294967295");
  expectError(R"({"name": "k", "target": "sim", "registers": 99999999999})",
              "expected -2147483648");
  expectError(R"({"name": "k", "target": "sim", "registers": 18446744073709551615})",
              "'registers' is 18446744073709551615");
  expectError(R"({"name": "k", "target": "sim", "arguments": {}})",
              "'arguments' must be an array, got object");
  expectError(R"({"name": "k", "target": "sim", "arguments": [1]})", "an array of objects");
  expectError(R"({"name": "k", "target": "sim",
                  "arguments": [{"name": "x", "type": "i32", "kind": "complex"}]})",
              "'kind' of argument 'x' is 'complex'");
  expectError(R"({"name": "k", "target": "sim", "metadataVersion": 99})",
              "this runtime reads up to 4");
  for (const char *split : {R"("splitK": 0)", R"("splitK": 4)", R"("splitK": 4, "clusterX": 2)",
                            R"("splitK": 2, "clusterX": 2, "clusterY": 2)"})
    expectError(R"({"name": "k", "target": "sim", )" + std::string(split) + "}",
                "expected 1 or the CTAs of a cluster along x, the only ones");
}

TEST(KernelMetadata, persistent_kernels_need_a_runtime_that_knows_them) {
  KernelMetadata metadata;
  metadata.name = "k";
  metadata.target = "sim";
  EXPECT_NE(toJson(metadata).find("\"metadataVersion\": 1,"), std::string::npos);
  EXPECT_EQ(toJson(metadata).find("persistent"), std::string::npos);
  metadata.isPersistent = true;
  EXPECT_NE(toJson(metadata).find("\"metadataVersion\": 2,"), std::string::npos);
  Result<KernelMetadata> read = fromJson(toJson(metadata));
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_TRUE(read->isPersistent);
}

TEST(KernelMetadata, kernelsWithACounterNeedARuntimeThatKnowsThem) {
  KernelMetadata metadata;
  metadata.name = "k";
  metadata.target = "sim";
  metadata.isPersistent = true;
  EXPECT_EQ(toJson(metadata).find("programCounter"), std::string::npos);
  metadata.hasProgramCounter = true;
  EXPECT_NE(toJson(metadata).find("\"metadataVersion\": 4,"), std::string::npos);
  Result<KernelMetadata> read = fromJson(toJson(metadata));
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_TRUE(read->hasProgramCounter);
  expectError(R"({"name": "k", "target": "sim", "programCounter": true})",
              "'programCounter' is true, but 'persistent' is not");
}

TEST(KernelMetadata, splitKernelsNeedARuntimeThatKnowsThem) {
  KernelMetadata metadata;
  metadata.name = "k";
  metadata.target = "sim";
  EXPECT_EQ(toJson(metadata).find("splitK"), std::string::npos);
  metadata.clusterX = metadata.splitK = 4;
  EXPECT_NE(toJson(metadata).find("\"metadataVersion\": 3,"), std::string::npos);
  Result<KernelMetadata> read = fromJson(toJson(metadata));
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->splitK, 4u);
  EXPECT_TRUE(hasWholeClusters(metadata, {7, 3, 1})) << "each program is a cluster";
}

TEST(KernelMetadata, wholeClusters) {
  KernelMetadata metadata;
  EXPECT_TRUE(hasWholeClusters(metadata, {7, 3, 1}));
  metadata.clusterX = 2;
  EXPECT_TRUE(hasWholeClusters(metadata, {8, 3, 1}));
  EXPECT_FALSE(hasWholeClusters(metadata, {7, 2, 2}));
  metadata.clusterZ = 4;
  EXPECT_FALSE(hasWholeClusters(metadata, {8, 3, 1}));
  EXPECT_TRUE(hasWholeClusters(metadata, {8, 3, 4}));
  metadata.isPersistent = true;
  EXPECT_TRUE(hasWholeClusters(metadata, {7, 1, 1})) << "its CTAs are whole clusters";
}

TEST(KernelMetadata, deep_nesting_is_an_error_not_a_crash) {
  expectError(std::string(200000, '['), "not valid JSON");
}

} // namespace
