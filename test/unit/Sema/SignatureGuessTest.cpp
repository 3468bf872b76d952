// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What uses and names say about parameters.

#include "tilec/Sema/SignatureGuess.h"
#include "tilec/Syntax/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilec {
namespace {

class SignatureGuessTest : public testing::Test {
protected:
  /// The guess for kernel 'k' as "name=text" words.
  std::string guess(llvm::StringRef text, const GuessVariant &variant = {}) {
    DiagnosticEngine diagnostics;
    module = parseModule(sources, llvm::cantFail(sources.addBuffer("t.tile", text)), diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors());
    const ast::FunctionDef *kernel = module->findJitFunction("k");
    uses = findParamUses(*module, *kernel);
    std::string words;
    for (const ParamGuess &param : guessSignature(*module, *kernel, uses, {}, variant))
      words += (words.empty() ? "" : " ") + param.name + "=" + param.text;
    return words;
  }

  SourceManager sources;
  std::unique_ptr<ast::Module> module;
  std::vector<ParamUse> uses;
};

TEST_F(SignatureGuessTest, pointerIsTheFirstTermOrTheKnownOne) {
  EXPECT_EQ(guess("@triton.jit\ndef k(x, n, m):\n  tl.store(x + n, 0)\n  tl.store(m + x, 0)\n"
                  "  tl.store(x, 0)\n"),
            "x=*fp32:16 n=i32 m=i32");
}

TEST_F(SignatureGuessTest, loopsAndAugmentedAssignmentsAreFollowed) {
  EXPECT_EQ(guess("@triton.jit\ndef k(x, step):\n  p = x\n  for i in range(4):\n"
                  "    q = p\n    tl.store(q, 0)\n    p += step\n"),
            "x=*fp32:16 step=i32");
}

TEST_F(SignatureGuessTest, indicesBitsMasksAddresses) {
  EXPECT_EQ(guess("@triton.jit\ndef k(x, i, bits, m, t):\n  tl.store(x + tl.load(i) * 4, 0)\n"
                  "  a = tl.load(bits) >> 4\n  tl.store(x, tl.where(tl.load(m), a, 0))\n"
                  "  tl.store(tl.load(t).to(tl.pointer_type(tl.float16)), 0)\n"),
            "x=*fp32:16 i=*i32:16 bits=*i32:16 m=*i1:16 t=*i64:16");
}

// The third argument of `atomic_cas` is a value, that of other atomics a mask; `dot` has the type
// of its result last.
TEST_F(SignatureGuessTest, positionsOfMasksAndTypes) {
  EXPECT_EQ(guess("@triton.jit\ndef k(x, v):\n  tl.atomic_cas(x, 0, tl.load(v))\n"),
            "x=*i32:16 v=*fp32:16");
  EXPECT_EQ(guess("@triton.jit\ndef k(x, m):\n  tl.atomic_add(x, 1, tl.load(m))\n"),
            "x=*fp32:16 m=*i1:16");
  EXPECT_EQ(guess("@triton.jit\ndef k(x, y, T: tl.constexpr):\n  o = tl.arange(0, 16)\n"
                  "  a = tl.load(x + o[:, None] * 16 + o[None, :])\n"
                  "  tl.store(y, tl.sum(tl.dot(a, a, None, None, None, None, T)))\n"),
            "x=*fp16:16 y=*fp16:16 T=tl.float16");
}

// Positions and keywords are those of the function: the fourth argument of `dot` is a precision,
// that of `dot_scaled` an operand; of `softmax` only the first is a number of the computation, and
// `can_reorder` is no extent.
TEST_F(SignatureGuessTest, argumentsOfEachFunctionByItsParameters) {
  guess("@triton.jit\ndef k(a, s, b, t):\n  return tl.dot_scaled(a, s, 'e5m2', b, t, 'e5m2')\n");
  EXPECT_TRUE(uses[2].strings.empty());
  guess("@triton.jit\ndef k(a, p):\n  return tl.dot(a, a, None, p)\n");
  EXPECT_THAT(uses[1].strings, testing::ElementsAre("ieee"));
  guess("@triton.jit\ndef k(x, dim, T):\n  a = tl.softmax(tl.load(x), dim)\n"
        "  return tl.sum(a, 0, False, T) + tl.fdiv(a, a, ieee_rounding=dim)\n");
  EXPECT_FALSE(uses[1].isReal);
  EXPECT_TRUE(uses[2].isType);
  guess("@triton.jit\ndef k(x, m, n, f):\n  return tl.reshape(x, m, n, can_reorder=f)\n");
  EXPECT_TRUE(uses[1].isExtent && uses[2].isExtent);
  EXPECT_FALSE(uses[3].isExtent);
  guess("@triton.jit\ndef k(d, i, v):\n  p = d + 0\n  p.store([i, 0], tl.load(v))\n");
  EXPECT_TRUE(uses[0].isPointer && uses[1].isIndex);
  EXPECT_FALSE(uses[2].loadsConditions);
}

TEST_F(SignatureGuessTest, descriptors) {
  EXPECT_EQ(guess("@triton.jit\ndef k(d, o, x):\n  tl.store(x, 0)\n"
                  "  d.store([o, 0], tl.dot(d.load([o, 0]), d.load([0, o])))\n"),
            "d=tensordesc<fp16[256, 256]> o=i32 x=*fp16:16");
}

TEST_F(SignatureGuessTest, callsOfHelpersTellAboutArguments) {
  EXPECT_EQ(guess("@triton.jit\ndef h(p, n, B: tl.constexpr):\n"
                  "  return tl.load(p + tl.arange(0, B), mask=tl.arange(0, B) < n)\n"
                  "@triton.jit\ndef k(x, n, S):\n  tl.store(x + 1, h(x, n, B=S))\n"),
            "x=*fp32:16 n=i32 S=256");
}

TEST_F(SignatureGuessTest, recursionEnds) {
  EXPECT_EQ(guess("@triton.jit\ndef h(p):\n  return h(p)\n@triton.jit\ndef k(x):\n  h(x)\n"
                  "  tl.store(x, 0)\n"),
            "x=*fp32:16");
}

TEST_F(SignatureGuessTest, variants) {
  const char *text = "@triton.jit\ndef k(x, b, F: tl.constexpr):\n  if F:\n    pass\n"
                     "  if b is not None:\n    tl.store(x, tl.load(b))\n";
  EXPECT_EQ(guess(text), "x=*fp32:16 b=*fp32:16 F=False");
  GuessVariant variant;
  variant.element = "bf16";
  variant.flag = variant.withoutOptional = true;
  EXPECT_EQ(guess(text, variant), "x=*bf16:16 b=None F=True");
}

TEST_F(SignatureGuessTest, stringsTypesSizesNumbers) {
  EXPECT_EQ(guess("@triton.jit\ndef k(x, ACT: tl.constexpr, T: tl.constexpr, B: tl.constexpr,\n"
                  "      eps: tl.constexpr, N: tl.constexpr, D: tl.constexpr):\n"
                  "  if ACT == 'gelu':\n    pass\n"
                  "  tl.store(x + tl.arange(0, B // D) * N, (tl.load(x) + eps).to(T))\n"),
            "x=*fp32:16 ACT='gelu' T=tl.float32 B=256 eps=1e-05 N=1024 D=256");
}

TEST_F(SignatureGuessTest, deepNestingIsLinear) {
  std::string text = "@triton.jit\ndef k(x, a):\n  tl.store(x, ";
  for (int i = 0; i < 60; ++i)
    text += "(a and (a if ";
  text += "a";
  for (int i = 0; i < 60; ++i)
    text += " else a))";
  EXPECT_EQ(guess(text + ")\n"), "x=*fp32:16 a=i32");
}

TEST_F(SignatureGuessTest, numbersThatSomethingIsEqualTo) {
  EXPECT_EQ(guess("@triton.jit\ndef h(s: tl.constexpr):\n  return s == 3\n"
                  "@triton.jit\ndef k(x, A: tl.constexpr, B: tl.constexpr, T: tl.constexpr):\n"
                  "  if A == 2 or h(B):\n    tl.store(x, 0)\n"
                  "  for i in tl.static_range(T):\n    tl.store(x + i, 0)\n"),
            "x=*fp32:16 A=2 B=3 T=4");
}

TEST_F(SignatureGuessTest, whatTakesThePlaceOfAPointerIsOne) {
  EXPECT_EQ(guess("@triton.jit\ndef k(x, y, z, w, n, m):\n"
                  "  if n > 0:\n    p = x + n\n  else:\n    p = y + tl.load(w) * m\n"
                  "  tl.store(tl.where(m > 0, p, z), 0)\n"),
            "x=*fp32:16 y=*fp32:16 z=*fp32:16 w=*i32:16 n=i32 m=i32");
  EXPECT_EQ(guess("@triton.jit\ndef k(x, y, n):\n  tl.store(x if n else y, 0)\n"),
            "x=*fp32:16 y=*fp32:16 n=i32");
}

TEST_F(SignatureGuessTest, tuples) {
  EXPECT_EQ(guess("@triton.jit\ndef h(s, i: tl.constexpr):\n  return s[i]\n"
                  "@triton.jit\ndef k(xs, sizes, shape: tl.constexpr, pair, N: tl.constexpr):\n"
                  "  for i in tl.static_range(N):\n    tl.store(xs[i] + h(sizes, i), 0)\n"
                  "  a, b = pair\n  tl.store(xs[2] + tl.arange(0, shape[1]) * a * b, 0)\n"),
            "xs=(*fp32:16,*fp32:16,*fp32:16,) sizes=(i32,i32,i32,i32,) shape=(256,256,) "
            "pair=(i32,i32,) N=4");
  EXPECT_EQ(
      guess("@triton.jit\ndef h(p, s):\n  tl.store(p[1], s[2])\n"
            "@triton.jit\ndef k(x, s, bits: tl.constexpr):\n"
            "  for i in tl.static_range(len(bits)):\n    if bits[i] == 8:\n"
            "      p = x[i]\n      h(p, s[0])\n"),
      "x=((*fp32:16,*fp32:16,),(*fp32:16,*fp32:16,),(*fp32:16,*fp32:16,),(*fp32:16,*fp32:16,),) "
      "s=((i32,i32,i32,),) bits=(8,8,8,8,)");
}

TEST_F(SignatureGuessTest, whatIsSpreadAndClampedAndUnrolled) {
  EXPECT_EQ(guess("@triton.jit\ndef h(x):\n  return x\n"
                  "@triton.jit\ndef k(x, f: tl.constexpr, rest, dtype_min: tl.constexpr,\n"
                  "      W: tl.constexpr, B: tl.constexpr):\n"
                  "  v = tl.clamp(tl.load(x), min=dtype_min, max=1.0)\n"
                  "  for i in tl.static_range(1 - W, 1):\n    tl.store(x + i, v)\n"
                  "  for i in tl.static_range(B):\n    tl.store(x + tl.arange(0, B), v)\n"
                  "  if f is not None:\n    tl.store(x, f(v, *rest))\n"),
            "x=*fp32:16 f=None rest=() dtype_min=0.5 W=4 B=16");
}

TEST_F(SignatureGuessTest, exponents) {
  EXPECT_EQ(guess("@triton.jit\ndef k(x, LOG: tl.constexpr, STEPS: tl.constexpr, n):\n"
                  "  at = tl.arange(0, 1 << LOG)\n"
                  "  for i in tl.static_range(STEPS, -1, -1):\n    tl.store(x + at, 2 ** i)\n"
                  "  tl.store(x + n, n << 2)\n"),
            "x=*fp32:16 LOG=4 STEPS=4 n=i32");
}

TEST_F(SignatureGuessTest, whatTakesBlocksIsNoKernel) {
  guess("@triton.jit\ndef k(x, rows):\n  tl.store(x + rows[:, None], 0)\n");
  EXPECT_TRUE(needsBlocks(uses));
  guess("@triton.jit\ndef h(b):\n  return b.T\n@triton.jit\ndef k(x, b):\n  tl.store(x, h(b))\n");
  EXPECT_TRUE(needsBlocks(uses));
  guess("@triton.jit\ndef k(x, n, d):\n  rows = tl.arange(0, 8) + n\n"
        "  tl.store(x + rows[:, None], d.load([n]))\n  tl.static_print(d.shape)\n");
  EXPECT_FALSE(needsBlocks(uses));
}

TEST_F(SignatureGuessTest, alternatives) {
  guess("@triton.jit\ndef k(x, b, d, M: tl.constexpr):\n  if b is not None and M == 'row':\n"
        "    tl.store(x, tl.load(b))\n    d.load([0, 0])\n");
  auto texts = [&](unsigned param, ParamGuess known) {
    std::vector<std::string> found;
    for (const ParamGuess &other : findAlternatives(*module, uses[param], known))
      found.push_back(other.text);
    return found;
  };
  EXPECT_THAT(texts(0, {"x", false, "*fp32:16"}), testing::Contains("*i32:16"));
  EXPECT_THAT(texts(0, {"x", false, "*fp32:16"}), testing::Not(testing::Contains("None")));
  EXPECT_THAT(texts(1, {"b", false, "*fp32:16"}), testing::Contains("None"));
  EXPECT_THAT(texts(2, {"d", false, "tensordesc<fp16[64, 64]>"}),
              testing::IsSupersetOf({"tensordesc<bf16[64, 64]>", "tensordesc<fp16[64, 128]>"}));
  EXPECT_EQ(texts(3, {"M", true, "False"}).front(), "'row'");
}

} // namespace
} // namespace tilec
