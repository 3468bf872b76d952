// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a lowered kernel to PTX text: accesses, line numbers, targets, determinism, and errors that
// stay values.

#include "KernelFixture.h"

#include <gmock/gmock.h>

#include <thread>

using namespace tilec;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

namespace {

class PTX : public KernelFixture {};

/// A kernel with these operations; %x and %y are global pointers, %s is shared memory, %p a
/// predicate, %n an i32.
std::string kernelWith(llvm::StringRef body) {
  return R"mlir(llvm.func @kernel(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %p: i1, %n: i32) attributes {nvvm.kernel} {
    %s = tilegpu.shared_base : !llvm.ptr<3>
  )mlir" +
         body.str() + "\n llvm.return }";
}

TEST_F(PTX, VectorAccessesAreOneInstruction) {
  std::string ptx = ptxOf(vectorAdd());
  EXPECT_THAT(ptx,
              ContainsRegex(
                  "@%p[0-9]+ ld\\.global\\.v4\\.b32 \\{%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+\\}"));
  EXPECT_THAT(ptx, ContainsRegex("\tld\\.global\\.v4\\.b32 "));
  EXPECT_THAT(ptx, ContainsRegex("@%p[0-9]+ st\\.global\\.v4\\.b32"));
  EXPECT_THAT(ptx, HasSubstr(".visible .entry kernel("));
  EXPECT_THAT(ptx, HasSubstr(".reqntid 128, 1, 1"));
}

