// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swizzles are applied to the address where the base is aligned, and to the offset elsewhere.

#include "lib/Target/SwizzleAddresses.h"

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

/// The text behind the step of a function with `body`, around a loop that does `repeated`. They
/// take %x and %slot, of 32 bits, and call @use with the addresses that they make in @shared, which
/// is a multiple of 1024.
std::string swizzled(const std::string &body, const std::string &repeated) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(R"(
    target datalayout = "e-p3:32:32-i64:64-n16:32:64"
    @shared = external addrspace(3) global [0 x i8], align 1024
    declare void @use(ptr addrspace(3))
    declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
    define void @f(i32 %x, i32 %slot) {
)" + body + R"(
    br label %loop
    loop:
)" + repeated + R"(
    %again = icmp ne i32 %slot, 0
    br i1 %again, label %loop, label %end
    end:
    ret void
    }
)",
                                          problem, context);
  if (!module) {
    ADD_FAILURE() << problem.getMessage().str();
    return {};
  }
  llvm::Function &function = *module->getFunction("f");
  tilec::swizzleAddresses(function);
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
  std::string text;
  llvm::raw_string_ostream(text) << function;
  return text;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(SwizzleAddresses, AccessesShareOneSum) {
  // One address was computed in front of the loop, where the sum has to be then.
  std::string text = swizzled(R"(
    %one = xor i32 %x, 32
    %a = getelementptr i8, ptr addrspace(3) @shared, i32 %one
)",
                              R"(
    %two = xor i32 %x, 64
    %three = xor i32 %x, 96
    %b = getelementptr i8, ptr addrspace(3) @shared, i32 %two
    %c = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @shared, i32 4096), i32 %three
    call void @use(ptr addrspace(3) %a)
    call void @use(ptr addrspace(3) %b)
    call void @use(ptr addrspace(3) %c)
)");
  EXPECT_EQ(count(text, "add i32 ptrtoint"), 1u) << text;
  EXPECT_LT(text.find("add i32 ptrtoint"), text.find("br label %loop")) << text;
  for (const char *mask : {"xor i32 %1, 32", "xor i32 %1, 64", "xor i32 %1, 96"})
    EXPECT_THAT(text, HasSubstr(mask));
  EXPECT_THAT(text, HasSubstr(", i32 4096"));
  EXPECT_EQ(count(text, "getelementptr"), 1u) << text;
}

TEST(SwizzleAddresses, ABaseFromOneLaneIsAsAligned) {
  std::string text = swizzled(R"(
    %all = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 ptrtoint (ptr addrspace(3) @shared to i32), i32 0, i32 31)
    %base = inttoptr i32 %all to ptr addrspace(3)
)",
                              R"(
    %one = xor i32 %x, 32
    %two = xor i32 %x, 64
    %three = xor i32 %x, 96
    %a = getelementptr i8, ptr addrspace(3) %base, i32 %one
    %b = getelementptr i8, ptr addrspace(3) %base, i32 %two
    %c = getelementptr i8, ptr addrspace(3) %base, i32 %three
    call void @use(ptr addrspace(3) %a)
    call void @use(ptr addrspace(3) %b)
    call void @use(ptr addrspace(3) %c)
)");
  EXPECT_THAT(text, Not(HasSubstr("getelementptr"))) << text;
}

/// Three accesses of `base`, with constants of which `bit` is the lowest bit.
std::string threeAccesses(const std::string &base, unsigned bit) {
  std::string text;
  for (unsigned i = 1; i <= 3; ++i) {
    std::string number = std::to_string(i);
    text += "%x" + number + " = xor i32 %x, " + std::to_string(i * bit) + "\n%a" + number +
            " = getelementptr i8, ptr addrspace(3) " + base + ", i32 %x" + number +
            "\ncall void @use(ptr addrspace(3) %a" + number + ")\n";
  }
  return text;
}

TEST(SwizzleAddresses, OthersAreLeftAlone) {
  const std::string slot = "%ring = getelementptr i8, ptr addrspace(3) @shared, i32 %slot\n";
  const std::string unknown = "%unknown = inttoptr i32 %slot to ptr addrspace(3)\n";
  EXPECT_THAT(swizzled("", threeAccesses("@shared", 32)), HasSubstr("ptrtoint"));
  EXPECT_THAT(swizzled(slot, threeAccesses("%ring", 32)), Not(HasSubstr("ptrtoint")));
  EXPECT_THAT(swizzled(unknown, threeAccesses("%unknown", 32)), Not(HasSubstr("ptrtoint")));
  // A swizzle above the alignment, and accesses that are done once.
  EXPECT_THAT(swizzled("", threeAccesses("@shared", 1024)), Not(HasSubstr("ptrtoint")));
  EXPECT_THAT(swizzled(threeAccesses("@shared", 32), ""), Not(HasSubstr("ptrtoint")));
}

} // namespace
