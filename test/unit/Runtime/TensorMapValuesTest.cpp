// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps from arguments: expressions, what a map cannot describe, the call of the driver, and
// the way through JSON.

#include "FakeDriver.h"

#include "tilecrt/TensorMapValues.h"
#include "tilecrt/cuda/LaunchArguments.h"

namespace tilecrt::cuda::fake {
namespace {

KernelMetadata metadataWith(const std::string &size, const std::string &stride) {
  KernelMetadata metadata;
  metadata.name = "k";
  metadata.target = "sm_90a";
  metadata.arguments = {{"x_ptr", "*fp16", ArgumentKind::pointer, 8},
                        {"m", "i32", ArgumentKind::integer, 4},
                        {"n", "u32", ArgumentKind::integer, 4}};
  TensorMapArgument map;
  map.elementType = "fp16";
  map.shape = {size, "%2"};
  map.strides = {stride};
  map.box = {128, 64};
  map.swizzleBytes = 128;
  metadata.tensorMaps = {map};
  return metadata;
}

Result<sim::TensorMapFields> fieldsOf(const KernelMetadata &metadata, uint64_t address, int32_t m,
                                      uint32_t n) {
  const void *arguments[] = {&address, &m, &n};
  return tensorMapFields(metadata, metadata.tensorMaps[0], arguments);
}

TEST(TensorMapValues, reversesDimensions) {
  Result<sim::TensorMapFields> fields =
      fieldsOf(metadataWith("%1 2 * 3 + 4 /", "%2 8 -"), 256, 10, 72);
  ASSERT_TRUE(fields.ok()) << fields.message();
  EXPECT_EQ(fields->rank, 2u);
  EXPECT_EQ(fields->address, 256u);
  EXPECT_EQ(fields->dims[0], 72u);
  EXPECT_EQ(fields->dims[1], 5u);
  EXPECT_EQ(fields->strides[0], 128u);
  EXPECT_EQ(fields->box[0], 64u);
  EXPECT_EQ(fields->box[1], 128u);
  EXPECT_EQ(fields->swizzle, sim::TensorMapSwizzle::Bytes128);
}

TEST(TensorMapValues, knowsUnsignedElements) {
  KernelMetadata metadata = metadataWith("%1", "%2");
  const std::pair<const char *, sim::TensorMapType> types[] = {{"i32", sim::TensorMapType::I32},
                                                               {"u32", sim::TensorMapType::U32},
                                                               {"i64", sim::TensorMapType::I64},
                                                               {"u64", sim::TensorMapType::U64}};
  for (auto [name, type] : types) {
    metadata.tensorMaps[0].elementType = name;
    Result<sim::TensorMapFields> fields = fieldsOf(metadata, 256, 10, 72);
    ASSERT_TRUE(fields.ok()) << fields.message();
    EXPECT_EQ(fields->type, type);
  }
}

void expectProblem(const std::string &size, const std::string &stride, uint64_t address, int32_t m,
                   uint32_t n, const std::string &problem) {
  Result<sim::TensorMapFields> fields = fieldsOf(metadataWith(size, stride), address, m, n);
  ASSERT_FALSE(fields.ok());
  EXPECT_NE(fields.message().find(problem), std::string::npos) << fields.message();
}

TEST(TensorMapValues, saysWhatIsWrong) {
  expectProblem("%1", "%2", 264, 8, 8, "an address that is not a multiple of 16");
  expectProblem("%1", "%2", 256, 0, 8, "the size 0 in dimension 0");
  expectProblem("%1", "%2", 256, -3, 8, "the size -3 in dimension 0");
  expectProblem("%1 0 /", "%2", 256, 8, 8, "the size ? in dimension 0");
  expectProblem("%7", "%2", 256, 8, 8, "the size ? in dimension 0");
  expectProblem("%1 +", "%2", 256, 8, 8, "the size ? in dimension 0");
  expectProblem("%1", "%2", 256, 8, 9, "the stride 9 in dimension 0, expected a multiple of 16");
}

TEST(TensorMapValues, inferredMapsFit) {
  KernelMetadata metadata = metadataWith("%1", "%1");
  uint64_t address = 256;
  uint32_t n = 8;
  auto fits = [&](int32_t stride) {
    const void *arguments[] = {&address, &stride, &n};
    return inferredMapsFit(metadata, arguments);
  };
  EXPECT_FALSE(hasInferredMaps(metadata));
  EXPECT_TRUE(fits(-8)) << "the source's own are for the launch to refuse";
  metadata.tensorMaps[0].isInferred = true;
  EXPECT_TRUE(hasInferredMaps(metadata));
  EXPECT_TRUE(fits(8));
  EXPECT_FALSE(fits(-8));
}

TEST(TensorMapValues, survivesJson) {
  KernelMetadata metadata = metadataWith("%1 2 *", "%2");
  metadata.tensorMaps[0].fillsNan = metadata.tensorMaps[0].isInferred = true;
  Result<KernelMetadata> read = fromJson(toJson(metadata));
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->tensorMaps.size(), 1u);
  const TensorMapArgument &map = read->tensorMaps[0];
  EXPECT_EQ(map.shape, metadata.tensorMaps[0].shape);
  EXPECT_EQ(map.strides, metadata.tensorMaps[0].strides);
  EXPECT_EQ(map.box, metadata.tensorMaps[0].box);
  EXPECT_EQ(map.swizzleBytes, 128u);
  EXPECT_TRUE(map.fillsNan && map.isInferred);
}

class TensorMapLaunch : public FakeDriverTest {};

TEST_F(TensorMapLaunch, encodesBehindTheArguments) {
  KernelMetadata metadata = metadataWith("%1", "%2");
  LaunchArguments arguments;
  arguments.addPointer(4096);
  arguments.add<int32_t>(100);
  arguments.add<uint32_t>(72);
  ASSERT_TRUE(arguments.check(metadata).ok());
  Status encoded = arguments.encodeTensorMaps(metadata, table());
  ASSERT_TRUE(encoded.ok()) << encoded.message();
  const auto *map = static_cast<const CUtensorMap *>(arguments.pointers()[3]);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(map) % 64, 0u);
  EXPECT_EQ(map->opaque[0], 4096u);
  EXPECT_EQ(map->opaque[3], 72u);
  EXPECT_EQ(map->opaque[4], 144u);
  EXPECT_EQ(map->opaque[5], 64u);
  state().failures["cuTensorMapEncodeTiled"] = CUDA_ERROR_INVALID_VALUE;
  EXPECT_FALSE(arguments.encodeTensorMaps(metadata, table()).ok());
}

} // namespace
} // namespace tilecrt::cuda::fake
