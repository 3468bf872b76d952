// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the middle end knows of the processor: special registers, address spaces, and the answers to
// library code.

#include "KernelFixture.h"

#include <gmock/gmock.h>

using namespace tilec;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

namespace {

class Optimize : public KernelFixture {
protected:
  /// The optimised LLVM IR.
  std::string llvmOf(llvm::StringRef text) {
    auto module = lower(text);
    auto device = translateToLLVM(*module, {});
    if (!device) {
      ADD_FAILURE() << llvm::toString(device.takeError());
      return {};
    }
    EXPECT_FALSE(optimizeLLVM(*device, {}));
    return device->print();
  }
};

TEST_F(Optimize, ThreadNumbersHaveRanges) {
  EXPECT_THAT(
      llvmOf(vectorAdd()),
      ContainsRegex("range\\(i32 0, 128\\) i32 @llvm\\.nvvm\\.read\\.ptx\\.sreg\\.tid\\.x"));
}

/// Reads the first pointer's target, writes the second's, reads the first again.
std::string readTwice(int firstSpace, int secondSpace) {
  std::string text =
      R"mlir(llvm.func @kernel(%a: !llvm.ptr<FIRST>, %b: !llvm.ptr<SECOND>, %o: !llvm.ptr<1>, %x: i32)
      attributes {nvvm.kernel} {
    %before = llvm.load %a : !llvm.ptr<FIRST> -> i32
    llvm.store %x, %b : i32, !llvm.ptr<SECOND>
    %after = llvm.load %a : !llvm.ptr<FIRST> -> i32
    %sum = llvm.add %before, %after : i32
    llvm.store %sum, %o : i32, !llvm.ptr<1>
    llvm.return
  })mlir";
  auto set = [&](llvm::StringRef name, int space) {
    for (size_t at = text.find(name.str()); at != std::string::npos; at = text.find(name.str()))
      text.replace(at, name.size(), std::to_string(space));
  };
  set("FIRST", firstSpace);
  set("SECOND", secondSpace);
  return text;
}

TEST_F(Optimize, NamedSpacesHaveNothingInCommon) {
  auto loads = [&](int first, int second) {
    return llvm::StringRef(llvmOf(readTwice(first, second))).count(" load i32, ");
  };
  EXPECT_EQ(loads(3, 1), 1u);
  EXPECT_EQ(loads(1, 3), 1u);
  EXPECT_EQ(loads(1, 1), 2u);
  EXPECT_EQ(loads(0, 3), 2u);
  EXPECT_EQ(loads(3, 7), 2u);
}

/// Two sums that are converted in one block, and stored in a later one: as a pair, or one by one.
std::string convertAndStore(llvm::StringRef stores) {
  return (R"mlir(llvm.func @kernel(%o: !llvm.ptr<1>, %x: f32, %y: f32, %some: i1)
      attributes {nvvm.kernel} {
    llvm.inline_asm has_side_effects "// wgmma.mma_async", "" : () -> ()
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %none = llvm.mlir.poison : vector<2xbf16>
    %low = llvm.fptrunc %x : f32 to bf16
    %high = llvm.fptrunc %y : f32 to bf16
    llvm.cond_br %some, ^first, ^then
  ^first:
    llvm.store volatile %low, %o : bf16, !llvm.ptr<1>
    llvm.store volatile %high, %o : bf16, !llvm.ptr<1>
    llvm.br ^then
  ^then:
    nvvm.barrier0
    )mlir" +
          stores +
          R"mlir(
    llvm.return
  })mlir")
      .str();
}

