// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One constant in each sum, and `nsw` where a sum does not wrap.

#include "lib/Target/RestoreSums.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>

using testing::HasSubstr;
using testing::Not;

namespace {

/// The body's text behind the step; it takes %x, of 32 bits, and calls @use with what it makes.
std::string restored(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString("declare void @use(i32)\ndefine void @f(i32 %x) {\n" +
                                              body + "ret void\n}\n",
                                          problem, context);
  if (!module) {
    ADD_FAILURE() << problem.getMessage().str();
    return {};
  }
  llvm::Function &function = *module->getFunction("f");
  tilec::restoreSums(function, tilec::hasManyAddresses(function));
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
  std::string text;
  llvm::raw_string_ostream(text) << function;
  return text;
}

TEST(RestoreSums, ConstantsAreAddedUpWhateverUsesThereAre) {
  std::string text = restored(R"(
    %low = and i32 %x, 1023
    %one = add nuw nsw i32 %low, 64
    %two = add nuw i32 %one, 2048
    %three = add i32 %two, 4096
    call void @use(i32 %one)
    call void @use(i32 %two)
    call void @use(i32 %three)
)");
  EXPECT_THAT(text, HasSubstr("add nuw nsw i32 %low, 2112"));
  EXPECT_THAT(text, HasSubstr("add nsw i32 %low, 6208"));
}

TEST(RestoreSums, BitsSetBesideOthersAreAddends) {
  std::string text = restored(R"(
    %low = and i32 %x, 63
    %one = or disjoint i32 %low, 64
    %two = add nuw i32 %one, 2048
    call void @use(i32 %one)
    call void @use(i32 %two)
)");
  EXPECT_THAT(text, HasSubstr("add nuw nsw i32 %low, 2112"));
}

TEST(RestoreSums, SumsThatMayWrapAreNotMarked) {
  std::string text = restored(R"(
    %one = add i32 %x, 64
    %two = add nuw i32 %one, 2048
    %most = add nuw i32 %x, -1
    %wraps = add nuw i32 %most, -1
    call void @use(i32 %one)
    call void @use(i32 %two)
    call void @use(i32 %wraps)
)");
  EXPECT_THAT(text, Not(HasSubstr("nsw")));
  EXPECT_THAT(text, HasSubstr("add i32 %x, 2112"));
  EXPECT_THAT(text, HasSubstr("add i32 %x, -2"));
}

/// A sum of each of two sums with a constant, `count` times.
std::string manySums(int count) {
  std::string body =
      "%low = and i32 %x, 7\n%other = and i32 %x, 1008\n%high = shl nuw nsw i32 %other, 8\n";
  for (int i = 1; i <= count; ++i) {
    std::string n = std::to_string(i);
    body += "%a" + n + " = add nuw nsw i32 %low, " + n + "\n%b" + n + " = add nuw nsw i32 %high, " +
            std::to_string(16 * i) + "\n%c" + n + " = add nuw nsw i32 %a" + n + ", %b" + n +
            "\ncall void @use(i32 %c" + n + ")\n";
  }
  return body;
}

TEST(RestoreSums, ManySumsHaveOneBase) {
  std::string text = restored(manySums(200));
  EXPECT_THAT(text, HasSubstr(" = add nuw nsw i32 %low, %high\n"));
  EXPECT_THAT(text, HasSubstr(", 3400\n"));
  EXPECT_EQ(text.find("%low, %high"), text.rfind("%low, %high"));
}

TEST(RestoreSums, AFewSumsStayAsTheyAre) {
  std::string text = restored(manySums(2));
  EXPECT_THAT(text, HasSubstr("add nuw nsw i32 %a2, %b2"));
}

TEST(RestoreSums, SumsOfAnotherBlockAreNotTakenApart) {
  std::string text = restored(manySums(200) + R"(
    br label %next
next:
    %sum = add nuw nsw i32 %a1, %b1
    call void @use(i32 %sum)
)");
  EXPECT_THAT(text, HasSubstr("%sum = add nuw nsw i32 %a1, %b1"));
}

} // namespace
