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