TEST_F(PTX, PredicatedLoadKeepsItsOldValue) {
  std::string ptx = ptxOf(kernelWith(R"mlir(
    %o = llvm.mlir.constant(77 : i32) : i32
    %v = tilegpu.ld_global %x if %p else %o : i32 : !llvm.ptr<1> -> i32
    tilegpu.st_global %v, %y : i32, !llvm.ptr<1>)mlir"));
  EXPECT_THAT(ptx,
              ContainsRegex("mov\\.b32 \t%r[0-9]+, 77;[^}]*@%p[0-9]+ ld\\.global\\.b32 %r[0-9]+"));
}

TEST_F(PTX, SharedAddressesHave32Bits) {
  std::string ptx = ptxOf(kernelWith(R"mlir(
    %a = llvm.getelementptr %s[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %v = tilegpu.ld_shared %a : !llvm.ptr<3> -> vector<4xi32>
    tilegpu.st_shared %v, %s if %p : vector<4xi32>, !llvm.ptr<3>)mlir"));
  EXPECT_THAT(ptx, HasSubstr(".extern .shared .align 1024 .b8 tilec_shared[]"));
  EXPECT_THAT(ptx, ContainsRegex("ld\\.shared\\.v4\\.b32 \t\\{[^}]*\\}, \\[%r[0-9]+\\]"));
  EXPECT_THAT(ptx, ContainsRegex("@%p[0-9]+ st\\.shared\\.v4\\.b32 \\[%r[0-9]+\\]"));
}

TEST_F(PTX, LinesOfTheSourceAreKept) {
  std::string ptx = ptxOf(vectorAdd());
  EXPECT_THAT(ptx, HasSubstr(".file\t1 \"add.tile\""));
  EXPECT_THAT(ptx, HasSubstr(".file\t2 \"lib.tile\""));
  EXPECT_THAT(ptx, ContainsRegex("\\.loc\t1 7 12[^@]*@%p[0-9]+ ld\\.global"));
  EXPECT_THAT(ptx, ContainsRegex("\\.loc\t2 33 4[^@]*add\\.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr(".target sm_90a, debug")));

  PTXOptions options;
  options.lineInfo = false;
  std::string bare = ptxOf(vectorAdd(), options);
  EXPECT_THAT(bare, Not(HasSubstr(".loc")));
  EXPECT_THAT(bare, Not(HasSubstr(".file")));
}

TEST_F(PTX, LinesOfNestedCallsAndFilesAreValid) {
  std::string ptx = ptxOf(R"mlir(
    llvm.func @helper(%v: i32) -> i32 attributes {no_inline} { llvm.return %v : i32 } loc("h.tile":1:1)
    llvm.func @kernel(%x: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
      %0 = llvm.add %n, %n : i32 loc(callsite(callsite("c.tile":3:1 at "b.tile":2:1) at "a.tile":5:1))
      %1 = llvm.mul %0, %n : i32 loc("other.tile":8:2)
      llvm.store volatile %0, %x : i32, !llvm.ptr<1> loc(callsite(callsite("c.tile":3:1 at "b.tile":2:1) at "a.tile":5:1))
      %2 = llvm.call @helper(%1) : (i32) -> i32 loc(unknown)
      llvm.store %2, %x : i32, !llvm.ptr<1> loc(fused["a.tile":6:1, "a.tile":7:1])
      llvm.return loc("named"("a.tile":9:1))
    } loc("a.tile":1:1)
  )mlir");
  for (const char *file : {"a.tile", "c.tile", "other.tile"})
    EXPECT_THAT(ptx, HasSubstr("\"" + std::string(file) + "\""));
}

TEST_F(PTX, SameInputSameBytes) {
  EXPECT_EQ(ptxOf(vectorAdd()), ptxOf(vectorAdd()));
  mlir::MLIRContext other(dialects(), mlir::MLIRContext::Threading::DISABLED);
  std::string first = ptxOf(vectorAdd());
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string &result : results)
    threads.emplace_back([&result] {
      mlir::MLIRContext own(dialects(), mlir::MLIRContext::Threading::DISABLED);
      auto module = mlir::parseSourceString<mlir::ModuleOp>(vectorAdd(), &own, "test.mlir");
      mlir::PassManager passes(&own);
      passes.addPass(createConvertThreadToPTXPass());
      if (failed(passes.run(*module)))
        return;
      if (auto ptx = translateToPTX(*module, {}))
        result = ptx->ptx;
      else
        llvm::consumeError(ptx.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : results)
    EXPECT_EQ(result, first);
}

TEST_F(PTX, VersionFollowsTheTarget) {
  PTXOptions options;
  for (auto [target, version] :
       {std::pair("sm_80", ".version 8.4"), std::pair("sm_90a", ".version 8.4"),
        std::pair("sm_100", ".version 8.8"), std::pair("sm_120", ".version 8.8")}) {
    options.target = target;
    std::string ptx = ptxOf(vectorAdd(), options);
    EXPECT_THAT(ptx, HasSubstr(version));
    EXPECT_THAT(ptx, HasSubstr(".target " + std::string(target) + "\n"));
  }
  options.target = "sm_80";
  options.ptxVersion = 75;
  EXPECT_THAT(ptxOf(vectorAdd(), options), HasSubstr(".version 7.5"));
}

TEST_F(PTX, UnknownTargetsAndVersionsAreErrors) {
  PTXOptions options;
  options.target = "sm_42";
  EXPECT_THAT(errorOf(vectorAdd(), options),
              HasSubstr("unknown target 'sm_42', expected one of sm_70, "));
  options.target = "sm_100";
  options.ptxVersion = 80;
  EXPECT_EQ(errorOf(vectorAdd(), options), "target 'sm_100' needs PTX 8.6 or newer, got 8.0");
  options.ptxVersion = 120;
  EXPECT_EQ(errorOf(vectorAdd(), options), "PTX 12.0 is newer than the newest version known, 9.0");
}

TEST_F(PTX, MultiplyAddIsFusedOnlyWhenAllowed) {
  std::string text = kernelWith(R"mlir(
    %a = llvm.load %x : !llvm.ptr<1> -> f32
    %b = llvm.load %y : !llvm.ptr<1> -> f32
    %m = llvm.fmul %a, %b : f32
    %r = llvm.fadd %m, %a : f32
    llvm.store %r, %x : f32, !llvm.ptr<1>)mlir");
  EXPECT_THAT(ptxOf(text), HasSubstr("fma.rn.f32"));
  PTXOptions options;
  options.fuseMultiplyAdd = false;
  EXPECT_THAT(ptxOf(text, options), Not(HasSubstr("fma")));
}

TEST_F(PTX, EveryOptimisationLevelWorks) {
  PTXOptions options;
  for (unsigned level : {0u, 1u, 2u, 3u, 7u}) {
    options.optLevel = level;
    EXPECT_THAT(ptxOf(vectorAdd(), options), HasSubstr("ld.global.v4.b32"));
  }
}

TEST_F(PTX, StepsCanBeTakenOneByOne) {
  auto module = lower(vectorAdd());
  PTXOptions options;
  auto device = translateToLLVM(*module, options);
  ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
  std::string before = device->print();
  EXPECT_THAT(before, HasSubstr("target triple = \"nvptx64-nvidia-cuda\""));
  EXPECT_THAT(before, HasSubstr("define ptx_kernel void @kernel"));
  ASSERT_FALSE(optimizeLLVM(*device, options));
  EXPECT_NE(device->print(), before);
  auto result = emitPTX(std::move(*device), options);
  ASSERT_TRUE(bool(result));
  EXPECT_THAT(result->kernels, testing::ElementsAre("kernel"));
  EXPECT_EQ(result->ptx, ptxOf(vectorAdd()));
}

// A barrier in inline assembly must stay where all threads come by.
TEST_F(PTX, AssemblyOfManyThreadsIsConvergent) {
  auto module = lower(kernelWith(R"mlir(
    llvm.inline_asm has_side_effects "bar.sync 1, 64;", "" : () -> ()
    tilegpu.st_global %n, %x if %p : i32, !llvm.ptr<1>)mlir"));
  auto device = translateToLLVM(*module, {});
  ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
  ASSERT_FALSE(optimizeLLVM(*device, {}));
  std::string text = device->print();
  EXPECT_THAT(text, ContainsRegex("attributes #[0-9]+ = \\{ convergent"));
}

// A function that is not inlined may synchronise; so calls of it are convergent, and it is not
// exported.
TEST_F(PTX, FunctionsAreConvergentAndInternal) {
  std::string text = R"mlir(
    llvm.func @helper() attributes {no_inline} { nvvm.barrier0 llvm.return }
    llvm.func @kernel(%p: i1) attributes {nvvm.kernel} {
      llvm.cond_br %p, ^a, ^b
    ^a:
      llvm.call @helper() : () -> ()
      llvm.br ^b
    ^b:
      llvm.return
    })mlir";
  auto module = lower(text);
  auto device = translateToLLVM(*module, {});
  ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
  EXPECT_THAT(device->print(), HasSubstr("define internal void @helper"));
  EXPECT_THAT(device->print(), ContainsRegex("attributes #[0-9]+ = \\{ convergent \\}"));
  EXPECT_THAT(ptxOf(text), HasSubstr("call.uni helper"));
}

// What a launch needs to know, and a tensor map as a kernel parameter.
TEST_F(PTX, KernelAttributesAreWritten) {
  std::string ptx = ptxOf(R"mlir(
    llvm.func @kernel(%m: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant, llvm.align = 64 : i64})
        attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.maxnreg = 128 : i32,
                    nvvm.cluster_dim = array<i32: 2, 1, 1>} {
      nvvm.prefetch tensormap, %m : !llvm.ptr
      llvm.return
    })mlir");
  for (const char *line : {".param .align 64 .b8 kernel_param_0[128]", ".reqntid 128, 1, 1",
                           ".maxnreg 128", ".reqnctapercluster 2, 1, 1"})
    EXPECT_THAT(ptx, HasSubstr(line));
}

TEST_F(PTX, BackEndFailuresAreErrors) {
  PTXOptions options;
  options.target = "sm_75";
  std::string copy =
      kernelWith("nvvm.cp.async.shared.global %s, %x, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>");
  EXPECT_THAT(errorOf(copy, options), HasSubstr("generating PTX: Cannot select: intrinsic"));
  // And the next compilation works.
  EXPECT_THAT(ptxOf(vectorAdd(), options), HasSubstr(".target sm_75"));
}

TEST_F(PTX, TranslationFailuresNameThePlace) {
  EXPECT_THAT(errorOf(R"mlir(llvm.func @kernel(%f: f32) attributes {nvvm.kernel} {
      %0 = llvm.call_intrinsic "llvm.nvvm.nonsense"(%f) : (f32) -> f32 loc("k.tile":3:4)
      llvm.return
    })mlir"),
              HasSubstr("k.tile:3:4: could not find LLVM intrinsic: \"llvm.nvvm.nonsense\""));
}

TEST_F(PTX, UndefinedFunctionsAreErrors) {
  EXPECT_EQ(errorOf(mathKernel("elsewhere", "f32")),
            "call of a function that is not defined: 'elsewhere'");
}

TEST_F(PTX, AssertsAndPrintsAssemble) {
  std::string ptx = ptxOf(kernelWith(R"mlir(
    tilegpu.thread_assert %p, "n fits" loc("k.tile":3:4)
    tilegpu.thread_print " x: ", %n at (%n) if %p : i32)mlir"));
  EXPECT_THAT(ptx, HasSubstr("call.uni __assertfail"));
  EXPECT_THAT(ptx, HasSubstr("vprintf"));
}

} // namespace
