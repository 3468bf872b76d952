// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as a whole: selection, arguments, constants, autotune and heuristics, locations.

#include "IRGenFixture.h"

#include "tilec/Syntax/Parser.h"

namespace tilec::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char *twoKernels = R"(@triton.jit
def helper(x):
    return x

@triton.jit
def a(p):
    tl.store(p, helper(1))

@triton.jit
def b(p):
    pass
)";

TEST(KernelTest, negative_selection) {
  EXPECT_THAT(compile(twoKernels, {{"p=*i32"}}).diagnostics,
              ElementsAre("error 1:1: the file has several kernels; choose one by its name",
                          "note 6:5: kernel 'a'", "note 10:5: kernel 'b'"));
  EXPECT_THAT(compile(twoKernels, {{"p=*i32"}, {}, "helpr"}).diagnostics,
              ElementsAre("error 1:1: no kernel named 'helpr' in this file; did you mean "
                          "'helper'?"));
  EXPECT_THAT(compile("x = 1\n", {}).diagnostics,
              ElementsAre("error 1:1: no kernel in this file: no function is decorated with "
                          "@triton.jit"));
  EXPECT_THAT(compile("", {}).diagnostics, ElementsAre("error 1:1: no kernel: the file is empty"));
}

TEST(KernelTest, theKernelThatNobodyCallsIsChosen) {
  Compiled result = compile("@triton.jit\ndef f(x):\n    return x\n@triton.jit\ndef k(p):\n"
                            "    tl.store(p, f(1))\n",
                            {{"p=*i32"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("func.func @k("));
}

TEST(KernelTest, argumentAttributes) {
  Compiled result = compile("@triton.jit\ndef k(p, q, n, m: tl.int64, s: '*bf16', b, z=None):\n"
                            "    pass\n",
                            {{"p=*fp32:16", "q=*kfp16", "n=u32:8", "b=u1"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name "
                                   "= \"p\", tile.type = \"*fp32\"}"));
  EXPECT_THAT(result.ir, HasSubstr("%arg1: !tile.ptr<f16> {tile.name = \"q\", tile.type = "
                                   "\"*kfp16\"}"));
  EXPECT_THAT(result.ir, HasSubstr("%arg2: i32 {tile.divisibility = 8 : i32, tile.name = \"n\", "
                                   "tile.type = \"u32\"}"));
  EXPECT_THAT(result.ir, HasSubstr("%arg3: i64 {tile.name = \"m\", tile.type = \"i64\"}"));
  EXPECT_THAT(result.ir, HasSubstr("%arg4: !tile.ptr<bf16>"));
  EXPECT_THAT(result.ir, HasSubstr("%arg5: i1 {tile.name = \"b\", tile.type = \"u1\"}"));
}

TEST(KernelTest, negative_arguments) {
  std::string source = "@triton.jit\ndef k(p, n, m: tl.int64, B: tl.constexpr):\n    pass\n";
  EXPECT_THAT(compile(source, {}).diagnostics,
              ElementsAre("error 2:7: missing type for argument 'p'",
                          "error 2:10: missing type for argument 'n'",
                          "error 2:26: missing value for constexpr parameter 'B'"));
  EXPECT_THAT(compile(source, {{"p=*fp23", "n=i32:3", "m=i32"}, {"B=1"}}).diagnostics,
              ElementsAre("error 2:7: argument 'p': unknown type '*fp23'; did you mean '*fp32'?",
                          "error 2:10: argument 'n': divisibility '3' is not a power of two",
                          "error 2:13: argument 'm' is declared as i64, got i32"));
  EXPECT_THAT(compile(source, {{"pp=*fp32"}, {"COUNT=1"}}).diagnostics,
              ElementsAre("error 2:5: kernel 'k' has no parameter 'pp' to give a type to; did you "
                          "mean 'p'?",
                          "error 2:5: kernel 'k' has no parameter 'COUNT' to give a value to"));
  EXPECT_THAT(compile(source, {{"p=*fp32", "n=i32", "B=i32"}}).diagnostics,
              ElementsAre("error 2:26: 'B' is a constexpr parameter: give it a value, not a type"));
  EXPECT_THAT(compile(source, {{"p=*fp32", "n=fp32:8"}, {"B=1"}}).diagnostics,
              ElementsAre("error 2:10: argument 'n': divisibility is for pointers and integers, "
                          "not for 'fp32'"));
}

TEST(KernelTest, negative_tooManyElements) {
  auto repeat = [](const std::string &element, unsigned count) {
    std::string text = "x=(";
    for (unsigned i = 0; i < count; ++i)
      text += element + ",";
    return text + ")";
  };
  std::string source = "@triton.jit\ndef k(y, x):\n    tl.store(y, x[4094])\n";
  EXPECT_THAT(compile(source, {{"y=*i32", repeat("i32", 4095)}}).diagnostics, IsEmpty());
  EXPECT_THAT(compile(source, {{"y=*i32", repeat("i32", 4096)}}).diagnostics,
              ElementsAre("error 2:5: the arguments of 'k' have more than 4096 elements"));
  EXPECT_THAT(compile(source, {{"y=*i32", repeat("4", 4096)}}).diagnostics,
              ElementsAre("error 2:5: the arguments of 'k' have more than 4096 elements"));
}

TEST(KernelTest, constantsOfAllKinds) {
  Compiled result = compile(
      "@triton.jit\ndef k(p, n, A, B, C, D, E, F, G: tl.constexpr):\n"
      "    tl.static_assert(n == 1 and A == 1.5 and B is None)\n"
      "    tl.static_assert(C == 'x' and D == tl.float16 and E == (1, 2))\n"
      "    tl.static_assert(F == tl.bfloat16 and G)\n"
      "    n = n + 1\n    tl.store(p, n)\n",
      {{"p=*i32", "n=i32"},
       {"n=1", "A=1.5", "B=None", "C='x'", "D=fp16", "E=(1, 2)", "F=tl.bfloat16", "G=True"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
}

TEST(KernelTest, negative_constants) {
  std::string source = "@triton.jit\ndef k(B: tl.constexpr):\n    pass\n";
  EXPECT_THAT(compile(source, {{}, {"B=foo"}}).diagnostics,
              ElementsAre("error 1:1: unknown name 'foo'"));
  EXPECT_THAT(compile(source, {{}, {"B=1 // 0"}}).diagnostics,
              ElementsAre("error 1:1: division by zero"));
  EXPECT_THAT(
      compile(source, {{}, {"B=tl.arange(0, 4)"}}).diagnostics,
      ElementsAre("error 1:1: the value of 'B' must be known at compile time, got int32[4]"));
}

TEST(KernelTest, defaultsOfConstexprs) {
  Compiled result = compile("N = 16\n@triton.jit\ndef k(p, B: tl.constexpr = N * 2, eps=1e-5):\n"
                            "    tl.store(p + tl.arange(0, B), eps)\n",
                            {{"p=*fp32"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tensor<32xi32>"));
}

constexpr const char *tuned = R"(import triton
import triton.language as tl

def configs():
    return [triton.Config({'B': b}, num_warps=w) for b in (32, 64) for w in [2, 4]]

@triton.autotune(configs=[triton.Config({'B': 128, 'S': 2}, num_warps=8, num_stages=2),
                          triton.Config(dict_of(1))], key=['n'])
@triton.jit
def bad(p, n, B: tl.constexpr, S: tl.constexpr):
    pass

@triton.autotune([triton.Config({'B': b}, num_warps=w) for b in (32, 64) for w in [2, 4]],
                 key=["n"])
@triton.heuristics({"EVEN": lambda args: args["B"] % 2 == 0, "H": lambda a: a["B"] // 2})
@triton.jit
def k(p, n, B: tl.constexpr, EVEN: tl.constexpr, H: tl.constexpr):
    tl.static_assert(EVEN and H * 2 == B)
    tl.store(p + tl.arange(0, B), 0)

@triton.heuristics({"R": lambda args: args["n"] % 2 == 0})
@triton.jit
def r(p, n, R: tl.constexpr):
    pass
)";

TEST(KernelTest, firstAutotuneConfigurationFillsTheGaps) {
  Compiled result = compile(tuned, {{"p=*fp32", "n=i32"}, {}, "k", "t.py"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.num_warps = 2 : i32"));
  EXPECT_THAT(result.ir, HasSubstr("tensor<32x!tile.ptr<f32>>"));
  result = compile(tuned, {{"p=*fp32", "n=i32"}, {"B=64"}, "k", "t.py"});
  EXPECT_THAT(result.ir, HasSubstr("tile.num_warps = 4 : i32"));
  EXPECT_THAT(result.ir, HasSubstr("tensor<64x!tile.ptr<f32>>"));
}

TEST(KernelTest, negative_heuristicOfARuntimeValue) {
  EXPECT_THAT(compile(tuned, {{"p=*fp32", "n=i32"}, {}, "r", "t.py"}).diagnostics,
              ElementsAre("error 21:26: the heuristic for 'R' needs values that are not known at "
                          "compile time; give 'R' a value"));
  EXPECT_THAT(compile(tuned, {{"p=*fp32", "n=i32"}, {"R=True"}, "r", "t.py"}).diagnostics,
              IsEmpty());
}

TEST(KernelTest, heuristicsSeeWhetherArgumentsAreGiven) {
  std::string source = "@triton.heuristics({'HAS': lambda args: args['b'] is not None})\n"
                       "@triton.jit\ndef k(b, HAS: tl.constexpr):\n"
                       "    tl.static_assert(HAS == (b is not None))\n"
                       "    tl.static_print(HAS)\n";
  EXPECT_THAT(compile(source, {{"b=*fp32"}}).diagnostics, ElementsAre("remark 5:5: True"));
  EXPECT_THAT(compile(source, {{}, {"b=None"}}).diagnostics, ElementsAre("remark 5:5: False"));
}

TEST(KernelTest, listsKernels) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file = llvm::cantFail(sources.addBuffer("t.py", tuned));
  auto module = parseModule(sources, file, diagnostics);
  ASSERT_TRUE(module);
  std::vector<KernelInfo> kernels = listKernels(*module, sources, diagnostics);
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "bad");
  EXPECT_TRUE(kernels[0].configs.empty());
  EXPECT_EQ(diagnostics.getNumWarnings(), 1u);
  const KernelInfo &k = kernels[1];
  ASSERT_EQ(k.configs.size(), 4u);
  EXPECT_EQ(k.configs[1].numWarps, 4);
  EXPECT_THAT(k.configs[2].constants, ElementsAre(std::make_pair("B", "64")));
  EXPECT_THAT(k.autotuneKey, ElementsAre("n"));
  EXPECT_THAT(k.heuristics, ElementsAre("EVEN", "H"));
  EXPECT_EQ(k.params[2].kind, KernelParam::Kind::Constexpr);
  EXPECT_EQ(k.params[0].kind, KernelParam::Kind::Plain);
  EXPECT_TRUE(k.isEntry);
}

TEST(KernelTest, negative_hostFunctionsAndModules) {
  Compiled result = compile(R"(import triton
import triton.language as tl
import torch
from .utils import other

def host(x):
    return x

@triton.jit
def k(p):
    a = host(1)
    b = torch.zeros(1)
    c = other(1)
)",
                            {{"p=*fp32"}, {}, "", "k.py"});
  EXPECT_THAT(result.diagnostics,
              ElementsAre("error 11:9: 'host' is a host function; only functions decorated with "
                          "@triton.jit can be used in a kernel",
                          "error 12:9: 'torch.zeros' is host code, which is not run",
                          "error 13:9: 'other' comes from the module '.utils', which is not found",
                          "note 13:9: relative to 'k.py'"));
}

TEST(KernelTest, outputIsDeterministic) {
  std::string first = compile(tuned, {{"p=*fp32", "n=i32"}, {}, "k", "t.py"}).ir;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(compile(tuned, {{"p=*fp32", "n=i32"}, {}, "k", "t.py"}).ir, first);
}

} // namespace
} // namespace tilec::test