TEST_F(Optimize, ConversionsArePackedWhereTheyAre) {
  std::string text = llvmOf(convertAndStore(R"mlir(
    %half = llvm.insertelement %low, %none[%zero : i32] : vector<2xbf16>
    %pair = llvm.insertelement %high, %half[%one : i32] : vector<2xbf16>
    llvm.store %pair, %o : vector<2xbf16>, !llvm.ptr<1>)mlir"));
  EXPECT_THAT(text, ContainsRegex("llvm.nvvm.ff2bf16x2.rn\\(float %2, float %1\\)"));
  EXPECT_THAT(text, Not(HasSubstr("fptrunc")));
}

TEST_F(Optimize, ConversionsOfSingleSumsArePaired) {
  std::string text = llvmOf(convertAndStore(R"mlir(
    llvm.store volatile %low, %o : bf16, !llvm.ptr<1>
    llvm.store volatile %high, %o : bf16, !llvm.ptr<1>)mlir"));
  EXPECT_THAT(text, ContainsRegex("llvm.nvvm.ff2bf16x2.rn\\(float %2, float %1\\)"));
  EXPECT_THAT(text, Not(HasSubstr("fptrunc")));
}

/// Stores, for elements `index` | 1024 * i, whether they are before `bound`: %n, or %b, which is
/// not there from the start. %x may be negative.
std::string masks(int count, const std::string &index, int threads, int minCtas = 1,
                  const std::string &bound = "%n") {
  std::string text =
      "llvm.func @kernel(%o: !llvm.ptr<1>, %n: i32, %x: i32, %go: i1) attributes {nvvm.kernel, "
      "nvvm.reqntid = array<i32: " +
      std::to_string(threads) + ">, nvvm.minctasm = " + std::to_string(minCtas) + R"mlir( : i32} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    llvm.cond_br %go, ^body, ^end
  ^body:
    %b = llvm.load %o : !llvm.ptr<1> -> i32
  )mlir";
  for (int i = 0; i < count; ++i) {
    std::string number = std::to_string(i);
    text += "%c" + number + " = llvm.mlir.constant(" + std::to_string(1024 * i) + " : i32) : i32\n";
    text += "%e" + number + " = llvm.or disjoint " + index + ", %c" + number + " : i32\n";
    text += "%m" + number + " = llvm.icmp \"slt\" %e" + number + ", " + bound + " : i32\n";
    text += "%p" + number + " = llvm.getelementptr %o[" + number +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i1\n";
    text += "llvm.store %m" + number + ", %p" + number + " : i1, !llvm.ptr<1>\n";
  }
  return text + "llvm.br ^end\n^end:\nllvm.return }";
}

TEST_F(Optimize, ManyMasksCompareOneDifference) {
  std::string text = llvmOf(masks(16, "%tid", 128));
  EXPECT_EQ(llvm::StringRef(text).count(" = sub nsw i32 "), 1u);
  EXPECT_EQ(llvm::StringRef(text).count("call i32 @llvm.smax.i32("), 1u);
  EXPECT_EQ(llvm::StringRef(text).count(" = icmp sgt i32 "), 16u);
  EXPECT_THAT(text, HasSubstr(", 15360"));
  EXPECT_THAT(text, Not(HasSubstr(" or ")));
  EXPECT_THAT(llvmOf(masks(32, "%tid", 1024)), HasSubstr(" = sub nsw i32 "));
}

TEST_F(Optimize, MasksKeepTheirIndices) {
  // There are predicates enough; the index may be negative; a register more may be a spill; the
  // bound may be another one in each iteration of a loop.
  EXPECT_THAT(llvmOf(masks(15, "%tid", 128)), Not(HasSubstr(" = sub ")));
  EXPECT_THAT(llvmOf(masks(16, "%x", 128)), Not(HasSubstr(" = sub ")));
  EXPECT_THAT(llvmOf(masks(31, "%tid", 1024)), Not(HasSubstr(" = sub ")));
  EXPECT_THAT(llvmOf(masks(31, "%tid", 256, 4)), Not(HasSubstr(" = sub ")));
  EXPECT_THAT(llvmOf(masks(16, "%tid", 128, 1, "%b")), Not(HasSubstr(" = sub ")));
}

TEST_F(Optimize, LibraryQuestionsAreAnsweredWithNo) {
  std::string text = llvmOf(R"mlir(
    llvm.mlir.global private constant @name("__CUDA_FTZ\00") {addr_space = 0 : i32}
    llvm.func @__nvvm_reflect(!llvm.ptr) -> i32
    llvm.func @flushes() -> i32 {
      %name = llvm.mlir.addressof @name : !llvm.ptr
      %answer = llvm.call @__nvvm_reflect(%name) : (!llvm.ptr) -> i32
      %zero = llvm.mlir.constant(0 : i32) : i32
      %is = llvm.icmp "ne" %answer, %zero : i32
      llvm.cond_br %is, ^yes, ^no
    ^yes:
      %one = llvm.mlir.constant(111 : i32) : i32
      llvm.return %one : i32
    ^no:
      %other = llvm.mlir.constant(222 : i32) : i32
      llvm.return %other : i32
    }
    llvm.func @kernel(%o: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %value = llvm.call @flushes() : () -> i32
      llvm.store %value, %o : i32, !llvm.ptr<1>
      llvm.return
    })mlir");
  EXPECT_THAT(text, HasSubstr("store i32 222"));
  EXPECT_THAT(text, Not(HasSubstr("reflect")));
}

} // namespace
